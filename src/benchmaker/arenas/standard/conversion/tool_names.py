"""The names of the tools whose files are converted."""

TOOLS = ("promptfoo", "lm-eval", "inspect", "deepeval", "openai-evals")
"""The values of ``benchmaker convert --from``."""

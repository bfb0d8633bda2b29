"""Files of other tools, known by their words."""

from collections.abc import Mapping
from typing import Any, NamedTuple

MEANT = {
    "question": "prompt",
    "query": "prompt",
    "input": "prompt",
    "instruction": "prompt",
    "answer": "expected",
    "target": "expected",
    "ideal": "expected",
    "label": "expected",
    "gold": "expected",
    "reference": "expected",
    "tests": "cases",
    "samples": "cases",
    "metric": "scorer",
}
"""Field names of other tools and data sets, with our names."""


class ForeignKey(NamedTuple):
    """A key of another tool, and what to write instead."""

    tool: str
    hint: str


_EXTRACT = "Set extract of a scorer, such as numeric or exact."
_SCORER = "Choose a scorer, such as exact; the result is its mean over the cases."
_AT_RUN = "Set them when you run: --runs, --concurrency and --cache."
_HUB = "Name the data as cases: {hf: OWNER/NAME, split: test}."
_OF_PROMPTFOO = {
    "prompts": "Write them as prompts of the suite, beside its cases.",
    "providers": "Choose models when you run: benchmaker run SUITE --model ENDPOINT/MODEL.",
    "assert": "Write them as checks, such as {type: exact, value: Paris}.",
    "defaultTest": "Write its vars, checks and parameters into the suite itself.",
    "scenarios": "Write lists in vars where values are independent, else one case for each set.",
    "derivedMetrics": "No field is similar. Export the scores and calculate with them.",
    "transform": _EXTRACT,
    "transformVars": "No field is similar. Write the final values as vars.",
    "evaluateOptions": _AT_RUN,
    "commandLineOptions": _AT_RUN,
    "outputPath": "Write results with: benchmaker export latest --format html --output FILE.",
}
_OF_LM_EVAL = {
    "metric_list": _SCORER,
    "filter_list": f"{_EXTRACT} To compare filters, run a suite for each.",
    "generation_kwargs": "Write parameters: max_gen_toks is max_tokens, until is stop.",
    "doc_to_text": "Write a prompt with {{…}} under prompts, and the columns as vars of the cases.",
    "doc_to_target": "Write expected in each case, or map its column under fields.",
    "doc_to_choice": "Write choices in each case, or map their column under fields.",
    "dataset_path": _HUB,
    "dataset_name": f"{_HUB} Its configuration is config.",
    "test_split": _HUB,
    "output_type": "Choose a scorer: choice for multiple_choice, exact for generate_until.",
    "num_fewshot": "Write the examples into the prompt, or as messages.",
}
_OF_INSPECT = {
    "solver": (
        "Write instructions as system_prompt. An agent is a program, and its model string is "
        "command:PROGRAM."
    ),
    "epochs": "Repeat cases when you run: benchmaker run SUITE --runs N.",
}
_TOOLS = "Write the tools as tools of the suite, and their names as tools of each case."
_REQUIRED_CALLS = "Require calls by checks: {type: tool_called, value: TOOL, arguments: {…}}."
_CHOICE = (
    "Models choose their calls. Send the endpoint's own field as parameters: {extra_body: {…}}, or "
    "require a call by a check: {type: tool_called, value: TOOL}."
)
_SCHEMA = "Write it as parameters of the tool."
_OF_OPENAI_TOOLS = {
    "functions": _TOOLS,
    "function": "Write its name, description and parameters as fields of the tool, without type.",
    "function_call": _CHOICE,
    "tool_choice": _CHOICE,
    "tool_calls": _REQUIRED_CALLS,
}
_OF_DEEPEVAL_TOOLS = {"expected_tools": _REQUIRED_CALLS, "tools_called": _REQUIRED_CALLS}
FOREIGN_KEYS: dict[str, ForeignKey] = {
    **{key: ForeignKey("a promptfoo key", hint) for key, hint in _OF_PROMPTFOO.items()},
    **{key: ForeignKey("an lm-eval key", hint) for key, hint in _OF_LM_EVAL.items()},
    **{key: ForeignKey("an Inspect key", hint) for key, hint in _OF_INSPECT.items()},
    **{key: ForeignKey("an OpenAI key", hint) for key, hint in _OF_OPENAI_TOOLS.items()},
    **{key: ForeignKey("a DeepEval key", hint) for key, hint in _OF_DEEPEVAL_TOOLS.items()},
    "input_schema": ForeignKey("an Anthropic key", _SCHEMA),
    "inputSchema": ForeignKey("an MCP key", _SCHEMA),
}
"""Replacements for keys of other tools that are no name of a field here."""


_OWN = "Write a function and use python, with value: file.py:function."
_JUDGED = "Use llm_judge, with your criteria as expected."
_MISSING = f"No scorer here is similar. {_OWN}"
_ANY_CASE = "with ignore_case: true."
_METERED = "Use {0} with max: the threshold of promptfoo{1}."
ASSERTIONS = {
    "assert-set": "Use set, with its checks under checks and the same threshold.",
    "equals": "Use equals; exact or numeric also find the answer within a sentence.",
    "contains": "Use contains with the same value, or boolean for whole words.",
    "icontains": f"Use contains {_ANY_CASE}",
    "contains-any": "Use contains_any with the same value.",
    "icontains-any": f"Use contains_any {_ANY_CASE}",
    "contains-all": "Use contains_all with the same value.",
    "icontains-all": f"Use contains_all {_ANY_CASE}",
    "starts-with": "Use starts_with with the same value.",
    "regex": "Use regex with pattern: the value of promptfoo.",
    "word-count": "Use word_count with min and max.",
    "is-json": "Use json, or json_schema with value: the schema.",
    "contains-json": "Use json with inside: true, or json_schema with value: the schema.",
    "is-refusal": "Use refusal.",
    "levenshtein": "Use levenshtein with max: the threshold of promptfoo, 5 by default.",
    "rouge-n": "Use rouge_1, with the same threshold.",
    "bleu": "Use bleu, with the same threshold.",
    "similar": "Use similarity with model: the embedding model, and the same value.",
    "latency": _METERED.format("latency", " in seconds, not milliseconds"),
    "cost": _METERED.format("cost", ", in USD"),
    "javascript": f"{_OWN} JavaScript is not run.",
    "python": _OWN,
    "ruby": f"{_OWN} Ruby is not run.",
    "llm-rubric": "Use rubric with the same value.",
    "model-graded-closedqa": "Use rubric with the same value.",
    "model-graded-factuality": "Use factuality, with the reference as expected.",
    "factuality": "Use factuality, with the reference as expected.",
    "g-eval": "Use g_eval with the same value.",
    "answer-relevance": "Use answer_relevance, with the same threshold.",
    "context-faithfulness": "Use faithfulness with context: the texts.",
    "context-recall": _JUDGED,
    "context-relevance": _JUDGED,
    "select-best": f"Compare the setups with compare --by. {_MISSING}",
    **dict.fromkeys(
        (
            "classifier",
            "contains-html",
            "contains-sql",
            "contains-xml",
            "finish-reason",
            "gleu",
            "guardrails",
            "is-html",
            "is-sql",
            "is-valid-function-call",
            "is-valid-openai-function-call",
            "is-valid-openai-tools-call",
            "is-xml",
            "max-score",
            "meteor",
            "moderation",
            "perplexity",
            "perplexity-score",
            "pi",
            "search-rubric",
            "tool-call-f1",
            "trajectory:tool-used",
            "webhook",
        ),
        _MISSING,
    ),
}
"""The nearest type of check for promptfoo's assertions, as in docs/how-to/from-promptfoo.md."""

_NOT = "not-"


def meant_by_assertion(name: str) -> str | None:
    """Return what to write instead of a type of promptfoo's assertions; None for other names.

    >>> meant_by_assertion("not-is-refusal")
    'Use refusal. Add not: true.'
    """
    plain = name.casefold()
    hint = ASSERTIONS.get(plain.removeprefix(_NOT))
    return f"{hint} Add not: true." if hint and plain.startswith(_NOT) else hint


class ForeignFormat(NamedTuple):
    """A kind of file that another tool reads or writes."""

    kind: str
    words: frozenset[str]
    hint: str


_REWRITE = "Write its tests as cases with id, prompt and expected. For an example: benchmaker init"
_PROMPTFOO = (
    "Write a suite: prompts and vars stay, providers become models (openai:gpt-5 is openai/gpt-5), "
    "tests become cases with an id, assert becomes checks. For an example: benchmaker init"
)
_ANSWERS = "Score its answers with: benchmaker run SUITE --recorded FILE"
_KINDS = (
    ForeignFormat("a promptfoo result", frozenset({"evalId", "results"}), _ANSWERS),
    ForeignFormat("a promptfoo configuration", frozenset({"prompts", "providers"}), _PROMPTFOO),
    ForeignFormat("a promptfoo configuration", frozenset({"providers", "tests"}), _PROMPTFOO),
    ForeignFormat("an lm-eval task", frozenset({"task", "doc_to_text"}), _REWRITE),
    ForeignFormat("an lm-eval task", frozenset({"task", "dataset_path"}), _REWRITE),
    ForeignFormat("an lm-eval result", frozenset({"results", "configs", "versions"}), _ANSWERS),
    ForeignFormat(
        "an Inspect log",
        frozenset({"status", "eval", "plan"}),
        "Import it with: benchmaker import FILE",
    ),
)


def recognise_format(data: Mapping[str, Any]) -> ForeignFormat | None:
    """The kind of file that a document is, where it is another tool's and no suite.

    >>> recognise_format({"prompts": [], "providers": []}).kind
    'a promptfoo configuration'
    """
    if "cases" in data:
        return None
    return next((one for one in _KINDS if one.words <= data.keys()), None)

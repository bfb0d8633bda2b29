"""The tokens of each model, in sentences."""

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.record.counts import count
from benchmaker.report.sentences.notes import name


def token_sentences(summary: Summary) -> list[str]:
    """Return a sentence for each model; empty if no model's tokens are known."""
    if all(_tokens(one) is None for one in summary.models):
        return []
    return [f"Tokens of {name(one.model)}: {_tokens(one) or 'unknown'}." for one in summary.models]


def _tokens(one: ModelSummary) -> str | None:
    """Input and output, with the reasoning inside it, as far as known; None if unknown."""
    if one.input_tokens is None or one.output_tokens is None:
        return None
    thought = one.reasoning_tokens
    inside = "" if thought is None else f" ({thought:,} of them reasoning)"
    is_whole = one.tokens_known_trials == one.n_trials
    known = f", in {one.tokens_known_trials:,} of {count(one.n_trials, 'trial')}"
    return f"{one.input_tokens:,} input, {one.output_tokens:,} output{inside}" + (
        "" if is_whole else known
    )

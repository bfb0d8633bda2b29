"""Usage of one side only: input tokens without output tokens, or output without input.

Half of the tokens are no total, so neither tokens nor a computed cost are scored.
"""

from collections.abc import Mapping
from typing import Final

from benchmaker.record.submissions.submission import Submission

INPUT_ONLY: Final = "input_tokens_only"
OUTPUT_ONLY: Final = "output_tokens_only"

WORDS: Final[Mapping[str, str]] = {
    INPUT_ONLY: "only input tokens are reported",
    OUTPUT_ONLY: "only output tokens are reported",
}
"""Descriptions of the flags of such a row."""


def side_of(submission: Submission) -> str | None:
    """Return the flag of the only reported side; None if both sides are reported, or neither.

    A side of 0 tokens beside calls of a model is not reported. Tokens of unknown kind may belong to
    either side.
    """
    usage, has_calls = submission.usage, submission.llm_calls != 0
    cached = (usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)
    has_input = bool(usage.input_uncached or any(cached)) or (
        usage.input_uncached is not None and not has_calls
    )
    has_output = usage.output is not None and (usage.output > 0 or not has_calls)
    if has_input == has_output or usage.other is not None:
        return None
    return INPUT_ONLY if has_input else OUTPUT_ONLY


def missing_side(submission: Submission) -> dict[str, str]:
    """Return the reason why the figure of the other side is missing, by its path."""
    side = side_of(submission)
    if side is None:
        return {}
    return {"usage.output" if side == INPUT_ONLY else "usage.input_uncached": WORDS[side]}

"""Usage of which only a part is reported: input or output alone, or some kinds without a total.

A part of the tokens is no total, so neither tokens nor a computed cost are scored.
"""

from collections.abc import Mapping
from typing import Final

from benchmaker.record.submissions.submission import Submission

INPUT_ONLY: Final = "input_tokens_only"
OUTPUT_ONLY: Final = "output_tokens_only"
KINDS_MISSING: Final = "token_kinds_missing"

WORDS: Final[Mapping[str, str]] = {
    INPUT_ONLY: "only input tokens are reported",
    OUTPUT_ONLY: "only output tokens are reported",
    KINDS_MISSING: "not every kind of tokens is reported",
}
"""Descriptions of the flags of such a row."""

_MISSING: Final = {INPUT_ONLY: "usage.output", OUTPUT_ONLY: "usage.input_uncached"}


def side_of(submission: Submission) -> str | None:
    """Return the flag of the only reported part; None if all is reported, or nothing.

    A side of 0 tokens beside calls of a model is not reported. Tokens of unknown kind may belong to
    either side.
    """
    has_input, has_output = _sides(submission)
    if has_input != has_output and not _has_unknown_kinds(submission):
        return INPUT_ONLY if has_input else OUTPUT_ONLY
    return KINDS_MISSING if _is_partial(submission) else None


def fresh_tokens_of(submission: Submission) -> int | None:
    """Return the tokens not read from a cache, those of unknown kind included; None if unknown.

    With tokens of unknown kind, both uncached input and output have to be reported. Without a total
    the cache writes have to be, too.
    """
    usage, is_partial = submission.usage, _is_partial(submission)
    fresh = usage.fresh_tokens
    if fresh is None or not (is_partial or _has_unknown_kinds(submission)):
        return fresh if side_of(submission) is None else None
    is_split = usage.input_uncached is not None and all(_sides(submission))
    if not is_split or (is_partial and None in (usage.cache_write_5m, usage.cache_write_1h)):
        return None
    return fresh + _remainder(submission)


def missing_side(submission: Submission) -> dict[str, str]:
    """Return the reason why the figure of the other side is missing, by its path."""
    side = side_of(submission)
    return {_MISSING[side]: WORDS[side]} if side in _MISSING else {}


def missing_total(submission: Submission) -> dict[str, str]:
    """Return the reason why the total is missing although kinds are reported, by its path."""
    side = side_of(submission) if _is_partial(submission) else None
    return {"total_tokens": WORDS[side]} if side else {}


def _is_partial(submission: Submission) -> bool:
    """True if kinds are reported that do not make up a total."""
    return submission.total_tokens is None and submission.usage.total is not None


def _has_unknown_kinds(submission: Submission) -> bool:
    """True if some tokens are of unknown kind, or the total exceeds the kinds."""
    return submission.usage.other is not None or _remainder(submission) > 0


def _remainder(submission: Submission) -> int:
    """Return the number of tokens in the total that are in none of the kinds."""
    total, known = submission.total_tokens, submission.usage.total
    return 0 if total is None or known is None else max(total - known, 0)


def _sides(submission: Submission) -> tuple[bool, bool]:
    """Return whether input is reported, and output."""
    usage, has_calls = submission.usage, submission.llm_calls != 0
    cached = (usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)
    has_input = bool(usage.input_uncached or any(cached)) or (
        usage.input_uncached is not None and not has_calls
    )
    has_output = usage.output is not None and (usage.output > 0 or not has_calls)
    return has_input, has_output

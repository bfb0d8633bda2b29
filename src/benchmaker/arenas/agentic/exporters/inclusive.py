"""Usages as most programs count: the input includes the cache."""

from benchmaker.record.submissions.submission import Submission, TokenUsage


def has_partial_usage(submission: Submission) -> bool:
    """True if some kinds of tokens are known and no total: the sum of the kinds is less than it."""
    usage = submission.usage
    is_whole = usage.output is not None and whole_input_of(usage) is not None
    return submission.total_tokens is None and usage.total is not None and not is_whole


def whole_input_of(usage: TokenUsage) -> int | None:
    """Return all tokens of the model's input; None if a kind of them is unknown.

    >>> whole_input_of(TokenUsage(input_uncached=10, cache_read=90)) is None
    True
    """
    kinds = (usage.input_uncached, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)
    return None if None in kinds else input_of(usage)


def kinds_of(usage: TokenUsage) -> dict[str, int]:
    """Return the known kinds by name."""
    found = {name: getattr(usage, name) for name in usage.__struct_fields__}
    return {name: n for name, n in found.items() if n is not None}


def input_of(usage: TokenUsage) -> int | None:
    """Return all tokens of the model's input, cached or not.

    >>> input_of(TokenUsage(input_uncached=10, cache_read=90, output=5))
    100
    """
    return _sum(usage.input_uncached, usage.cache_read, writes_of(usage))


def writes_of(usage: TokenUsage) -> int | None:
    """The tokens that were written into the cache, for however long."""
    return _sum(usage.cache_write_5m, usage.cache_write_1h)


def _sum(*counts: int | None) -> int | None:
    known = [n for n in counts if n is not None]
    return sum(known) if known else None

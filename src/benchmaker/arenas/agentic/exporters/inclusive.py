"""Usages as most programs count: the input includes the cache."""

from benchmaker.record.submissions.submission import TokenUsage


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

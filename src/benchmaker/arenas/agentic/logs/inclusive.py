"""Usages whose input includes the cache, as most tools count, into disjoint kinds."""

from benchmaker.record.submissions.submission import TokenUsage


def disjoint_usage(
    prompt: int | None,
    output: int | None,
    *,
    cache_read: int | None = None,
    cache_write: int | None = None,
    cache_write_1h: int | None = None,
    reasoning: int | None = None,
) -> TokenUsage:
    """Return the five kinds if ``prompt`` includes cache reads and writes.

    If cache reads exceed the prompt's tokens, the prompt cannot include them, and is used
    unchanged.

    >>> disjoint_usage(100, 5, cache_read=90).input_uncached
    10
    >>> disjoint_usage(100, 5, cache_read=900).input_uncached
    100
    """
    cached = (cache_read or 0) + (cache_write or 0) + (cache_write_1h or 0)
    fresh = prompt if prompt is None or prompt < cached else prompt - cached
    return TokenUsage(
        input_uncached=fresh,
        cache_read=cache_read,
        cache_write_5m=cache_write,
        cache_write_1h=cache_write_1h,
        output=output,
        reasoning=reasoning,
    )

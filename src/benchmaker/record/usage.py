"""The tokens of one answer, in kinds that do not overlap."""

import msgspec


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Tokens by kind; unreported ones are None, never 0.

    The five kinds are disjoint: uncached input, cache read, cache write for 5 minutes and for 1
    hour, output. ``reasoning_tokens`` lie inside output. ``flags`` name implausible values of the
    report, whose figures were dropped.
    """

    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    flags: tuple[str, ...] = ()

"""Running sums of tokens, written twice and carried over from parents, into single requests."""

from typing import Any

from benchmaker.arenas.agentic.importers.codex_cli.rows import TokenInfo, Tokens
from benchmaker.record.submissions.submission import TokenUsage


def usage_of(counted: Tokens) -> TokenUsage:
    """The tokens of one request as disjoint kinds."""
    cached = min(counted.cached_input_tokens, counted.input_tokens)
    written = min(counted.cache_write_input_tokens, counted.input_tokens - cached)
    return TokenUsage(
        input_uncached=counted.input_tokens - cached - written,
        cache_read=cached,
        cache_write_5m=written or None,
        output=counted.output_tokens,
        reasoning=_at_most(counted.reasoning_output_tokens, counted.output_tokens),
    )


class Meter:
    """Follows the running sum of one file.

    Every count is written once or twice. Requests are the differences of the sum, so that their
    total equals the last line, regardless of gaps. The first count of a file is its
    ``last_token_usage``: the rest of the running sum belongs to a parent.
    """

    def __init__(self) -> None:
        self._sum: Tokens | None = None

    def inherit(self, info: TokenInfo) -> None:
        """Add a count of the parent's to the running sum."""
        self._sum = info.total_token_usage or self._sum

    def request(self, info: TokenInfo) -> Tokens | None:
        """The request that this count adds; None where it adds none."""
        total, before = info.total_token_usage, self._sum
        if total is None:
            return _nonempty(info.last_token_usage)
        self._sum = total
        if total == before:
            return None
        if before is None:
            return _nonempty(info.last_token_usage or total)
        return _nonempty(_difference(total, before) or info.last_token_usage or total)


def _difference(total: Tokens, before: Tokens) -> Tokens | None:
    """None where the sum went down, as it does when it began again."""
    parts: dict[str, Any] = {  # counts, as the fields of one and the same struct
        name: _subtract(getattr(total, name), getattr(before, name))
        for name in total.__struct_fields__
    }
    return None if min(part or 0 for part in parts.values()) < 0 else Tokens(**parts)


def _subtract(after: int | None, before: int | None) -> int | None:
    return None if after is None else after - (before or 0)


def _at_most(part: int | None, whole: int) -> int | None:
    return None if part is None else min(part, whole)


def _nonempty(counted: Tokens | None) -> Tokens | None:
    """None where nothing but a guess of the context's size was written."""
    return counted if counted and (counted.input_tokens or counted.output_tokens) else None

"""Claude's counts as five disjoint kinds of tokens."""

from benchmaker.arenas.agentic.importers.claude.rows import CacheCreation, ModelTotal, Usage
from benchmaker.record.submissions.submission import TokenUsage


def usage_of(counted: Usage) -> TokenUsage:
    """Return the tokens of one message; the input excludes the cache."""
    five_minutes, hour = _cache_writes(counted.cache_creation_input_tokens, counted.cache_creation)
    return TokenUsage(
        input_uncached=counted.input_tokens,
        cache_read=counted.cache_read_input_tokens,
        cache_write_5m=five_minutes,
        cache_write_1h=hour,
        output=counted.output_tokens,
    )


def usage_of_model(counted: ModelTotal) -> TokenUsage:
    """The tokens of one model over a whole session."""
    return TokenUsage(
        input_uncached=counted.input_tokens,
        cache_read=counted.cache_read_input_tokens,
        cache_write_5m=counted.cache_creation_input_tokens,
        output=counted.output_tokens,
    )


def _cache_writes(total: int | None, split: CacheCreation | None) -> tuple[int | None, int | None]:
    """Cache writes for five minutes and for an hour; what isn't split is for five minutes."""
    if split is None:
        return total, None
    five_minutes, hour = split.ephemeral_5m_input_tokens, split.ephemeral_1h_input_tokens
    if total is None:
        return five_minutes, hour
    kept = min(hour or 0, total)
    return total - kept, kept

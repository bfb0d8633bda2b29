"""The tool's behaviour: separate metrics besides the scored ones."""

from collections.abc import Mapping
from typing import Final

from benchmaker.arenas.agentic.sessions.facts import Facts
from benchmaker.arenas.agentic.sessions.memory_tables import Change, Some
from benchmaker.arenas.agentic.sessions.sums import Share
from benchmaker.record.submissions.submission import COUNTED_ROWS, Behaviour, TokenUsage

_COUNTED: Final = tuple(name for name in COUNTED_ROWS if name in Behaviour.__struct_fields__)


def behaviour(
    share: Share,
    facts: Facts,
    *,
    usage: TokenUsage,
    counts: Mapping[str, int | None],
    started: float | None,
) -> Behaviour:
    """Return the metrics of a session; each is None if its log lacks the data.

    ``cache_hit_share`` is cache reads ÷ all input tokens. ``tool_error_rate`` is tool errors ÷ tool
    calls. ``repeated_calls`` counts calls with the same tool and arguments as an earlier one.
    ``lines_per_1k_output`` is lines added and removed per 1,000 output tokens; it is None if files
    were changed but no lines counted. ``first_edit_s`` is the time from the first event to the
    first change of a file.
    """
    changes = share.changes.filter(lambda change: not change.failed)
    edited_at = min((it.at for it in changes if it.at is not None), default=None)
    has_edits = bool(share.changes) or "file_changes" in facts.records
    return Behaviour(
        cache_hit_share=cache_hit_share(usage),
        tool_error_rate=error_rate(counts["tool_errors"], counts["tool_calls"]),
        repeated_calls=share.repeated_calls,
        failed_edits=len(share.changes) - len(changes) if has_edits else None,
        lines_per_1k_output=_lines_per_1k(changes, usage.output) if has_edits else None,
        first_edit_s=None if None in (edited_at, started) else round(edited_at - started, 6),  # type: ignore[operator]  # neither is None
        **{name: counts[name] for name in _COUNTED},
    )


def error_rate(errors: int | None, calls: int | None) -> float | None:
    """Errors ÷ calls; None where either is unknown, none was called, or there are more errors."""
    return None if errors is None or not calls or errors > calls else errors / calls


def _lines_per_1k(changes: Some[Change], output: int | None) -> float | None:
    lines = sum(change.lines for change in changes)
    is_counted = lines > 0 or not changes
    return 1000 * lines / output if output and is_counted else None


def cache_hit_share(usage: TokenUsage) -> float | None:
    """Cache reads as a share of all input tokens; None where reads are not reported.

    >>> cache_hit_share(TokenUsage(input_uncached=10, cache_read=30))
    0.75
    """
    kinds = (usage.input_uncached, usage.cache_read, usage.cache_write_5m, usage.cache_write_1h)
    total = sum(n or 0 for n in kinds)
    return None if usage.cache_read is None or not total else usage.cache_read / total

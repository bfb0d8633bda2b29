"""The columns of usage tables and blocks in CSV files and on pages."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TextIO

from benchmaker.analysis.usage.blocks import UsageBlock
from benchmaker.analysis.usage.session_usage import UsageRow, UsageTable
from benchmaker.report.tables.table import write_rows


@dataclass(frozen=True, slots=True)
class UsageColumn:
    """A column: its key in files, its title, and a function that returns a row's value."""

    key: str
    title: str
    value: Callable[[UsageRow], Any]
    is_number: bool = True


COLUMNS: Final = (
    UsageColumn("key", "Group", lambda row: row.key, is_number=False),
    UsageColumn("sessions", "Sessions", lambda row: row.sessions),
    UsageColumn("cost_usd", "Cost", lambda row: row.cost_usd),
    UsageColumn("sessions_unpriced", "Without a cost", lambda row: row.sessions_unpriced),
    UsageColumn(
        "sessions_without_tokens", "Without tokens", lambda row: row.sessions_without_tokens
    ),
    UsageColumn("active_s", "Active", lambda row: row.active_s),
    UsageColumn("wall_s", "Wall time", lambda row: row.wall_s),
    UsageColumn("total_tokens", "Tokens", lambda row: row.total_tokens),
    UsageColumn("input_uncached", "Input", lambda row: row.usage.input_uncached),
    UsageColumn("cache_read", "Cache read", lambda row: row.usage.cache_read),
    UsageColumn("cache_write_5m", "Cache write, 5 min", lambda row: row.usage.cache_write_5m),
    UsageColumn("cache_write_1h", "Cache write, 1 h", lambda row: row.usage.cache_write_1h),
    UsageColumn("output", "Output", lambda row: row.usage.output),
    UsageColumn("first_at", "First answer", lambda row: row.first_at, is_number=False),
    UsageColumn("last_at", "Last answer", lambda row: row.last_at, is_number=False),
)

_BLOCK: Final = ("tool", "start", "end", "is_active")
_RATES: Final = ("tokens_per_minute", "usd_per_hour", "projected_tokens", "projected_usd")


def write_usage_csv(made: UsageTable, stream: TextIO, *, breakdown: bool = False) -> None:
    """Write a row for each group and the total; with ``breakdown`` one for each model in each."""
    heads = [column.key for column in COLUMNS]
    write_rows(stream, [heads[0], "model", *heads[1:]], _rows(made, breakdown=breakdown))


def _rows(made: UsageTable, *, breakdown: bool) -> Iterator[Mapping[str, Any]]:
    for row in (*made.rows, made.total):
        yield _cells(row) | {"model": None}
        for model in row.models if breakdown else ():
            yield _cells(model) | {"key": row.key, "model": model.key}


def write_blocks_csv(blocks: Iterable[UsageBlock], stream: TextIO) -> None:
    """Write a row for each block, with its burn rate and its projection."""
    sums = [column.key for column in COLUMNS if column.key != "key"]
    write_rows(stream, [*_BLOCK, *sums, *_RATES], map(_block_cells, blocks))


def _block_cells(block: UsageBlock) -> dict[str, Any]:
    rate, projection = block.burn_rate, block.projection
    return {
        **{name: getattr(block, name) for name in _BLOCK},
        **_cells(block.totals),
        "tokens_per_minute": rate.tokens_per_minute if rate else None,
        "usd_per_hour": rate.usd_per_hour if rate else None,
        "projected_tokens": projection.total_tokens if projection else None,
        "projected_usd": projection.cost_usd if projection else None,
    }


def _cells(row: UsageRow) -> dict[str, Any]:
    return {column.key: column.value(row) for column in COLUMNS}

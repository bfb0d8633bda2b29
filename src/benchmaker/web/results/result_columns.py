"""The results of a series or a run as columns of files; scores from 0 to 1, costs in dollars.

A JSON file has an object for each series or run, with its setups; a CSV file a row for each setup.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from benchmaker.report.runs.leader import Leader, SetupFigure
from benchmaker.web.listing import Column
from benchmaker.web.results.latest_results import LatestResult


@dataclass(frozen=True, slots=True)
class SetupResult:
    """A setup in a file: its figure with the 95% CI over ``n`` cases, and its cost.

    ``value`` is None without scores, ``low`` and ``high`` without an interval. ``ended_early`` says
    that it was dropped or stopped, and after how many cases, and ``left_out`` the same if the
    others are compared without it; else empty. ``cost_usd`` is None if no cost is known, and a
    lower bound if a part is; ``cost_reason`` says why.
    """

    setup: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    cost_usd: float | None
    cost_is_lower_bound: bool
    cost_reason: str
    left_out: str
    ended_early: str

    @classmethod
    def of(cls, one: SetupFigure) -> "SetupResult":
        """The figures of a setup."""
        low, high = one.ends or (None, None)
        usd, reason = one.cost_usd, one.cost_reason
        is_lower_bound = usd is not None and bool(reason)
        found = one.model, one.value, low, high, one.n, usd, is_lower_bound, reason
        return cls(*found, one.left_out, one.ended_early)


def _leader(row: LatestResult) -> Leader:
    return row.leader or Leader()


def _tied_setups(row: LatestResult) -> int | None:
    return row.leader.tied if row.leader else None


def _verdict(row: LatestResult) -> str | None:
    return (row.verdict or None) if row.leader else None


def _result_state(row: LatestResult) -> str:
    """``computing`` while a result is computed for the first time, or again after a change."""
    return "computing" if row.is_pending else "computed"


def _setups(row: LatestResult) -> list[SetupResult] | None:
    return [SetupResult.of(one) for one in row.leader.setups] if row.leader else None


def _total_usd(row: LatestResult) -> float | None:
    return row.cost.usd if row.cost else None


def _total_is_lower_bound(row: LatestResult) -> bool:
    return row.cost is not None and row.cost.is_lower_bound


def _total_reason(row: LatestResult) -> str:
    return row.cost.reason if row.cost else "not computed yet"


FIGURE_COLUMNS: Sequence[Column[LatestResult]] = (
    Column("setups", "Setups", _setups, is_sortable=False),
    Column("best", "Best", lambda row: _leader(row).model or None, is_sortable=False),
    Column("tied", "Tied", _tied_setups, is_number=True, is_sortable=False),
    Column("metric", "Metric", lambda row: _leader(row).noun or None, is_sortable=False),
    Column("verdict", "Verdict", _verdict, is_sortable=False),
    Column("total_cost_usd", "Cost", _total_usd, is_number=True, is_sortable=False),
    Column("total_cost_is_lower_bound", "Known in part", _total_is_lower_bound, is_sortable=False),
    Column("total_cost_reason", "Reason", _total_reason, is_sortable=False),
)
"""The setups, the best one first, and the verdict. ``best`` is empty without scores.

The total cost includes judges and embeddings. It is None if no cost is known, and a lower bound if
a part is; the reason says why.
"""

RESULT_STATE: Column[LatestResult] = Column("result", "Result", _result_state, is_sortable=False)
"""The state of the figures of a row: of all stored trials, or not computed yet."""


class SetupRow(NamedTuple):
    """A row of a CSV file: a setup of a series or run; None without any."""

    result: LatestResult
    setup: SetupResult | None


def setup_rows(row: LatestResult) -> Iterator[SetupRow]:
    """The rows of a series or run, one for each setup, the best one first; at least one."""
    setups = _setups(row)
    if not setups:
        yield SetupRow(row, None)
    for setup in setups or ():
        yield SetupRow(row, setup)


def setup_row_columns(columns: Sequence[Column[LatestResult]]) -> tuple[Column[SetupRow], ...]:
    """These columns for rows of setups, with the columns of a setup in place of the list."""
    return tuple(
        made
        for one in columns
        for made in (_SETUP_COLUMNS if one.key == "setups" else (_of_result(one),))
    )


def _of_result(column: Column[LatestResult]) -> Column[SetupRow]:
    return Column(column.key, column.title, lambda row: column.value(row.result))


def _of_setup(key: str) -> Column[SetupRow]:
    def value(row: SetupRow) -> Any:  # noqa: ANN401  any plain value
        return None if row.setup is None else getattr(row.setup, key)

    return Column(key, key, value)


_SETUP_COLUMNS = tuple(_of_setup(one.name) for one in fields(SetupResult))

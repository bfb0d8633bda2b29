"""The results of a series or a run as columns of files; scores from 0 to 1."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmaker.report.runs.leader import Leader, SetupFigure
from benchmaker.web.listing import Column
from benchmaker.web.results.latest_results import LatestResult


@dataclass(frozen=True, slots=True)
class SetupResult:
    """A setup in a file: its figure with the 95% CI over ``n`` cases, and its cost.

    ``value`` is None without scores, ``low`` and ``high`` without an interval; ``left_out`` is the
    reason why the others are compared without it, else empty.
    """

    setup: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    cost: str
    left_out: str

    @classmethod
    def of(cls, one: SetupFigure) -> "SetupResult":
        """The figures of a setup."""
        low, high = one.ends or (None, None)
        return cls(one.model, one.value, low, high, one.n, one.cost, one.left_out)


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


def _setup_lines(row: LatestResult) -> str:
    """The setups as text, for a cell: a line for each, as the page shows them."""
    return "\n".join(map(_setup_line, _leader(row).setups))


def _setup_line(one: SetupFigure) -> str:
    figures = " ".join(filter(None, (one.figure, one.interval)))
    words = (f"{one.model}: {figures}", f"n {one.n}", f"cost {one.cost}", one.left_out)
    return ", ".join(filter(None, words))


FIGURE_COLUMNS: Sequence[Column[LatestResult]] = (
    Column("setups", "Setups", _setups, is_sortable=False, text=_setup_lines),
    Column("best", "Best", lambda row: _leader(row).model or None, is_sortable=False),
    Column("tied", "Tied", _tied_setups, is_number=True, is_sortable=False),
    Column("metric", "Metric", lambda row: _leader(row).noun or None, is_sortable=False),
    Column("verdict", "Verdict", _verdict, is_sortable=False),
    Column("cost", "Cost", lambda row: row.cost or None, is_sortable=False),
)
"""The setups, the best one first, and the verdict. ``best`` is empty without scores."""

RESULT_STATE: Column[LatestResult] = Column("result", "Result", _result_state, is_sortable=False)
"""The state of the figures of a row: of all stored trials, or not computed yet."""

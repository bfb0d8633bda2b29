"""The tables of baselines: of tasks, over time, by figure; and of a system's usual figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any, Final, TypeAlias

from benchmaker.analysis.composite.snapshots import FigureSpread
from benchmaker.analysis.composite.system_baselines import SystemBaseline
from benchmaker.record.counts import count
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import board_figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import Surface, TableColumn, TableDeclaration

Snapshots: TypeAlias = Sequence[BaselineSnapshot]
SnapshotColumn: TypeAlias = TableColumn[Snapshots, BaselineSnapshot]

_SHORTER: Final = tuple(figure for figure in FIGURES if figure != "iterations")
"""The figures of narrower tables."""

_HASH, _ITERATIONS = 1, 2
"""What gives way first on a narrow terminal."""


def _figure_text(figure: Figure, value: float | None) -> str:
    return board_figure_text(SCORED_FIGURES[figure].board_value or figure, value)


def _is_robust(snapshot: BaselineSnapshot) -> bool:
    return snapshot.body.get("family") == "robust"


def _median_of(snapshot: BaselineSnapshot, figure: Figure) -> str:
    of = snapshot.body["figures"].get(figure) or {}
    spread = of.get("spread") if _is_robust(snapshot) else of
    return _figure_text(figure, (spread or {}).get("median"))


def _snapshot_median(figure: Figure) -> SnapshotColumn:
    return TableColumn(
        title=SCORED_FIGURES[figure].label,
        unit="median",
        text=lambda one, _: _median_of(one, figure),
        gives_way=_ITERATIONS if figure == "iterations" else 0,
    )


_TASK: Final[SnapshotColumn] = TableColumn(
    name="task",
    value=lambda one, _: one.task_id,
    title="Task",
    text=lambda one, _: name(one.task_id),
    is_right=False,
)
_NUMBER: Final[SnapshotColumn] = TableColumn(
    name="number",
    value=lambda one, _: one.number,
    title="Number",
    text=lambda one, _: f"{one.number}",
)
_HASH_COLUMN: Final[SnapshotColumn] = TableColumn(
    name="hash",
    value=lambda one, _: one.hash,
    title="Hash",
    text=lambda one, _: one.hash[:12],
    is_right=False,
    gives_way=_HASH,
)
_MADE: Final[SnapshotColumn] = TableColumn(
    name="created_at",
    value=lambda one, _: one.created_at,
    title="Made",
    text=lambda one, _: one.created_at[:16].replace("T", " "),
    is_right=False,
)
_N: Final[SnapshotColumn] = TableColumn(
    name="n", value=lambda one, _: one.n, title="n", text=lambda one, _: f"{one.n:,}"
)

BASELINES: TableDeclaration[Snapshots, BaselineSnapshot] = TableDeclaration(
    "baselines",
    (_TASK, _NUMBER, _N, *map(_snapshot_median, FIGURES), _HASH_COLUMN),
    rows=lambda newest: newest,
)
"""The newest baseline of every task: its number, its size, its medians."""

EARLIER_BASELINES: TableDeclaration[Snapshots, BaselineSnapshot] = TableDeclaration(
    "snapshots",
    (_NUMBER, _MADE, _N, *map(_snapshot_median, _SHORTER), _HASH_COLUMN),
    rows=lambda snapshots: list(reversed(snapshots)),
    caption="Over time, newest first",
)
"""The baselines of a task over time."""


@dataclass(frozen=True, slots=True)
class BaselineFigure:
    """A figure of a baseline as plain data."""

    snapshot: BaselineSnapshot
    figure: Figure
    body: Mapping[str, Any]

    @property
    def spread(self) -> Mapping[str, Any]:
        """Its quantiles; empty where nothing is known."""
        return self.body.get("spread", self.body) or {}


FigureColumn: TypeAlias = TableColumn[Snapshots, BaselineFigure]


def _rows_of_figures(snapshots: Snapshots) -> list[BaselineFigure]:
    return [
        BaselineFigure(one, figure, one.body["figures"][figure])
        for one in snapshots
        for figure in FIGURES
        if figure in one.body["figures"]
    ]


def _has_scale(snapshots: Snapshots, surface: Surface) -> bool:  # noqa: ARG001  as TableColumn calls it
    """A robust baseline has the ends of its scale."""
    return all(map(_is_robust, snapshots))


def _has_quartiles(snapshots: Snapshots, surface: Surface) -> bool:
    return not _has_scale(snapshots, surface)


def _prior_text(prior: Mapping[str, Any] | None) -> str:
    if prior is None:
        return "none"
    return count(prior["tasks"], "task") if prior["tasks"] else "default"


def _of_snapshot(column: SnapshotColumn) -> FigureColumn:
    """A column of the snapshot, for files."""
    value = column.value
    return TableColumn(
        name=column.name, value=None if value is None else lambda row, it: value(row.snapshot, it)
    )


def _quantile(key: str, title: str, *, shown_after: str = "") -> FigureColumn:
    return TableColumn(
        name=key,
        value=lambda row, _: row.spread.get(key),
        title=title,
        text=lambda row, _: _figure_text(row.figure, row.spread.get(key)),
        shown_after=shown_after,
        is_shown=_has_quartiles if key.startswith("q") else lambda *_: True,
    )


def _scale_end(key: str, title: str) -> FigureColumn:
    """An end of the scale: its logarithm in files, the figure for people."""
    return TableColumn(
        name=key,
        value=lambda row, _: row.body.get(key),
        title=title,
        text=lambda row, _: _figure_text(row.figure, exp(row.body[key])),
        is_shown=_has_scale,
    )


BASELINE_FIGURES: TableDeclaration[Snapshots, BaselineFigure] = TableDeclaration(
    "figures",
    (
        *map(_of_snapshot, (_TASK, _NUMBER, _HASH_COLUMN, _MADE, _N)),
        TableColumn(
            name="figure",
            value=lambda row, _: row.figure,
            title="Figure",
            text=lambda row, _: SCORED_FIGURES[row.figure].label,
            is_right=False,
        ),
        TableColumn(
            name="figure_n",
            value=lambda row, _: row.body["n"],
            title="n",
            text=lambda row, _: f"{row.body['n']:,}",
        ),
        _quantile("minimum", "Min"),
        _quantile("q25", "q25", shown_after="maximum"),
        _quantile("median", "Median"),
        _quantile("q75", "q75", shown_after="q25"),
        _quantile("maximum", "Max"),
        _scale_end("ln_q10", "100 at"),
        _scale_end("ln_q90", "0 at"),
        TableColumn(
            name="weight",
            value=lambda row, _: row.body.get("weight"),
            title="Own\nweight",
            text=lambda row, _: f"{row.body['weight']:.2f}",
            is_shown=_has_scale,
        ),
        TableColumn(
            name="prior",
            value=lambda row, _: _prior_text(prior) if (prior := row.body.get("prior")) else None,
            title="Prior",
            text=lambda row, _: _prior_text(row.body.get("prior")),
            is_right=False,
            is_shown=_has_scale,
        ),
    ),
    rows=_rows_of_figures,
    caption=lambda snapshots: "; ".join(
        f"Number {one.number}, n = {one.n:,}, {one.hash[:12]}" for one in snapshots
    ),
)
"""Each figure of baselines: its quantiles, and the scale and the prior of robust ones."""

Usual: TypeAlias = Sequence[SystemBaseline]
UsualColumn: TypeAlias = TableColumn[Usual, SystemBaseline]


def _success_interval(one: SystemBaseline) -> str:
    if one.success is None or one.success.low is None or one.success.high is None:
        return missing_figures.NO_INTERVAL
    return numbers.interval((one.success.low, one.success.high))


def _usual_median(figure: Figure) -> UsualColumn:
    def text(one: SystemBaseline, _: Usual) -> str:
        return _figure_text(figure, one.figures[figure].median if figure in one.figures else None)

    return TableColumn(
        title=SCORED_FIGURES[figure].label,
        unit="median",
        text=text,
        gives_way=_ITERATIONS if figure == "iterations" else 0,
    )


_USUAL: Final[tuple[UsualColumn, ...]] = (
    TableColumn(
        name="task",
        value=lambda one, _: one.task_id,
        title="Task",
        text=lambda one, _: name(one.task_id),
        is_right=False,
    ),
    TableColumn(name="system", value=lambda one, _: one.system),
    TableColumn(name="n", value=lambda one, _: one.n, title="n", text=lambda one, _: f"{one.n:,}"),
    TableColumn(
        name="success",
        value=lambda one, _: one.success.share if one.success else None,
        title="Success",
        text=lambda one, _: (
            numbers.score(one.success.share) if one.success else missing_figures.NOT_KNOWN
        ),
    ),
    TableColumn(
        name="interval",
        keys=("success_low", "success_high"),
        value=lambda one, _: (one.success.low, one.success.high) if one.success else None,
        title="95% CI",
        text=lambda one, _: _success_interval(one),
        beside="success",
    ),
)
"""The columns of a system at a task."""

SYSTEM_BASELINES: TableDeclaration[Usual, SystemBaseline] = TableDeclaration(
    "usual", (*_USUAL, *map(_usual_median, FIGURES)), rows=lambda usual: usual
)
"""A system's usual figures at each task."""


@dataclass(frozen=True, slots=True)
class SystemFigure:
    """A usual figure of a system at a task."""

    baseline: SystemBaseline
    figure: Figure
    spread: FigureSpread


def _spread(column: str, key: str) -> TableColumn[Usual, SystemFigure]:
    return TableColumn(name=column, value=lambda row, _: getattr(row.spread, key))


SYSTEM_FIGURES: TableDeclaration[Usual, SystemFigure] = TableDeclaration(
    "system",
    (
        *(column.within(lambda usual: usual, lambda row: row.baseline) for column in _USUAL),
        TableColumn(name="figure", value=lambda row, _: row.figure),
        _spread("figure_n", "n"),
        *(_spread(key, key) for key in ("minimum", "q25", "median", "q75", "maximum")),
    ),
    rows=lambda usual: [
        SystemFigure(one, figure, spread) for one in usual for figure, spread in one.figures.items()
    ],
)
"""Each usual figure of a system, for files."""


@dataclass(frozen=True, slots=True)
class RecentView:
    """A system's usual figures, and its newest submissions to each task."""

    usual: Usual
    newest: Mapping[str, Sequence[Metrics]]


@dataclass(frozen=True, slots=True)
class RecentRow:
    """A submission beside the system's usual figures at its task; 1 is as usual."""

    task_id: str
    submission_id: str
    ratios: Mapping[Figure, float]


def _recent_rows(view: RecentView) -> Iterator[RecentRow]:
    for one in view.usual:
        for row in view.newest.get(one.task_id, ()):
            yield RecentRow(one.task_id, row.submission_id, one.ratios(row))


def _ratio(figure: Figure) -> TableColumn[RecentView, RecentRow]:
    def text(row: RecentRow, _: RecentView) -> str:
        known = figure in row.ratios
        return f"{row.ratios[figure]:.2f} ×" if known else missing_figures.NOT_KNOWN

    return TableColumn(title=SCORED_FIGURES[figure].label, text=text)


RECENT: TableDeclaration[RecentView, RecentRow] = TableDeclaration(
    "recent",
    (
        TableColumn(title="Task", text=lambda row, _: name(row.task_id), is_right=False),
        TableColumn(
            title="Submission", text=lambda row, _: name(row.submission_id), is_right=False
        ),
        *map(_ratio, _SHORTER),
    ),
    rows=lambda view: list(_recent_rows(view)),
    caption="Newest submissions relative to typical figures (1 × = typical)",
)
"""The newest submissions of a system relative to its usual figures."""

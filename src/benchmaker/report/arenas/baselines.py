"""Baselines: a task's snapshots, and a system's usual figures; text, Markdown, CSV and HTML."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import Any, Final, TextIO

from benchmaker.analysis.composite.system_baselines import SystemBaseline
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.board_words import board_figure_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.table import Column, Table, write_rows

CSV_COLUMNS: Final = (
    "task", "number", "hash", "created_at", "n", "figure", "figure_n", "minimum", "q25", "median",
    "q75", "maximum", "ln_q10", "ln_q90", "weight", "prior",
)  # fmt: skip
SYSTEM_COLUMNS: Final = (
    "task", "system", "n", "success", "success_low", "success_high", "figure", "figure_n",
    "minimum", "q25", "median", "q75", "maximum",
)  # fmt: skip

_LATEST: Final = 5


def baselines_report(profile: str, newest: Sequence[BaselineSnapshot]) -> ReportDocument:
    """The newest baseline of every task: its number, its size, its middle figures."""
    columns = (
        Column("Task", is_right=False),
        Column("Number"),
        Column("n"),
        *(
            Column(f"{SCORED_FIGURES[figure].label}\nmedian", gives_way=figure == "iterations")
            for figure in FIGURES
        ),
        Column("Hash", is_right=False, gives_way=True),
    )
    rows = tuple(
        (
            name(one.task_id),
            f"{one.number}",
            f"{one.n:,}",
            *(_median(one.body, figure) for figure in FIGURES),
            one.hash[:12],
        )
        for one in newest
    )
    return ReportDocument(
        title="Baselines",
        facts=(profile, numbers.count(len(newest), "task")),
        sections=(Section(Table(columns, rows)),),
        legend=_legend(profile),
    )


def task_baseline_report(
    profile: str, task_id: str, snapshots: Sequence[BaselineSnapshot]
) -> ReportDocument:
    """One task: the newest baseline in full, and the earlier ones."""
    return ReportDocument(
        title=f"Baselines of {name(task_id)}",
        facts=(profile, numbers.count(len(snapshots), "snapshot")),
        sections=tuple(_sections(snapshots)),
        legend=_legend(profile),
    )


def system_baseline_report(
    system: str, usual: Sequence[SystemBaseline], recent: Mapping[str, Sequence[Metrics]]
) -> ReportDocument:
    """Return a system's usual figures at each task, compared with its latest submissions."""
    columns = (
        Column("Task", is_right=False),
        Column("n"),
        Column("Success"),
        Column("95% CI"),
        *(
            Column(f"{SCORED_FIGURES[figure].label}\nmedian", gives_way=figure == "iterations")
            for figure in FIGURES
        ),
    )
    rows = tuple(
        (
            name(one.task_id),
            f"{one.n:,}",
            numbers.score(one.success.share) if one.success else missing_figures.NOT_KNOWN,
            _share_interval(one),
            *(
                _figure(figure, one.figures[figure].median if figure in one.figures else None)
                for figure in FIGURES
            ),
        )
        for one in usual
    )
    beside = _recent_section(usual, recent)
    return ReportDocument(
        title=f"Typical figures of {name(system)}",
        facts=(numbers.count(len(usual), "task"),),
        verdict=() if usual else ("No task has 5 eligible submissions of this system.",),
        sections=tuple(one for one in (Section(Table(columns, rows)), beside) if one.table.rows),
        legend=("Needs 5 eligible submissions at a task. Used for drift, never in a composite.",),
    )


def write_baselines_csv(snapshots: Iterable[BaselineSnapshot], stream: TextIO) -> None:
    """A row for each figure of every snapshot."""
    write_rows(stream, CSV_COLUMNS, (row for one in snapshots for row in _csv_rows(one)))


def write_system_csv(usual: Iterable[SystemBaseline], stream: TextIO) -> None:
    """A row for each figure of a system at every task."""
    write_rows(stream, SYSTEM_COLUMNS, (row for one in usual for row in _system_rows(one)))


def _sections(snapshots: Sequence[BaselineSnapshot]) -> Iterator[Section]:
    if not snapshots:
        return
    newest = snapshots[-1]
    yield _snapshot_section(newest)
    if len(snapshots) > 1:
        columns = (
            Column("Number"),
            Column("Made", is_right=False),
            Column("n"),
            *(
                Column(f"{SCORED_FIGURES[figure].label}\nmedian")
                for figure in FIGURES
                if figure != "iterations"
            ),
            Column("Hash", is_right=False, gives_way=True),
        )
        rows = tuple(
            (
                f"{one.number}",
                one.created_at[:16].replace("T", " "),
                f"{one.n:,}",
                *(_median(one.body, figure) for figure in FIGURES if figure != "iterations"),
                one.hash[:12],
            )
            for one in reversed(snapshots)
        )
        yield Section(Table(columns, rows, caption="Over time, newest first"))


def _snapshot_section(one: BaselineSnapshot) -> Section:
    is_robust = one.body.get("family") == "robust"
    ends = (
        Column("100 at"),
        Column("0 at"),
        Column("Own\nweight"),
        Column("Prior", is_right=False),
    )
    columns = (
        Column("Figure", is_right=False),
        Column("n"),
        Column("Min"),
        Column("Median"),
        Column("Max"),
        *(ends if is_robust else (Column("q25"), Column("q75"))),
    )
    rows = tuple(
        _figure_row(figure, one.body["figures"][figure], is_robust=is_robust)
        for figure in FIGURES
        if figure in one.body["figures"]
    )
    caption = f"Number {one.number}, n = {one.n:,}, {one.hash[:12]}"
    return Section(Table(columns, rows, caption=caption))


def _figure_row(figure: Figure, of: Mapping[str, Any], *, is_robust: bool) -> tuple[str, ...]:
    spread = (of.get("spread") if is_robust else of) or {}
    head = (
        SCORED_FIGURES[figure].label,
        f"{of['n']:,}",
        *(_figure(figure, spread.get(key)) for key in ("minimum", "median", "maximum")),
    )
    if not is_robust:
        return (*head, *(_figure(figure, spread.get(key)) for key in ("q25", "q75")))
    return (
        *head,
        _figure(figure, exp(of["ln_q10"])),
        _figure(figure, exp(of["ln_q90"])),
        f"{of['weight']:.2f}",
        _prior_text(of.get("prior")),
    )


def _prior_text(prior: Mapping[str, Any] | None) -> str:
    if prior is None:
        return "none"
    return numbers.count(prior["tasks"], "task") if prior["tasks"] else "default"


def _median(body: Mapping[str, Any], figure: Figure) -> str:
    of = body["figures"].get(figure) or {}
    spread = of.get("spread") if body.get("family") == "robust" else of
    return _figure(figure, (spread or {}).get("median"))


def _figure(figure: Figure, value: float | None) -> str:
    return board_figure_text(SCORED_FIGURES[figure].board_value or figure, value)


def _recent_section(
    usual: Sequence[SystemBaseline], recent: Mapping[str, Sequence[Metrics]]
) -> Section:
    columns = (
        Column("Task", is_right=False),
        Column("Submission", is_right=False),
        *(Column(SCORED_FIGURES[figure].label) for figure in FIGURES if figure != "iterations"),
    )
    rows = []
    for one in usual:
        for row in list(recent.get(one.task_id, ()))[-_LATEST:]:
            ratios = one.ratios(row)
            cells = (
                f"{ratios[figure]:.2f} ×" if figure in ratios else missing_figures.NOT_KNOWN
                for figure in FIGURES
                if figure != "iterations"
            )
            rows.append((name(one.task_id), name(row.submission_id), *cells))
    caption = "Newest submissions relative to typical figures (1 × = typical)"
    return Section(Table(columns, tuple(rows), caption=caption))


def _share_interval(one: SystemBaseline) -> str:
    if one.success is None or one.success.low is None or one.success.high is None:
        return missing_figures.NO_INTERVAL
    return numbers.interval((one.success.low, one.success.high))


def _legend(profile: str) -> tuple[str, ...]:
    if profile.startswith("classic"):
        return (
            (
                "With fewer than 5 eligible submissions, the default baseline is used (n = 0). "
                "Every evidence level counts, as published."
            ),
        )
    return (
        (
            "Based on successful submissions that are verified or attested. The score scale is "
            "logarithmic, from 100 at the 10% quantile to 0 at the 90% quantile. With fewer than "
            "20 submissions, a prior contributes."
        ),
    )


def _csv_rows(one: BaselineSnapshot) -> Iterator[dict[str, Any]]:
    for figure, of in one.body["figures"].items():
        spread = (of.get("spread") if "spread" in of else of) or {}
        prior = of.get("prior")
        yield {
            "task": one.task_id,
            "number": one.number,
            "hash": one.hash,
            "created_at": one.created_at,
            "n": one.n,
            "figure": figure,
            "figure_n": of["n"],
            **{key: spread.get(key) for key in ("minimum", "q25", "median", "q75", "maximum")},
            **{key: of.get(key) for key in ("ln_q10", "ln_q90", "weight")},
            "prior": _prior_text(prior) if prior else None,
        }


def _system_rows(one: SystemBaseline) -> Iterator[dict[str, Any]]:
    for figure, spread in one.figures.items():
        yield {
            "task": one.task_id,
            "system": one.system,
            "n": one.n,
            "success": one.success.share if one.success else None,
            "success_low": one.success.low if one.success else None,
            "success_high": one.success.high if one.success else None,
            "figure": figure,
            "figure_n": spread.n,
            "minimum": spread.minimum,
            "q25": spread.q25,
            "median": spread.median,
            "q75": spread.q75,
            "maximum": spread.maximum,
        }

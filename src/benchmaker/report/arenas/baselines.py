"""Baselines: a task's snapshots, and a system's usual figures; text, Markdown, CSV and HTML."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TextIO

from benchmaker.analysis.composite.system_baselines import SystemBaseline
from benchmaker.record.counts import count
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.report.arenas.sections import ReportDocument, Section
from benchmaker.report.result_tables.baselines import (
    BASELINE_FIGURES,
    BASELINES,
    EARLIER_BASELINES,
    RECENT,
    SYSTEM_BASELINES,
    SYSTEM_FIGURES,
    RecentView,
)
from benchmaker.report.sentences.notes import name

_LATEST: Final = 5


def baselines_report(profile: str, newest: Sequence[BaselineSnapshot]) -> ReportDocument:
    """The newest baseline of every task: its number, its size, its middle figures."""
    return ReportDocument(
        title="Baselines",
        facts=(profile, count(len(newest), "task")),
        sections=(Section(BASELINES.table(newest)),),
        legend=_legend(profile),
    )


def task_baseline_report(
    profile: str, task_id: str, snapshots: Sequence[BaselineSnapshot], *, submissions: int = 0
) -> ReportDocument:
    """One task: the newest baseline in full, and the earlier ones, or why there is none.

    ``submissions`` is the number of stored submissions to the task, evaluated or not.
    """
    return ReportDocument(
        title=f"Baselines of {name(task_id)}",
        facts=(profile, count(len(snapshots), "snapshot")),
        verdict=() if snapshots else (_no_baseline_reason(profile, submissions),),
        sections=tuple(_sections(snapshots)),
        legend=_legend(profile),
    )


def _no_baseline_reason(profile: str, submissions: int) -> str:
    if not submissions:
        return "No baseline yet: the task has no submissions."
    verb = "is" if submissions == 1 else "are"
    counted = count(submissions, "submission")
    return (
        f"No baseline yet: {counted} to this task {verb} not evaluated under {profile}. "
        f"Evaluate with: benchmaker evaluate --profile {profile}"
    )


def system_baseline_report(
    system: str, usual: Sequence[SystemBaseline], recent: Mapping[str, Sequence[Metrics]]
) -> ReportDocument:
    """Return a system's usual figures at each task, compared with its latest submissions."""
    latest = {task: list(rows)[-_LATEST:] for task, rows in recent.items()}
    tables = SYSTEM_BASELINES.table(usual), RECENT.table(RecentView(usual, latest))
    return ReportDocument(
        title=f"Typical figures of {name(system)}",
        facts=(count(len(usual), "task"),),
        verdict=() if usual else ("No task has 5 eligible submissions of this system.",),
        sections=tuple(Section(table) for table in tables if table.rows),
        legend=("Needs 5 eligible submissions at a task. Used for drift, never in a composite.",),
    )


def write_baselines_csv(snapshots: Sequence[BaselineSnapshot], stream: TextIO) -> None:
    """A row for each figure of every snapshot."""
    BASELINE_FIGURES.write_csv(snapshots, stream)


def write_system_csv(usual: Sequence[SystemBaseline], stream: TextIO) -> None:
    """A row for each figure of a system at every task."""
    SYSTEM_FIGURES.write_csv(usual, stream)


def _sections(snapshots: Sequence[BaselineSnapshot]) -> Iterator[Section]:
    if snapshots:
        yield Section(BASELINE_FIGURES.table(snapshots[-1:]))
    if len(snapshots) > 1:
        yield Section(EARLIER_BASELINES.table(snapshots))


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

"""A run or a series in each of the formats that it is exported in."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from benchmaker import __version__
from benchmaker.errors import AnalysisError
from benchmaker.redact import Redactor

if TYPE_CHECKING:
    from benchmaker.analysis import Comparison, Ranking
    from benchmaker.analysis.gate import Gate
    from benchmaker.arenas.standard import RunResult
    from benchmaker.record import Judgment, Score, Trial
    from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class Subject:
    """What is exported: the results, the store they are read from, and what knows the keys.

    ``gate`` is what the runs are held to, instead of what they were held to when they were made.
    """

    result: "RunResult"
    store: "Store"
    redactor: Redactor
    gate: "Gate | None" = None

    def trials(self) -> "Iterator[Trial]":
        """Every trial, run by run."""
        for run_id in self.result.run_ids:
            yield from self.store.trials(run_id)

    def judgments(self) -> "Iterator[Judgment]":
        """What judges were asked and replied, run by run."""
        for run_id in self.result.run_ids:
            yield from self.store.each_judgment(run_id)

    def versions(self, trial: "Trial") -> "list[Score]":
        """Every version of a trial's score."""
        return self.store.score_versions(trial.run_id, trial.model, trial.case_id)


def _csv(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.csv import write_csv  # noqa: PLC0415  each format loads its own

    write_csv(subject.trials(), stream, redactor=subject.redactor)


def _json(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.json import write_json  # noqa: PLC0415

    runs, store = subject.result.runs, subject.store
    series_id = runs[0].series_id
    write_json(
        stream,
        suite=store.suite(runs[0].suite_hash),
        runs=runs,
        trials=subject.trials(),
        judgments=subject.judgments(),
        series=store.series(series_id) if series_id else None,
        versions=subject.versions,
        package_version=__version__,
        redactor=subject.redactor,
    )


def _jsonl(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.jsonl import write_jsonl  # noqa: PLC0415

    write_jsonl(subject.trials(), stream, redactor=subject.redactor)


def _markdown(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.markdown import write_markdown  # noqa: PLC0415

    write_markdown(
        subject.result.summary, stream, trials=subject.trials(), redactor=subject.redactor
    )


def _html(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.html import write_html  # noqa: PLC0415

    standing = standing_of(subject)
    write_html(
        subject.result.summary,
        stream,
        trials=subject.trials(),
        suite=subject.store.suite(subject.result.runs[0].suite_hash),
        comparison=standing.comparison,
        ranking=standing.ranking,
        redactor=subject.redactor,
    )


def _junit(subject: Subject, stream: TextIO) -> None:
    from benchmaker.analysis.gate import gate_of  # noqa: PLC0415
    from benchmaker.report.junit import write_junit  # noqa: PLC0415

    result, runs = subject.result, subject.result.runs
    gate = subject.gate or gate_of(runs[0])
    decisions = gate.decisions(result.summary, result.columns) if gate else ()
    write_junit(
        subject.trials(),
        stream,
        name=runs[0].suite_name,
        decisions=decisions,
        numbers={run.id: run.number for run in runs},
        redactor=subject.redactor,
    )


@dataclass(frozen=True, slots=True)
class Standing:
    """How the models stand to each other, as far as their scores can carry it."""

    comparison: "Comparison | None" = None
    ranking: "Ranking | None" = None


def standing_of(subject: Subject) -> Standing:
    """The comparison and the ranking of the models; without them where there is one alone."""
    from benchmaker.analysis import compare, rank  # noqa: PLC0415  loads numpy

    runs = subject.result.runs
    columns = subject.store.columns(subject.result.run_ids)
    made = Standing()
    with suppress(AnalysisError):
        made = Standing(compare(columns, runs))
        made = Standing(made.comparison, rank(columns, runs))
    return made


WRITERS: dict[str, Callable[[Subject, TextIO], None]] = {
    "csv": _csv,
    "json": _json,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "html": _html,
    "junit": _junit,
}
"""The formats by name."""

"""A run or a series in each of the formats that it is exported in."""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from benchmaker.errors import AnalysisError, SpecError
from benchmaker.redact import Redactor
from benchmaker.report.formats.atomic import open_atomic
from benchmaker.version import __version__

if TYPE_CHECKING:
    from benchmaker.analysis import Comparison, Ranking, Summary
    from benchmaker.analysis.summary.gate import Gate
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

    @property
    def run_numbers(self) -> dict[str, int]:
        """The number of each run in its series, by the run's id."""
        return {run.id: run.number for run in self.result.runs}

    def judgments(self) -> "Iterator[Judgment]":
        """What judges were asked and replied, run by run."""
        for run_id in self.result.run_ids:
            yield from self.store.each_judgment(run_id)

    def versions(self, trial: "Trial") -> "list[Score]":
        """Every version of a trial's score."""
        return self.store.score_versions(trial.run_id, trial.model, trial.case_id)


def _csv(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.tables.csv import write_csv  # noqa: PLC0415  each format loads its own

    write_csv(subject.trials(), stream, numbers=subject.run_numbers, redactor=subject.redactor)


def _json(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.formats.json import write_json  # noqa: PLC0415

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
    from benchmaker.report.tables.jsonl import write_jsonl  # noqa: PLC0415

    write_jsonl(subject.trials(), stream, numbers=subject.run_numbers, redactor=subject.redactor)


def _markdown(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.runs.markdown import write_markdown  # noqa: PLC0415

    write_markdown(
        subject.result.summary, stream, trials=subject.trials(), redactor=subject.redactor
    )


def _html(subject: Subject, stream: TextIO) -> None:
    from benchmaker.report.runs.html import write_html  # noqa: PLC0415

    standing = compare_and_rank(subject)
    write_html(
        subject.result.summary,
        stream,
        trials=subject.trials(),
        suite=subject.store.suite(subject.result.runs[0].suite_hash),
        comparison=standing.comparison,
        ranking=standing.ranking,
        categories=_categories(subject),
        redactor=subject.redactor,
    )


def _categories(subject: Subject) -> "Mapping[str, Summary]":
    """The summary of each category; nothing where no case has one."""
    from benchmaker.analysis import summarise_by  # noqa: PLC0415  loads numpy

    cases = subject.store.suite(subject.result.runs[0].suite_hash)
    if all(case.category is None for case in cases):
        return {}
    return summarise_by(subject.result, cases, "category")


def _junit(subject: Subject, stream: TextIO) -> None:
    from benchmaker.analysis.summary.gate import gate_of  # noqa: PLC0415
    from benchmaker.report.formats.junit import write_junit  # noqa: PLC0415

    result, runs = subject.result, subject.result.runs
    gate = subject.gate or gate_of(runs[0])
    decisions = gate.decisions(result.summary, result.columns) if gate else ()
    write_junit(
        subject.trials(),
        stream,
        name=runs[0].suite_name,
        decisions=decisions,
        numbers=subject.run_numbers,
        redactor=subject.redactor,
    )


@dataclass(frozen=True, slots=True)
class ComparedModels:
    """How the models stand to each other, as far as their scores can carry it."""

    comparison: "Comparison | None" = None
    ranking: "Ranking | None" = None


def compare_and_rank(subject: Subject) -> ComparedModels:
    """The comparison and the ranking of the models; without them where there is one alone."""
    from benchmaker.analysis import compare, rank  # noqa: PLC0415  loads numpy
    from benchmaker.analysis.comparison.contradictions import (  # noqa: PLC0415
        compared_with_labels,
    )
    from benchmaker.analysis.ratings.label_contradictions import (  # noqa: PLC0415
        ranked_with_labels,
    )

    runs = subject.result.runs
    columns = subject.store.columns(subject.result.run_ids)
    labels = subject.store.labels(subject.result.run_ids)
    made = ComparedModels()
    with suppress(AnalysisError):
        compared = compare(columns, runs)
        made = ComparedModels(compared_with_labels(compared, columns, labels))
        ranked = ranked_with_labels(rank(columns, runs), columns, labels)
        made = ComparedModels(made.comparison, ranked)
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

_FORM_OF = {
    ".csv": "csv",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".xml": "junit",
}
"""The format that a file's name says."""


def export(
    run: "RunResult | str",
    path: str | Path,
    *,
    form: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> Path:
    """Write a run or a series as a file, which is there whole or not at all; return its path.

    What looks like a key is taken out.

    Args:
        run: the result of a run, or the id of a stored one, the beginning of an id, or ``latest``.
        path: the file.
        form: csv, json, jsonl, markdown, html or junit; by default what the file's name says.
        home: the data folder of a run that is named; a result knows its own.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        SpecError: there is no such run or format, or the file can't be written.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Suite, run
    >>> sums = Suite("sums", [{"id": "a", "prompt": "40 + 2?", "expected": 42}], scorer="exact")
    >>> with TemporaryDirectory() as home:
    ...     result = run(sums, provider=lambda request: "42", models=["m"], home=home)
    ...     len(export(result, f"{home}/trials.csv").read_text().splitlines())
    2
    """
    from benchmaker.arenas.standard import results  # noqa: PLC0415  loads the store

    path = Path(path)
    write = _writer(path, form)
    result = results(run, home=home, store=store) if isinstance(run, str) else run
    with open_atomic(path) as raw, result.place.open_store() as opened:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        write(Subject(result, opened, Redactor()), text)
        text.flush()
        text.detach()
    return path


def _writer(path: Path, form: str | None) -> Callable[[Subject, TextIO], None]:
    named = form or _FORM_OF.get(path.suffix.lower(), "")
    if named not in WRITERS:
        found = f"there is no format {form!r}" if form else "the name says no format"
        known = ", ".join(WRITERS)
        raise SpecError(f"{found}.", where=str(path), hint=f"Give form, one of {known}.")
    return WRITERS[named]

"""The full export: everything of a run or series in one file.

The file is one JSON object, with a line for each case, run and trial: it is written and read with
constant memory. Its sections are ``runs``, ``cases``, ``trials`` (each with all versions of its
score, and another tool's scores and fields as ``imported``) and ``judgments`` (questions to judges,
and replies). ``evaluations`` has the statements of other tools on whole runs.
:mod:`benchmaker.report.formats.read_export` reads it back.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, TextIO

import msgspec

from benchmaker.plugins import report_format
from benchmaker.record import ImportedHeader, ImportedRecord, Judgment, Run, Score, Series, Trial
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.tables.trial_rows import as_line
from benchmaker.spec import Case, Suite
from benchmaker.version import __version__

FORMAT: Final = 2
"""The version of the file format; since 2 it includes judges' requests and replies."""


@report_format
class Json:
    """JSON, everything."""

    suffixes: ClassVar = (".json",)
    media_type: ClassVar = "application/json"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write the format that ``benchmaker import`` reads."""
        runs, store = subject.result.runs, subject.store
        series_id = runs[0].series_id
        write_json(
            stream,
            suite=subject.suite,
            runs=runs,
            trials=subject.trials(),
            judgments=subject.judgments(),
            series=store.series(series_id) if series_id else None,
            versions=subject.versions,
            records=subject.record,
            evaluations=subject.headers,
            package_version=__version__,
            redactor=subject.redactor,
        )


def write_json(
    stream: TextIO,
    *,
    suite: Suite,
    runs: Sequence[Run],
    trials: Iterable[Trial],
    judgments: Iterable[Judgment] = (),
    series: Series | None = None,
    versions: Callable[[Trial], Sequence[Score]] | None = None,
    records: Callable[[Trial], ImportedRecord | None] = lambda _: None,
    evaluations: Mapping[str, ImportedHeader] = MappingProxyType({}),
    package_version: str = "",
    redactor: Redactor | None = None,
) -> None:
    """Write everything that ``read_export`` reads back, one trial per line.

    Args:
        stream: text, written as UTF-8.
        suite: the suite with its cases.
        runs: the runs, in order.
        trials: the trials of all runs, in any order.
        judgments: the judgments of these runs, in any order.
        series: the series of the runs.
        versions: returns every version of a trial's score, oldest first; None for the latest only.
        records: returns another tool's record of an imported trial.
        evaluations: the statements of other tools on imported runs, by the run's id.
        package_version: version of the writing Benchmaker.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    hide = _RedactionCounter(redactor or Redactor())
    head = {
        "benchmaker_export": FORMAT,
        "scale": "0-1",
        "package_version": package_version,
        "suite": suite.header(),
        "series": series,
        **({"evaluations": dict(evaluations)} if evaluations else {}),
    }
    stream.write(f"{hide.line(head)[:-1]},\n")
    _write_section(stream, "runs", map(hide.line, runs))
    _write_section(stream, "cases", (hide.line(_case(case)) for case in suite))
    newest = versions or (lambda trial: [trial.score] if trial.score else [])
    lines = (hide.line(_trial(trial, newest(trial), records(trial))) for trial in trials)
    _write_section(stream, "trials", lines)
    _write_section(stream, "judgments", map(hide.line, judgments))
    stream.write(f'"redacted": {hide.changed}}}\n')


class _RedactionCounter:
    """Makes lines and counts those from which a secret was taken."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self.changed = 0

    def line(self, value: Any) -> str:  # noqa: ANN401  any record or plain data
        plain = msgspec.to_builtins(value)
        clean = self._redactor.tree(plain)
        self.changed += clean != plain
        return as_line(clean)


def _write_section(stream: TextIO, section: str, lines: Iterable[str]) -> None:
    stream.write(f'"{section}": [')
    before = "\n"
    for line in lines:
        stream.write(f"{before}{line}")
        before = ",\n"
    stream.write("\n],\n")


def _case(case: Case) -> dict[str, Any]:
    return case.model_dump(mode="json", exclude_defaults=True)


def _trial(trial: Trial, scores: Sequence[Score], record: ImportedRecord | None) -> dict[str, Any]:
    bare = msgspec.structs.replace(trial, score=None, score_version=0)
    imported = {} if record is None else {"imported": record}
    return {"trial": bare, "scores": list(enumerate(scores, start=1)), **imported}

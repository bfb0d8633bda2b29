"""One JSON object a trial, one a line."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TextIO

from benchmaker.plugins import report_format
from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.report.tables.trial_rows import as_line, trial_row


@report_format
class Jsonl:
    """JSON Lines, one row per trial."""

    suffixes: ClassVar = (".jsonl",)
    media_type: ClassVar = "application/x-ndjson"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write a line for each trial."""
        _write(subject.rows(), stream, subject.redactor)


def write_jsonl(
    trials: Iterable[Trial],
    stream: TextIO,
    *,
    numbers: Mapping[str, int] = MappingProxyType({}),
    redactor: Redactor | None = None,
) -> None:
    """Write one row per trial, in the given order.

    A row has run_id, run, model, case_id, group, output, outcome, score, flags, and their
    explanation. Scores are 0 to 1; missing values are null. Secrets are removed.

    Args:
        trials: the rows.
        stream: text, written as UTF-8.
        numbers: the number of each run in its series, by the run's id, for the key ``run``.
        redactor: removes further secrets.
    """
    rows = (trial_row(trial, numbers.get(trial.run_id)) for trial in trials)
    _write(rows, stream, redactor or Redactor())


def _write(rows: Iterable[dict[str, Any]], stream: TextIO, hide: Redactor) -> None:
    stream.writelines(f"{as_line(hide.tree(it))}\n" for it in rows)

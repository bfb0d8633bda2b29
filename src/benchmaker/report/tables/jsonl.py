"""One JSON object a trial, one a line."""

from collections.abc import Iterable
from typing import TextIO

from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report.tables.trial_rows import as_line, row


def write_jsonl(
    trials: Iterable[Trial], stream: TextIO, *, redactor: Redactor | None = None
) -> None:
    """Writes a row for each trial, as it comes.

    A row has run_id, model, case_id, output, outcome, score, flags, and what explains them.
    Scores are 0 to 1; what is missing is null. Secrets are taken out.
    """
    hide = redactor or Redactor()
    stream.writelines(f"{as_line(hide.tree(row(trial)))}\n" for trial in trials)

"""Tables for spreadsheets: RFC 4180, with formulas escaped."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TextIO

from benchmaker.record import Trial
from benchmaker.redact import Redactor
from benchmaker.report.tables.trial_rows import (
    CHECK_NAMES,
    ROW_NAMES,
    TOOL_SCORE_NAMES,
    TRANSCRIPT_NAMES,
    as_line,
    trial_row,
)
from benchmaker.spec.documents.formula_cells import protect_cell

_NAMES = tuple(name for name in ROW_NAMES if name != "extraction")
_BEFORE = _NAMES.index("expected")
COLUMNS = (
    *_NAMES[:_BEFORE],
    "extraction_rule",
    "extracted",
    *_NAMES[_BEFORE:],
    *CHECK_NAMES,
    *TRANSCRIPT_NAMES,
)
"""The names of a trial's row, with columns for the extraction, the checks and the transcript."""

_BROKEN = re.compile("[\0\ud800-\udfff]")


def write_csv(
    trials: Iterable[Trial],
    stream: TextIO,
    *,
    numbers: Mapping[str, int] = MappingProxyType({}),
    redactor: Redactor | None = None,
) -> None:
    """Write one row per trial, in the given order.

    Scores are 0 to 1; missing values are empty cells. Secrets are removed, formulas escaped by
    :func:`protect_cell`.

    Args:
        trials: the rows.
        stream: opened with ``newline=""`` and as UTF-8.
        numbers: the number of each run in its series, by the run's id, for the column ``run``.
        redactor: removes further secrets.
    """
    rows = (trial_row(trial, numbers.get(trial.run_id)) for trial in trials)
    write_rows(rows, stream, redactor=redactor or Redactor())


def write_rows(
    rows: Iterable[dict[str, Any]],
    stream: TextIO,
    *,
    redactor: Redactor,
    has_tool_scores: bool = False,
) -> None:
    """Write rows of trials, as :func:`write_csv` does.

    ``has_tool_scores`` adds the columns of imported runs; ``scores`` is JSON text.
    """
    columns = (*COLUMNS, *TOOL_SCORE_NAMES) if has_tool_scores else COLUMNS
    _write(stream, columns, map(_cells, rows), redactor)


def text_cell(text: str, hide: Callable[[str], str]) -> str:
    """A text of anybody's: without secrets, without what files can't hold, and no formula."""
    return protect_cell(_BROKEN.sub("�", hide(text)))


def _write(
    stream: TextIO, columns: Sequence[str], rows: Iterable[dict[str, Any]], hide: Redactor
) -> None:
    table = csv.writer(stream)
    table.writerow(columns)
    for cells in rows:
        table.writerow([_cell(cells[column], hide) for column in columns])


def _cell(value: Any, hide: Redactor) -> str:  # noqa: ANN401  any scalar
    if value is None:
        return ""
    if isinstance(value, float | int):
        return repr(value)
    return text_cell(str(value), hide.text)


def _cells(fields: dict[str, Any]) -> dict[str, Any]:
    taken, checks = fields["extraction"] or {}, fields.get("checks")
    messages, passed, scores = (fields.get(it) for it in ("transcript", "passed", "scores"))
    return (
        dict.fromkeys((*TRANSCRIPT_NAMES, *TOOL_SCORE_NAMES))
        | fields
        | {
            "tags": " ".join(fields["tags"]),
            "flags": " ".join(fields["flags"]),
            "vars": as_line(fields["vars"]) if fields["vars"] else None,
            "extraction_rule": taken.get("rule"),
            "extracted": taken.get("text"),
            "passed": None if passed is None else as_line(passed),
            "checks": as_line(checks) if checks else None,
            "transcript": None if messages is None else as_line(messages),
            "scores": None if scores is None else as_line(scores),
        }
    )

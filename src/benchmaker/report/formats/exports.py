"""A run or a series as a file, in each of the report formats."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from benchmaker.errors import SpecError
from benchmaker.redact import Redactor
from benchmaker.report.formats.atomic import open_atomic
from benchmaker.report.formats.report_format import (
    ReportFormat,
    ReportSubject,
    format_of_suffix,
    listed_formats,
    load_format,
)

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult


def export(
    run: "RunResult | str",
    path: str | Path,
    *,
    form: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
) -> Path:
    """Write a run or a series as a file, atomically; return its path.

    Texts that look like keys are removed.

    Args:
        run: the result of a run, or the id of a stored one, the beginning of an id, or ``latest``.
        path: the file.
        form: the id of a report format, as ``benchmaker plugins`` lists them, or the dotted path of
            a class; by default by the file's suffix.
        home: the data folder of a stored run; a result has its own.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        SpecError: unknown run or format, or the file is not writable.

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
    report_format = load_format(form) if form else _format_by_name(path)
    result = results(run, home=home, store=store) if isinstance(run, str) else run
    with open_atomic(path) as raw, result.place.open_store() as opened:
        text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        report_format.write(ReportSubject(result, opened, Redactor()), text)
        text.flush()
        text.detach()
    return path


def _format_by_name(path: Path) -> ReportFormat:
    found = format_of_suffix(path.suffix)
    if found is None:
        known = ", ".join(one.id for one in listed_formats())
        hint = f"Set form to one of {known}."
        raise SpecError("no report format for this file name.", where=str(path), hint=hint)
    return found

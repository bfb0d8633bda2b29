"""Writing a run, a series or submissions in each of the formats."""

import io
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from benchmaker.cli.context import Context
from benchmaker.cli.database import open_store
from benchmaker.cli.output.key_redaction import redactor_of
from benchmaker.report.formats.atomic import open_atomic
from benchmaker.report.formats.report_format import ReportSubject, load_format

if TYPE_CHECKING:
    from benchmaker.analysis.summary.gate import Gate
    from benchmaker.arenas.standard import RunResult


def write_export(
    context: Context, result: "RunResult", form: str, path: Path, *, gate: "Gate | None" = None
) -> None:
    """Write the results into a file: whole, or not at all."""
    with open_atomic(path) as raw:
        _write(context, result, form, raw, gate=gate)


def exported_to(
    context: Context,
    result: "RunResult",
    form: str,
    stream: TextIO | None,
    *,
    gate: "Gate | None" = None,
) -> None:
    """Write the results to a stream that is open; UTF-8, whatever its own encoding is."""
    if stream is not None:
        stream.flush()
        _write(context, result, form, stream.buffer, gate=gate)


def submissions_exported(
    context: Context, names: Sequence[str], form: str, path: Path | None
) -> list[str]:
    """Write submissions into a file, whole or not at all, or to stdout; returns their ids."""
    from benchmaker.arenas.agentic.exporters.writing import write_submissions

    with open_store(context) as store:
        ids = list(dict.fromkeys(store.find_submission(name) for name in names))
        redactor = redactor_of(context)
        if path is not None:
            with open_atomic(path) as stream:
                write_submissions(store, ids, form, stream, redactor=redactor)
        elif sys.stdout is not None:
            sys.stdout.flush()
            write_submissions(store, ids, form, sys.stdout.buffer, redactor=redactor)
    return ids


def _write(
    context: Context, result: "RunResult", form: str, raw: BinaryIO, *, gate: "Gate | None"
) -> None:
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    try:
        with open_store(context) as store:
            subject = ReportSubject(result, store, redactor_of(context), gate)
            load_format(form).write(subject, text)
        text.flush()
    finally:
        _detach(text)


def _detach(text: io.TextIOWrapper) -> None:
    """Leave the bytes below open; write errors were already reported."""
    with suppress(OSError):
        text.detach()

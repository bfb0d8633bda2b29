"""Runs and series as files in the report formats."""

from collections.abc import Iterator
from io import TextIOWrapper
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

from fastapi import Response
from fastapi.responses import StreamingResponse

from benchmaker.arenas.standard.result import RunResult
from benchmaker.report.formats.report_format import (
    ReportSubject,
    listed_formats,
    load_format,
    suffix_of,
)
from benchmaker.store.home import Home
from benchmaker.web.faults import Missing
from benchmaker.web.results.run_cache import OverviewCache
from benchmaker.web.results.subject import Subject
from benchmaker.web.workbench import Workbench

_SPOOLED = 4_000_000
_CHUNK = 64_000


def export_response(
    bench: Workbench, overviews: OverviewCache, subject: Subject, form: str
) -> Response:
    """A file of that form; it is written before the first byte goes out, so that it is whole."""
    known = [one.id for one in listed_formats()]
    if form not in known:
        hint = f"Use one of: {', '.join(known)}."
        raise Missing("Unknown export format.", hint=hint)
    made = overviews.of_runs(bench.store, subject.run_ids)
    place = Home(bench.home, bench.settings.store_url)
    result = RunResult(subject.run_ids, subject.run.series_id, made.summary, place)
    report_format = load_format(form)
    stream = cast("BinaryIO", SpooledTemporaryFile(_SPOOLED))  # noqa: SIM115  closed once sent
    text = TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="")
    try:
        report_format.write(ReportSubject(result, bench.store, bench.redactor), text)
    except BaseException:
        text.close()
        raise
    text.detach()
    stream.seek(0)
    name = f"{subject.id}{suffix_of(report_format, result)}"
    return StreamingResponse(
        _chunks(stream),
        media_type=_content_type(report_format.media_type),
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


def _content_type(media_type: str) -> str:
    """The media type of a file, with the encoding of text."""
    is_binary = media_type.startswith("application/vnd.")
    return media_type if is_binary else f"{media_type}; charset=utf-8"


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while chunk := stream.read(_CHUNK):
            yield chunk

"""A run's generated pages as files: a report without scripts, and the pages themselves."""

import io
from functools import partial
from typing import ClassVar

from fastapi import APIRouter, Response

from benchmaker.arenas.code.generated_pages import gather_pages, screenshots
from benchmaker.plugins import web_page
from benchmaker.report.formats.code_report import write_code_report
from benchmaker.report.formats.code_zip import write_pages_zip
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.workbench import Bench

router = APIRouter(include_in_schema=False)


@web_page(id="files")
class FilesPage:
    """Generated pages as files."""

    routes: ClassVar = router


@router.get("/code/{run}/report.html")
def report(bench: Bench, run: str) -> Response:
    """Every page as pictures, scores and text, in one file."""
    subject = CodeRun.of(bench.store, run)
    stream = io.StringIO()
    write_code_report(
        subject.run,
        gather_pages(bench.store, subject.run),
        stream,
        pictures=partial(screenshots, bench.store),
        redactor=bench.redactor,
    )
    return _file(stream.getvalue().encode("utf-8", "replace"), subject, "html", "text/html")


@router.get("/code/{run}/pages.zip")
def pages_zip(bench: Bench, run: str) -> Response:
    """Every answer and its page, as files."""
    subject = CodeRun.of(bench.store, run)
    stream = io.BytesIO()
    write_pages_zip(gather_pages(bench.store, subject.run), stream)
    return _file(stream.getvalue(), subject, "zip", "application/zip")


def _file(body: bytes, subject: CodeRun, suffix: str, kind: str) -> Response:
    name = f"benchmaker-{subject.run.id}.{suffix}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(body, media_type=kind, headers=headers)

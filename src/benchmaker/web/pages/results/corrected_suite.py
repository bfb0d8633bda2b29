"""Rescoring with a corrected suite: choose or edit it, preview the changes, start."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.standard.correction_preview import CorrectionPreview, preview_correction
from benchmaker.arenas.standard.job_handlers import ask_to_correct
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.plugins import web_page
from benchmaker.record.dollars import dollar_range
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store.home import Home
from benchmaker.web.form_body import UPLOAD_BYTES, Fields, Posted, Upload, Uploaded
from benchmaker.web.pages.results.rescoring import Wanted
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results.rescorings import wait_briefly
from benchmaker.web.results.subject import (
    Subject,
    result_crumb,
    run_subject,
    series_subject,
)
from benchmaker.web.suites import uploads
from benchmaker.web.suites.export import as_yaml
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="corrected_suite")
class CorrectedSuitePage:
    """A form to score answers by a corrected suite."""

    routes: ClassVar = router


_SHOWN_BYTES = 200_000
"""A larger suite does not stand in the field to be edited."""


@router.get("/runs/{run}/corrected-suite")
def of_run(request: Request, run: str, bench: Bench) -> Response:
    """Show the choice of a corrected suite for a run, and its changes."""
    return _page(request, bench, run_subject(bench.store, run))


@router.get("/series/{series}/corrected-suite")
def of_series(request: Request, series: str, bench: Bench) -> Response:
    """The same for every run of a series."""
    return _page(request, bench, series_subject(bench.store, series))


@router.post("/runs/{run}/corrected-suite/file")
def file_of_run(request: Request, run: str, bench: Bench, upload: Uploaded) -> Response:
    """Store the uploaded corrected suite, and show its changes."""
    return _use_upload(request, bench, run_subject(bench.store, run), upload)


@router.post("/series/{series}/corrected-suite/file")
def file_of_series(request: Request, series: str, bench: Bench, upload: Uploaded) -> Response:
    """Store the uploaded corrected suite, and show its changes."""
    return _use_upload(request, bench, series_subject(bench.store, series), upload)


@router.post("/runs/{run}/corrected-suite/text")
def text_of_run(request: Request, run: str, bench: Bench, fields: Posted) -> Response:
    """Store the entered corrected suite, and show its changes."""
    return _use_text(request, bench, run_subject(bench.store, run), fields)


@router.post("/series/{series}/corrected-suite/text")
def text_of_series(request: Request, series: str, bench: Bench, fields: Posted) -> Response:
    """Store the entered corrected suite, and show its changes."""
    return _use_text(request, bench, series_subject(bench.store, series), fields)


@router.post("/runs/{run}/corrected-suite")
def begin_run(run: str, bench: Bench, fields: Posted) -> Response:
    """Score the answers of a run by a stored suite."""
    return _begin(bench, run_subject(bench.store, run), fields)


@router.post("/series/{series}/corrected-suite")
def begin_series(series: str, bench: Bench, fields: Posted) -> Response:
    """Score the answers of a series by a stored suite."""
    return _begin(bench, series_subject(bench.store, series), fields)


def _page(
    request: Request,
    bench: Workbench,
    subject: Subject,
    *,
    refused: SpecError | PrerequisiteError | None = None,
    file: str = "",
    text: str | None = None,
) -> Response:
    view = read_view(request, filters={"suite": None})
    found, fault = _preview_changes(bench, subject, view)
    return page(
        request,
        "results/corrected_suite",
        title="Rescore with a corrected suite",
        here="Results",
        crumbs=(
            Crumb("Results", "/runs"),
            result_crumb(bench, subject.run, subject.base),
            Crumb("Suite"),
        ),
        status=uploads.refusal_status(refused) if refused else 200,
        view=view,
        subject=subject,
        chosen=view.filters["suite"] or "",
        versions=[
            one
            for one in bench.store.suites.versions(subject.run.suite_name)
            if one.suite.hash != subject.run.suite_hash
        ],
        found=_words(found) if found else None,
        fault=fault,
        refused=refused,
        file=file,
        text=_text(bench, subject, view) if text is None else text,
        kinds=uploads.KINDS,
        choosable=uploads.CHOOSABLE,
        most=UPLOAD_BYTES,
    )


def _preview_changes(
    bench: Workbench, subject: Subject, view: View
) -> tuple[CorrectionPreview | None, BenchmakerError | None]:
    """Return the chosen suite's changes, or its fault; neither if none is chosen."""
    chosen = view.filters["suite"]
    if not chosen:
        return None, None
    place = Home.of(bench.home, bench.settings.store_url)
    try:
        return preview_correction(bench.store, place, subject.run_ids, chosen), None
    except BenchmakerError as exc:
        return None, exc


def _words(found: CorrectionPreview) -> dict[str, Any]:
    """Return the changes in sentences, and each judge's estimated cost."""
    correction = found.correction
    return {
        "lines": [
            correction.answered_sentence,
            *(f"{capitalise(sentence)}." for sentence in correction.sentences()),
        ],
        "asks_judges": found.asks_judges,
        "to_judge": found.to_judge,
        "judges": [
            (
                f"embeddings {one.model}" if one.embeds else one.model,
                one.requests,
                dollar_range(one.cost_usd.low, one.cost_usd.high) if one.cost_usd else "unknown",
            )
            for one in found.judges
        ],
    }


def _text(bench: Workbench, subject: Subject, view: View) -> str:
    """Return the suite to edit: the chosen one, else the run's; empty for a large one."""
    try:
        text = as_yaml(bench.store.suite(view.filters["suite"] or subject.run.suite_hash))
    except BenchmakerError:
        return ""
    return text if len(text) <= _SHOWN_BYTES else ""


def _use_text(request: Request, bench: Workbench, subject: Subject, fields: Posted) -> Response:
    text = fields["text"]
    ending = "json" if text.lstrip().startswith("{") else "yaml"
    upload = Upload(Fields(), f"suite.{ending}", text.encode())
    return _use_upload(request, bench, subject, upload, text=text)


def _use_upload(
    request: Request,
    bench: Workbench,
    subject: Subject,
    upload: Upload,
    *,
    text: str | None = None,
) -> Response:
    try:
        content = uploads.take(bench.store, upload)
    except (SpecError, PrerequisiteError) as exc:
        return _page(request, bench, subject, refused=exc, file=upload.name, text=text)
    return RedirectResponse(f"{subject.base}/corrected-suite?suite={content}", 303)


def _begin(bench: Workbench, subject: Subject, fields: Posted) -> Response:
    place = Home.of(bench.home, bench.settings.store_url)
    preview_correction(
        bench.store, place, subject.run_ids, fields["suite"]
    )  # refuses what can't be done
    job = ask_to_correct(
        bench.store,
        subject.id,
        suite=fields["suite"],
        asks_judges=not fields["no_judge"],
        max_cost_usd=Wanted(max_cost=fields["max_cost"]).max_cost_usd,
    )
    if bench.settings.works:
        wait_briefly(bench.store, job)
    return RedirectResponse(subject.base, 303)

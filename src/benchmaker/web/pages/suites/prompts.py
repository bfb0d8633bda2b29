"""The prompts of a suite, edited beside their results."""

from typing import ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.plugins import web_page
from benchmaker.spec import Suite
from benchmaker.web.form_body import PostedLists
from benchmaker.web.pages.suites.suite import (
    Content,
    Named,
    crumb,
    has_hash,
    suite_of,
    to_newest,
)
from benchmaker.web.pages.suites.suite_list import HOME
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results.run_cache import Known, OverviewCache
from benchmaker.web.suites.conflicts import EditConflict, newest_of, save
from benchmaker.web.suites.prompt_results import prompt_results
from benchmaker.web.suites.prompts_form import PromptsForm, moved_to, prompt_texts, read_prompts
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="suite_prompts")
class SuitePromptsPage:
    """The prompts of a suite with their results."""

    routes: ClassVar = router


@router.get("/suites/{content}/prompts")
def prompts_page(request: Request, bench: Bench, known: Known, content: Named) -> Response:
    """Show each prompt as a field beside its results."""
    if not has_hash(content):
        return to_newest(bench, content, "/prompts")
    suite = suite_of(bench, content)
    return _page(request, bench, known, suite, PromptsForm(prompt_texts(suite)))


@router.post("/suites/{content}/prompts")
def save_prompts(
    request: Request, bench: Bench, known: Known, content: Content, posted: PostedLists
) -> Response:
    """Store the suite with the entered prompts, or show their faults; then run one if asked to."""
    suite = suite_of(bench, content)
    form, saved = read_prompts(posted, suite), content
    if form.suite is None:
        return _page(request, bench, known, suite, form, status=422)
    if form.is_changed:
        kept = save(bench.store, suite, posted.first("newest"), form.suite, is_checked=True)
        if isinstance(kept, EditConflict):
            form = moved_to(form, suite, kept.newest)
            return _page(request, bench, known, kept.newest, form, status=409, newer=kept)
        saved = kept
    if prompt := posted.first("run"):
        return RedirectResponse(f"/arena?{urlencode({'suite': saved, 'prompts': prompt})}", 303)
    return RedirectResponse(f"/suites/{saved}?{urlencode({'from': content})}", 303)


def _page(
    request: Request,
    bench: Workbench,
    known: OverviewCache,
    suite: Suite,
    form: PromptsForm,
    *,
    status: int = 200,
    newer: EditConflict | None = None,
) -> Response:
    return page(
        request,
        "suites/prompts",
        title=f"Prompts of {suite.name}",
        here="Suites",
        crumbs=(HOME, crumb(suite), Crumb("Prompts")),
        status=status,
        suite=suite,
        overtaken=newer,
        prompts_form=form,
        results=prompt_results(bench, known, suite),
        newest_version=newest_of(bench.store, suite),
    )

"""A page improved in a second turn, and the comparison with the first."""

from typing import ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from benchmaker.arenas.code.prompt_suite import suite_of_stored_page
from benchmaker.plugins import web_page
from benchmaker.record import TrialKey
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.spec import Case
from benchmaker.web.code.code_diff import compare_files
from benchmaker.web.code.comparison_view import pane_of, policy_headers, user_agent_of
from benchmaker.web.code.improvements import earlier_page
from benchmaker.web.code.links import run_address
from benchmaker.web.code.prompt_form import start_run
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.code.thumbnails import WIDTHS
from benchmaker.web.faults import Missing
from benchmaker.web.form_body import Posted
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench

router = APIRouter(include_in_schema=False)


@web_page(id="improve")
class ImprovePage:
    """A generated page before and after its improvement."""

    routes: ClassVar = router


@router.post("/code/{run}/{number:int}/{n:int}/improve")
def improve(bench: Bench, run: str, number: int, n: int, fields: Posted) -> Response:
    """Start a run in which the model improves its page, and show it."""
    subject, case, model = _page_of(CodeRun.of(bench.store, run), number, n)
    page_key = TrialKey(subject.run.id, model, case.id)
    suite = suite_of_stored_page(bench.store, page_key, fields["request"])
    made, _ = start_run(bench, suite, models=[subject.run.setup(model).model])
    return RedirectResponse(run_address(made.id), 303)


@router.get("/code/{run}/{number:int}/{n:int}/before")
def before_and_after(request: Request, bench: Bench, run: str, number: int, n: int) -> Response:
    """Show the earlier page beside the improved one, with the changes to code and scores."""
    subject, case, model = _page_of(CodeRun.of(bench.store, run), number, n)
    earlier = earlier_page(bench.store, case)
    if earlier is None or (case.id, model) not in subject.prepared_pages:
        raise Missing("there is no earlier page to compare.", where=f"{subject.run.id}, {case.id}")
    sides = ((earlier.subject, earlier.case.id, earlier.model), (subject, case.id, model))
    panes = [
        pane_of(bench, *side, letter=letter, is_named=True, user_agent=user_agent_of(request))
        for side, letter in zip(sides, "AB", strict=True)
    ]
    answer = page(
        request,
        "code/before",
        title="Before and after",
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb("Before")),
        case=case,
        panes=panes,
        reports=[one.prepared_pages[case_id, who].report for one, case_id, who in sides],
        compared=compare_files(panes[0].files, panes[1].files),
        criteria=criterion_lines([one.score(case_id, who) for one, case_id, who in sides]),
        widths=WIDTHS,
    )
    answer.headers.update(policy_headers(bench))
    return answer


def _page_of(subject: CodeRun, number: int, n: int) -> tuple[CodeRun, Case, str]:
    case = subject.prompt(number)
    if not 1 <= n <= len(subject.run.models):
        raise Missing(f"there is no model {n} in this run.", where=subject.run.id)
    return subject, case, subject.run.models[n - 1]

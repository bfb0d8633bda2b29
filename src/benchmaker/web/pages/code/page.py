"""One model's page for one prompt: preview, code, screenshots, report, score; and exports."""

from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from msgspec import to_builtins

from benchmaker.arenas.code.totals import has_no_page
from benchmaker.plugins import web_page
from benchmaker.record import Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.report.sentences.code_words import state_of
from benchmaker.web.code.comparison_view import pane_of, policy_headers, user_agent_of
from benchmaker.web.code.improvements import earlier_address
from benchmaker.web.code.links import gallery_address, run_address
from benchmaker.web.code.plain_data import score_lines
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.code.thumbnails import WIDTHS
from benchmaker.web.faults import Missing
from benchmaker.web.pages.code.code_runs import HOME
from benchmaker.web.pages.code.live_pages import is_over
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench

router = APIRouter(include_in_schema=False)


@web_page(id="page")
class PagePage:
    """A generated page with its code and score."""

    routes: ClassVar = router


_IMAGES = ("image/png", "image/jpeg", "image/webp")
_FOR_GOOD = "private, max-age=31536000, immutable"
_DIGEST = 64


@router.get("/code/shots/{sha256}")
def shot(bench: Bench, sha256: str) -> Response:
    """Return a screenshot by its content hash; only images are served."""
    if len(sha256) != _DIGEST or not sha256.isalnum():
        raise Missing("there is no such screenshot.", where=sha256[:20])
    blob = bench.store.renders.find_blob(sha256)
    if blob.type not in _IMAGES:
        raise Missing("not a screenshot.", where=sha256[:20])
    return Response(blob.body, media_type=blob.type, headers={"cache-control": _FOR_GOOD})


@router.get("/code/{run}/{number:int}/{n:int}")
def one_page(request: Request, bench: Bench, run: str, number: int, n: int) -> Response:
    """Everything known of one answer, its model named; without a page, the reason for none."""
    subject = CodeRun.of(bench.store, run)
    case = subject.prompt(number)
    if not 1 <= n <= len(subject.run.models):
        raise Missing(f"there is no model {n} in this run.", where=subject.run.id)
    model = subject.run.models[n - 1]
    trial = subject.trials(case.id).get(model)
    if trial is None:
        raise Missing("this answer is not written yet.", where=f"{subject.run.id}, {case.id}")
    made = subject.prepared_pages.get((case.id, model))
    score = trial.score
    answer = page(
        request,
        "code/page",
        title=model,
        here="Code",
        crumbs=(HOME, Crumb(subject.run.suite_name, run_address(subject.run.id)), Crumb(case.id)),
        subject=subject,
        case=case,
        number=number,
        n=n,
        pane=pane_of(
            bench,
            subject,
            case.id,
            model,
            letter=str(n),
            is_named=True,
            user_agent=user_agent_of(request),
        )
        if made
        else None,
        widths=WIDTHS,
        state=state_of(made, trial),
        reason=_missing_reason(trial),
        answer=trial.text,
        over=is_over(bench, subject.run.id),
        report=made.report if made else None,
        facts=_facts(made) if made else [],
        criteria=criterion_lines([score]),
        lines=score_lines(score),
        score=score,
        earlier=earlier_address(bench.store, case),
        own=f"{run_address(subject.run.id)}/{number}/{n}",
        gallery=gallery_address(subject.run.id, n - 1),
    )
    answer.headers.update(policy_headers(bench))
    return answer


def _missing_reason(trial: Trial) -> str:
    """Return why an answer was never rendered."""
    if trial.completion is None:
        return trial.error or "The request failed."
    if trial.score is not None and has_no_page(trial.score):
        return trial.score.notes
    return "Wait for the run, or render it with: benchmaker code judge"


_PLAIN = {
    "outcome": "outcome",
    "timeout": "timeout",
    "console_errors": "errors in the console",
    "dialogs": "opens a dialog by itself",
    "viewport_meta": "declares a viewport",
    "lang": "language",
    "title": "title",
    "interactive": "controls",
    "text_len": "characters of text",
    "canvas": "canvas elements",
    "broken_images": "broken images",
    "quirks": "quirks mode",
    "animates": "animates",
}
"""The plain facts, with their names on the page."""


def _facts(made: PreparedAnswer) -> list[tuple[str, str]]:
    """The plain facts of the report by name."""
    if made.report is None:
        return []
    plain: dict[str, Any] = to_builtins(made.report)
    facts = [(label, _word(plain.get(name))) for name, label in _PLAIN.items()]
    return [*facts, ("error", made.report.error or "none")]


def _word(value: object) -> str:
    match value:
        case None:
            return "unknown"
        case "":
            return "none"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)

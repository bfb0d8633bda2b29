"""A comparison of up to three submissions."""

from typing import ClassVar, Final

from fastapi import APIRouter, Request, Response

from benchmaker.analysis.composite.result import NOT_EVALUATED
from benchmaker.arenas.agentic.evaluation.computed_evaluations import evaluations_of_submission
from benchmaker.arenas.agentic.evaluation.rows import PARTS
from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.report.sentences.figures import figures
from benchmaker.store.agentic.submission_pages import SubmissionRow
from benchmaker.web.agentic.lookup import evidence_level, lookup_submission, submission_title
from benchmaker.web.agentic.terms import score_words
from benchmaker.web.downloads import json_answer
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="compare")
class ComparePage:
    """Up to three submissions side by side."""

    routes: ClassVar = router
    is_public: ClassVar = True


TOGETHER: Final = 3


@router.get("/agentic/compare")
def compare_submissions_page(request: Request, bench: Bench) -> Response:
    """The figures and scores of the named submissions, side by side."""
    view, rows = _selected_rows(request, bench)
    return page(
        request,
        "agentic/compare",
        title="Submissions compared",
        here="Agentic",
        crumbs=(
            Crumb("Agentic", "/agentic"),
            Crumb("Submissions", "/agentic/submissions"),
            Crumb("Compare"),
        ),
        view=view,
        rows=rows,
        chosen=len([one for one in view.filters["ids"].split(",") if one]),
        heads=[(row.number, submission_title(bench, row), row.submission.id) for row in rows],
        figures=figures_by_label(rows),
        scores=scores_of(bench, rows),
        hide=bench.redactor.text,
    )


@router.get("/agentic/compare.json")
def compare_json(request: Request, bench: Bench) -> Response:
    """The same as data."""
    _, rows = _selected_rows(request, bench)
    told = {
        "submissions": [row.submission.id for row in rows],
        "figures": [{"name": name, "values": cells} for name, cells in figures_by_label(rows)],
        "scores": [{"name": name, "values": cells} for name, cells in scores_of(bench, rows)],
    }
    return json_answer(bench.redactor.tree(told))


def _selected_rows(request: Request, bench: Workbench) -> tuple[View, list[SubmissionRow]]:
    """Submissions named in one word or in several, as a form sends them; the first three of them.

    The address of the view names them all, so that nothing that was chosen is lost.
    """
    view = read_view(request, filters={"ids": None})
    said = ",".join(request.query_params.getlist("ids"))
    names = list(dict.fromkeys(one.strip() for one in said.split(",") if one.strip()))
    view = View(view.path, filters={"ids": ",".join(names)}, unknown=view.unknown)
    return view, rows_by_name(bench, names[:TOGETHER])


def rows_by_name(bench: Workbench, names: list[str]) -> list[SubmissionRow]:
    """The submissions of these names, each once.

    Raises:
        SpecError: there are too many.
    """
    names = list(dict.fromkeys(names))
    if len(names) > TOGETHER:
        raise SpecError(
            f"{len(names)} submissions were chosen.", hint=f"Compare at most {TOGETHER}."
        )
    return [lookup_submission(bench, name) for name in names]


def figures_by_label(rows: list[SubmissionRow]) -> list[tuple[str, list[str]]]:
    """Each figure that any of them has, by label."""
    known = [
        {one.label: one.value for one in figures(row.submission, evidence=evidence_level(row))}
        for row in rows
    ]
    labels = dict.fromkeys(label for one in known for label in one)
    return [(label, [one.get(label, "not in the log") for one in known]) for label in labels]


def scores_of(bench: Workbench, rows: list[SubmissionRow]) -> list[tuple[str, list[str]]]:
    """The scores of each under every profile that any was evaluated under."""
    rooms = bench.store.agentic
    profiles: dict[str, None] = {}
    for row in rows:
        if row.metrics is not None:
            profiles.update(dict.fromkeys(rooms.profiles(row.metrics.task_id)))
    told: list[tuple[str, list[str]]] = []
    found = [evaluations_of_submission(bench.store, row.submission.id) for row in rows]
    for profile in profiles:
        made = [one.get(profile) for one in found]
        for part in PARTS:
            cells = [_score(one, part) for one in made]
            told.append(
                (f"{'Composite' if part == 'overall' else part.capitalize()}, {profile}", cells)
            )
    return told


def _score(made: Evaluation | None, part: str) -> str:
    return NOT_EVALUATED if made is None else score_words(made, part)

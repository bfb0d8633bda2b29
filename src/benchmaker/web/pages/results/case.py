"""One case side by side: the expected answer, each model's answer, and the differences."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import SpecError, StoreError
from benchmaker.plugins import web_page
from benchmaker.record import Run, Trial
from benchmaker.redact import Redactor
from benchmaker.report.plots import plots
from benchmaker.report.runs.page import mark_of
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.sanitize import truncate
from benchmaker.spec import Case
from benchmaker.store.runs.case_pages import Neighbours
from benchmaker.web.faults import Missing
from benchmaker.web.query import View, read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import answers
from benchmaker.web.results.run_cache import Known, OverviewCache
from benchmaker.web.results.subject import model_at
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="case")
class CasePage:
    """A case with all answers side by side."""

    routes: ClassVar = router


ASIDE = 8
"""Maximum number of models side by side."""

DISTINCT = 3
"""Maximum number of distinct answers shown per model."""

_QUESTION = 6_000
_TURNS = 50
_FILTERS = {"models": None, "diff": None, "order": ("mean",), "runs": ("this",)}


class CaseResults(NamedTuple):
    """A case as in a run, or in the runs of its series, with all its trials."""

    run: Run
    runs: tuple[Run, ...]
    position: int
    case: Case
    trials: tuple[Trial, ...]


def case_results(
    bench: Workbench, run_id: str, position: int, *, alone: bool = False
) -> CaseResults:
    """Return the stored data of a case.

    Raises:
        Missing: the run has no such case.
    """
    store = bench.store
    run = store.run(run_id)
    runs: Sequence[Run] = (run,)
    if run.series_id and not alone:
        members = store.runs(series_id=run.series_id)
        runs = sorted(members, key=lambda one: one.number)
    try:
        case = store.case(run.suite_hash, position)
    except (StoreError, OverflowError) as exc:
        raise Missing(
            "The suite has no such case.", hint=f"/runs/{run_id}/cases lists all cases."
        ) from exc
    found = [trial for one in runs for trial in store.trials_at(one.id, position)]
    return CaseResults(run, tuple(runs), position, case, tuple(found))


@router.get("/runs/{run}/cases/{position}.json")
def case_json(run: str, position: int, bench: Bench) -> Response:
    """The case with every trial, as data."""
    found = case_results(bench, run, position)
    told = {
        "scale": "0-1",
        "case": found.case.model_dump(mode="json", exclude_defaults=True),
        "trials": [msgspec.to_builtins(trial) for trial in found.trials],
    }
    body = msgspec.json.encode(bench.redactor.tree(told))
    return Response(body, media_type="application/json")


@router.get("/runs/{run}/cases/{position}")
def case_page(request: Request, run: str, position: int, bench: Bench, known: Known) -> Response:
    """The answers to one case."""
    view = read_view(request, filters=_FILTERS)
    found = case_results(bench, run, position, alone=view.filters["runs"] == "this")
    hide = bench.redactor
    chosen = _chosen_models(found.run, view.filters["models"])
    base = _base(found, view.filters["diff"], hide)
    beside = _neighbours(bench, known, found, view.filters["order"])
    return page(
        request,
        "results/case",
        title=f"Case {name(hide.text(found.case.id))}",
        here="Results",
        crumbs=(
            Crumb("Results", "/runs"),
            Crumb(run, f"/runs/{run}"),
            Crumb("Cases", f"/runs/{run}/cases"),
            Crumb(name(hide.text(found.case.id))),
        ),
        view=view,
        run=found.run,
        runs=found.runs,
        position=position,
        facts=list(case_facts(found.case, hide)),
        questions=_questions(bench, found, chosen),
        expected=_expected_text(found, hide, len(chosen)),
        base=base[0],
        models=_models(found, chosen, base, hide),
        every=[
            (rank, name(hide.text(model)), rank in chosen)
            for rank, model in enumerate(found.run.models)
        ],
        before=_case_link(view, run, beside.before),
        after=_case_link(view, run, beside.after),
    )


def case_facts(case: Case, redactor: Redactor) -> list[str]:
    """Return the facts on a case besides its text."""
    parts = (
        f"scorer {case.scorer.id}" if case.scorer else "",
        f"checks of its own: {len(case.checks)}" if case.checks else "",
        f"weight {case.weight:g}",
        f"category {case.category}" if case.category else "",
        f"difficulty {case.difficulty}" if case.difficulty else "",
        f"group {case.group}" if case.group else "",
        f"tags {', '.join(case.tags)}" if case.tags else "",
    )
    return [name(redactor.text(part)) for part in parts if part]


def turns(
    found: CaseResults, case: Case, redactor: Redactor, *, share: int = 1
) -> list[tuple[str, str]]:
    """Return the conversation of the case as it was sent, as roles and texts.

    ``share`` is the number of conversations that share the space of a page.
    """
    said = case.conversation(found.run.system_prompt)
    limit = max(answers.LEAST, _QUESTION // share // min(_TURNS, len(said)))
    return [
        (turn.role, truncate(answers.safe_text(turn.content, redactor), limit))
        for turn in said[:_TURNS]
    ]


def _questions(
    bench: Workbench, found: CaseResults, chosen: Sequence[int]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return each prompt of the setups that are shown, with the conversation sent for it.

    Without prompts it is one conversation, under an empty name.
    """
    hide, run = bench.redactor, found.run
    if not run.models:
        return [("", turns(found, found.case, hide))]
    setups = [run.setup(run.models[rank]) for rank in chosen or (0,)]
    first = {one.prompt_id or "": one.name for one in reversed(setups)}
    sent = {
        prompt: case_of_setup(bench.store, run, first[prompt], found.case)
        for prompt in dict.fromkeys(one.prompt_id or "" for one in setups)
    }
    return [
        (name(hide.text(prompt)), turns(found, case, hide, share=len(sent)))
        for prompt, case in sent.items()
    ]


def _expected_text(found: CaseResults, redactor: Redactor, models: int) -> str | None:
    if found.case.expectation is None:
        return None
    text = answers.safe_text(found.case.expectation, redactor)
    return truncate(text, answers.length_limit(models + 1))


def _chosen_models(run: Run, words: str) -> tuple[int, ...]:
    """The numbers of the models that are shown: those that the address names, or the first."""
    if not words:
        return tuple(range(min(ASIDE, len(run.models))))
    ranks = [run.models.index(model_at(run, word)) for word in words.split(",") if word]
    return tuple(dict.fromkeys(ranks))[: 2 * ASIDE]


def _base(found: CaseResults, word: str, redactor: Redactor) -> tuple[str, str | None]:
    """Return the reference for marking answers: its word in the address, and its text."""
    if word == "off":
        return "off", None
    if word in {"", "expected"}:
        if found.case.expected is None:
            return "off", None
        return "expected", answers.safe_text(found.case.expected, redactor)
    try:
        model = model_at(found.run, word)
    except SpecError as exc:
        hint = "Use expected, off, or the number of a model."
        raise SpecError(f"invalid value for diff: {word[:40]!r}.", hint=hint) from exc
    said = answers.distinct_answers([trial for trial in found.trials if trial.model == model])
    return word, answers.safe_text(said[0].first_trial.text, redactor) if said else None


def _models(
    found: CaseResults, chosen: Sequence[int], base: tuple[str, str | None], redactor: Redactor
) -> list[dict[str, Any]]:
    by_model = {
        rank: answers.distinct_answers(
            [one for one in found.trials if one.model == found.run.models[rank]]
        )
        for rank in chosen
    }
    limit = answers.length_limit(1 + sum(min(DISTINCT, len(said)) for said in by_model.values()))
    colours = plots.colours(len(found.run.models))
    return [
        {
            "rank": rank,
            "name": name(redactor.text(found.run.models[rank])),
            "key": Markup(plots.key_svg(colours[rank])),  # noqa: S704  drawn by us
            "said": [
                _block(found, one, None if base[0] == str(rank) else base[1], limit, redactor)
                for one in said[:DISTINCT]
            ],
            "more": [_links(found, one) for one in said[DISTINCT:]],
            "runs": sum(len(one.trials) for one in said),
            "distinct": len(said),
        }
        for rank, said in by_model.items()
    ]


def _block(
    found: CaseResults,
    said: answers.DistinctAnswer,
    base: str | None,
    limit: int,
    redactor: Redactor,
) -> dict[str, Any]:
    trial = said.first_trial
    is_answered = trial.completion is not None
    text = answers.safe_text(trial.text if is_answered else trial.error or "", redactor)
    run = next(run for run in found.runs if run.id == trial.run_id)
    return {
        "text": answers.mark_differences(text, base if is_answered else None, limit),
        "is_answered": is_answered,
        "is_empty": not text,
        "outcome": str(trial.outcome),
        "mark": mark_of(trial),
        "score": answers.score_words(said),
        "count": len(said.trials),
        "calls": answers.calls_of(trial, redactor),
        "checks": answers.checks_of(trial, redactor),
        "steps": answers.score_steps(trial, found.case, run, redactor),
        "links": _links(found, said),
    }


def _links(found: CaseResults, said: answers.DistinctAnswer) -> list[tuple[str, str]]:
    numbers = {run.id: run.number for run in found.runs}
    return [
        (
            f"run {numbers[trial.run_id]}" if len(found.runs) > 1 else "trial",
            f"/runs/{trial.run_id}/trials/{trial.position}-{found.run.models.index(trial.model)}",
        )
        for trial in said.trials[:12]
        if trial.model in found.run.models
    ]


def _neighbours(
    bench: Workbench, known: OverviewCache, found: CaseResults, order: str
) -> Neighbours:
    """The cases beside this one, in the order of the suite or with the hardest first."""
    if order != "mean":
        return bench.store.case_pages.neighbours(found.run.id, found.position)
    grid = known.of_runs(bench.store, (found.run.id,)).grid
    rows = grid.hardest_rows()
    row = grid.row(found.position)
    if row is None:
        return Neighbours(None, None)
    at = int((rows == row).argmax())
    places = grid.position[rows]
    before = int(places[at - 1]) if at else None
    return Neighbours(before, int(places[at + 1]) if at + 1 < len(rows) else None)


def _case_link(view: View, run: str, position: int | None) -> str:
    if position is None:
        return ""
    moved = View(f"/runs/{run}/cases/{position}", filters=view.filters)
    return moved.link()

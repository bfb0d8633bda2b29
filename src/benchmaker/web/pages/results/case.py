"""One case side by side: the expected answer, each model's answer, and the differences."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import SpecError, StoreError
from benchmaker.plugins import web_page
from benchmaker.record import Run, Trial
from benchmaker.record.run import setup_noun
from benchmaker.redact import Redactor
from benchmaker.report.plots import plots
from benchmaker.report.runs.page import mark_of
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables.sanitize import truncate
from benchmaker.spec import Case
from benchmaker.store.runs.case_pages import Neighbours
from benchmaker.web.faults import Missing
from benchmaker.web.query import View
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import answers
from benchmaker.web.results.case_selection import case_view, order_of, selection_words
from benchmaker.web.results.run_cache import Known, OverviewCache, Unit
from benchmaker.web.results.subject import Subject, model_at, result_crumb, run_subject
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

_TALLY, _TALLIED = 8, 120
"""Number of different answers in the summary, and of characters of each."""

_QUESTION = 6_000
_TURNS = 50
_OWN = ("models", "diff", "runs")


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
    view = _view(request, bench, run)
    found = case_results(bench, run, position, alone=view.filters["runs"] == "this")
    hide = bench.redactor
    chosen = _chosen_models(found.run, view.filters["models"])
    base = _base(found, view.filters["diff"], hide)
    subject = run_subject(bench.store, run)
    beside = _neighbours(bench, known, subject, position, view)
    words = selection_words(view)
    cases = f"/runs/{run}/cases{'?' + urlencode(words) if words else ''}"
    models = _models(found, chosen, base, hide)
    return page(
        request,
        "results/case",
        title=f"Case {name(hide.text(found.case.id))}",
        here="Results",
        crumbs=(
            Crumb("Results", "/runs"),
            result_crumb(bench, found.run, f"/runs/{run}"),
            Crumb("Cases", cases),
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
        models=models,
        is_marked=any(_is_marked(block) for one in models for block in one["said"]),
        noun=setup_noun([found.run]),
        every=[
            (rank, name(hide.text(model)), rank in chosen)
            for rank, model in enumerate(found.run.models)
        ],
        tally=_tally(found, hide),
        before=_case_link(view, run, beside.before),
        after=_case_link(view, run, beside.after),
    )


def _is_marked(block: Mapping[str, Any]) -> bool:
    """True if a part of the answer is marked."""
    return any(piece.kind == "mark" for piece in block["text"].pieces)


def _view(request: Request, bench: Workbench, run: str) -> View:
    """The view, with the words that select cases, for the case before and the one after."""
    return case_view(request, run_subject(bench.store, run), **dict.fromkeys(_OWN))


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
    if word in {"", "off"}:
        return "off", None
    if word == "expected":
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
        "text": answers.mark_differences(text, base, limit)
        if is_answered and base is not None
        else answers.mark_extraction(text, trial, redactor, limit),
        "is_answered": is_answered,
        "is_empty": not text,
        "outcome": str(trial.outcome),
        "mark": mark_of(trial),
        "score": answers.score_pill(said),
        "count": len(said.trials),
        "calls": answers.calls_of(trial, redactor),
        "checks": answers.checks_of(trial, redactor),
        "n_checks": len(trial.score.checks) if trial.score else 0,
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
    bench: Workbench, known: OverviewCache, subject: Subject, position: int, view: View
) -> Neighbours:
    """The cases beside this one among those that the address selects, in its order."""
    if not selection_words(view):
        return bench.store.case_pages.neighbours(subject.id, position)
    made = known.cases_of(bench.store, (Unit("", subject.run_ids),))
    return order_of(bench, known, made, subject, view).neighbours(position)


def _tally(found: CaseResults, redactor: Redactor) -> list[dict[str, Any]]:
    """Return what was answered, the most frequent first: the extracted text, score and counts."""
    by_text: dict[tuple[str, float | None], list[Trial]] = {}
    for trial in found.trials:
        if trial.completion is not None:
            taken = trial.score.extraction if trial.score else None
            text = taken.text if taken and taken.text else trial.text
            score = trial.score.score if trial.score else None
            by_text.setdefault((text.strip()[:_TALLIED].casefold(), score), []).append(trial)
    most = sorted(by_text.items(), key=lambda item: -len(item[1]))
    return [
        {
            "text": answers.safe_text(text, redactor) or "(empty)",
            "score": answers.score_pill(answers.DistinctAnswer(tuple(same))),
            "trials": len(same),
            "models": len({trial.model for trial in same}),
        }
        for (text, _), same in most[:_TALLY]
    ]


def _case_link(view: View, run: str, position: int | None) -> str:
    if position is None:
        return ""
    return replace(view, path=f"/runs/{run}/cases/{position}").link()

"""All data of one trial: question, answer, requests, score, its versions, judgments."""

import shlex
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response

from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import SpecError
from benchmaker.judging.trial_labels import trial_labels, trial_scale
from benchmaker.plugins import web_page
from benchmaker.record import Attempt, Judgment, Trial, Usage, failure_words, outcome_words
from benchmaker.record.account import Role, TokenScope
from benchmaker.record.counts import count
from benchmaker.record.label import LONGEST_NOTE
from benchmaker.redact import Redactor
from benchmaker.report.runs.explain import Explanation, explain, extraction_words
from benchmaker.report.runs.page import mark_of, mark_words
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.report.tables.trial_rows import flags
from benchmaker.spec import Case
from benchmaker.store.runs.case_pages import ScoreVersion
from benchmaker.web.accounts.actors import Who
from benchmaker.web.pages.results.case import CaseResults, case_facts, case_results, turns
from benchmaker.web.pages.results.trial_notes import note_rows, trial_of
from benchmaker.web.query import read_view
from benchmaker.web.rendering import Crumb, page
from benchmaker.web.results import answers
from benchmaker.web.results.subject import result_crumb
from benchmaker.web.results.word_diff import Piece
from benchmaker.web.workbench import Bench, Workbench

router = APIRouter(include_in_schema=False)


@web_page(id="trial")
class TrialPage:
    """A trial with its score explained."""

    routes: ClassVar = router


_ANSWER = 24_000
_EXPECTED = 8_000
_SHORT = 1_000
_REPLY = 2_000
_REPLIES = 20
_STEPS = 200
_VERSIONS = 20
_ATTEMPTS = 20


class _Found(NamedTuple):
    results: CaseResults
    trial: Trial
    rank: int
    explanation: Explanation
    sent: Case


@router.get("/runs/{run}/trials/{position}-{rank}.json")
def trial_json(run: str, position: int, rank: int, bench: Bench) -> Response:
    """The trial with its explanation and every version of its score."""
    found = _find(bench, run, position, rank)
    versions = bench.store.case_pages.score_versions_at(run, position, rank)
    told = found.explanation.to_dict() | {
        "attempts": msgspec.to_builtins(
            [msgspec.structs.replace(one, usage=one.reported_usage) for one in found.trial.attempts]
        ),
        "completion": msgspec.to_builtins(found.trial.completion),
        "trial_notes": msgspec.to_builtins(
            bench.store.trial_notes.of_runs(
                [run], case_id=found.trial.case_id, model=found.trial.model
            )
        ),
        "versions": [
            {"version": one.version, "created_at": one.created_at, "actor": one.actor}
            | msgspec.to_builtins(one.score)
            for one in versions
        ],
    }
    body = msgspec.json.encode(bench.redactor.tree(told))
    return Response(body, media_type="application/json")


@router.get("/runs/{run}/trials/{position}-{rank}/answer.txt")
def trial_answer(run: str, position: int, rank: int, bench: Bench) -> Response:
    """The whole answer as a file of text, secrets taken out."""
    found = _find(bench, run, position, rank)
    headers = {"content-disposition": f'attachment; filename="{run}-{position}-{rank}.txt"'}
    body = bench.redactor.text(found.trial.text).encode("utf-8", "replace")
    return Response(body, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/runs/{run}/trials/{position}-{rank}")
def trial_page(
    request: Request, run: str, position: int, *, rank: int, bench: Bench, who: Who
) -> Response:
    """One trial."""
    view = read_view(request, filters={"diff": ("expected",)})
    found = _find(bench, run, position, rank)
    hide, trial = bench.redactor, found.trial
    beside = bench.store.case_pages.neighbours(run, position)
    model, case = name(hide.text(trial.model)), name(hide.text(trial.case_id))
    return page(
        request,
        "results/trial",
        title=f"{case}, {model}",
        here="Results",
        crumbs=(
            Crumb("Results", "/runs"),
            result_crumb(bench, found.results.run, f"/runs/{run}"),
            Crumb(case, f"/runs/{run}/cases/{position}"),
            Crumb(model),
        ),
        view=view,
        run=found.results.run,
        base=f"/runs/{run}/trials/{position}-{rank}",
        case_href=f"/runs/{run}/cases/{position}",
        case=case,
        model=model,
        trial=trial,
        mark=mark_of(trial),
        mark_words=hide.text(mark_words(trial)),
        notes=note_rows(bench, trial, who),
        longest_note=LONGEST_NOTE,
        labels=_labels(bench, trial),
        scale=_scale_words(bench, trial),
        may_write=who is None or who.may(Role.MEMBER, TokenScope.WRITE),
        facts=[*_setup_facts(found.explanation, hide), *case_facts(found.results.case, hide)],
        turns=turns(found.results, found.sent, hide),
        expected=_expected_text(found, hide),
        answer=_answer(found, hide, diff=view.filters["diff"] == "expected"),
        why_none=hide.text(trial.error or outcome_words(trial.outcome)),
        tiles=list(_tiles(trial)),
        scoring=list(_scoring_facts(found.explanation, hide)),
        again=hide.text(_explain_command(trial)),
        calls=answers.calls_of(trial, hide),
        checks=answers.checks_of(trial, hide, _STEPS),
        n_checks=len(trial.score.checks) if trial.score else 0,
        steps=[
            truncate(sanitise(hide.text(step)), _SHORT) for step in found.explanation.steps[:_STEPS]
        ],
        n_steps=len(found.explanation.steps),
        judges=[sanitise(hide.text(told)) for told in found.explanation.judges],
        attempts=[_attempt(one, hide) for one in trial.attempts[:_ATTEMPTS]],
        n_attempts=len(trial.attempts),
        versions=_versions(bench, run, position, rank),
        judgments=list(_judgments(bench, trial)),
        before=_trial_link(run, beside.before, rank),
        after=_trial_link(run, beside.after, rank),
        next_model=_trial_link(run, position, (rank + 1) % len(found.results.run.models))
        if len(found.results.run.models) > 1
        else "",
    )


def _labels(bench: Workbench, trial: Trial) -> list[dict[str, str]]:
    """Return the labels of the answer as people entered them."""
    return [
        {
            "score": f"{one.raw_score if one.raw_score is not None else one.score:g}",
            "scale": f"{one.scale[0]:g} to {one.scale[1]:g}",
            "by": name(one.actor),
            "at": one.created_at,
            "note": _short_text(one.note, bench.redactor),
        }
        for one in trial_labels(bench.store, trial)
    ]


def _scale_words(bench: Workbench, trial: Trial) -> str:
    """The scale of labels in words; empty where the answer can't be labelled."""
    if trial.score is None or trial.score.score is None:
        return ""
    try:
        return str(trial_scale(bench.store, trial))
    except SpecError:  # judged in pairs
        return ""


def _explain_command(trial: Trial) -> str:
    """The command that computes the score once more, fit to be copied."""
    words = ("benchmaker", "explain", trial.run_id, trial.case_id, "--model", trial.model)
    return shlex.join(words)


def _setup_facts(explanation: Explanation, redactor: Redactor) -> Iterator[str]:
    """The model, prompt, effort and parameters of a setup that is more than a model."""
    for label, text in explanation.setup_facts() if explanation.setup else ():
        if text:
            yield name(redactor.text(f"{label.lower()} {text}"))


def _find(bench: Workbench, run: str, position: int, rank: int) -> _Found:
    found = case_results(bench, run, position, alone=True)
    trial = trial_of(found, position, rank)
    sent = case_of_setup(bench.store, found.run, trial.model, found.case)
    return _Found(found, trial, rank, explain(trial, case=sent, run=found.run), sent)


def _trial_link(run: str, position: int | None, rank: int) -> str:
    return "" if position is None else f"/runs/{run}/trials/{position}-{rank}"


def _expected_text(found: _Found, redactor: Redactor) -> str | None:
    text = found.explanation.expectation
    return None if text is None else truncate(answers.safe_text(text, redactor), _EXPECTED)


def _answer(found: _Found, redactor: Redactor, *, diff: bool) -> answers.MarkedText | None:
    """The answer in pieces; None where there is none."""
    if found.trial.completion is None:
        return None
    text = answers.safe_text(found.trial.text, redactor)
    against = found.explanation.expected if diff else None
    base = None if against is None else answers.safe_text(against, redactor)
    if not text:
        return answers.MarkedText((Piece("same", "(empty)"),))
    if base is None:
        return answers.mark_extraction(text, found.trial, redactor, _ANSWER)
    return answers.mark_differences(text, base, _ANSWER)


def _tiles(trial: Trial) -> Iterator[tuple[str, str, str]]:
    score, done = trial.score, trial.completion
    value = "unscored" if score is None or score.score is None else numbers.score(score.score)
    yield "Score", value, f"weight {trial.weight:g}, version {trial.score_version}"
    cost = trial.cost_usd
    yield "Cost", "unknown" if cost is None else numbers.money(cost), _requests(trial)
    yield "Latency", *_latency(trial)
    has_usage = done is not None or any(one.reported_usage for one in trial.attempts)
    sent, got = trial.tokens if has_usage else (None, None)
    told = "not reported" if sent is None or got is None else f"{sent:,} in, {got:,} out"
    yield "Tokens", told, "; ".join(_other_tokens(done.usage if done else None))


def _latency(trial: Trial) -> tuple[str, str]:
    """The duration of the reply, else of the last request, and what it is of."""
    done = trial.completion
    first = done.first_byte_s if done else None
    if trial.latency_s is None and trial.attempts and trial.attempts[-1].last_byte_s is not None:
        return numbers.duration(trial.attempts[-1].last_byte_s), "of the failed request"
    if trial.latency_s is None:
        return "not reported", ""
    began = "" if first is None else f"first byte {numbers.duration(first)}"
    return numbers.duration(trial.latency_s), began


def _other_tokens(usage: Usage | None) -> Iterator[str]:
    """Tokens that the reply's figures leave out, or already include."""
    if usage is None:
        return
    kinds = (usage.cache_read_tokens, usage.cache_write_5m_tokens, usage.cache_write_1h_tokens)
    if cached := sum(count or 0 for count in kinds):
        yield f"{cached:,} more in, cached"
    if usage.reasoning_tokens:
        yield f"output includes {usage.reasoning_tokens:,} of reasoning"


def _requests(trial: Trial) -> str:
    number = len(trial.attempts)
    return count(number, "request") if number else "a recorded answer"


def _scoring_facts(made: Explanation, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """Yield the origin of the score, one fact per line."""
    trial, score = made.trial, made.score
    yield "Outcome", trial.outcome.replace("_", " ")
    if error := failure_words(trial.error_type, trial.error):
        yield "Error", _short_text(error, redactor)
    if score is None:
        yield "Score", "none: the answer was not scored"
        return
    yield "Scorer", _short_text(f"{score.scorer or 'none'} {score.scorer_version}", redactor)
    yield "Profile", _short_text(score.profile or "none", redactor)
    given = ", ".join(f"{key}={value!r}" for key, value in sorted(score.parameters.items()))
    if given:
        yield "Parameters", _short_text(given, redactor)
    if score.extraction:
        yield "Extracted", _short_text(extraction_words(score.extraction), redactor)
    if score.raw_score is not None:
        of = "" if score.max_score is None else f" of {score.max_score:g}"
        yield "Raw score", f"{score.raw_score:g}{of}"
    if score.confidence is not None:
        yield "Confidence", f"{score.confidence:g}"
    if score.notes:
        yield "Notes", _short_text(score.notes, redactor)
    if found := flags(trial):
        yield "Flags", _short_text(", ".join(found), redactor)
    yield "Full precision", repr(score.score)


def _short_text(text: str, redactor: Redactor) -> str:
    return truncate(sanitise(redactor.text(text)), _SHORT)


def _attempt(one: Attempt, redactor: Redactor) -> dict[str, Any]:
    usage = one.reported_usage
    sent, got = (usage.input_tokens, usage.output_tokens) if usage else (None, None)
    return {
        "number": one.number,
        "status": _short_text(one.status, redactor),
        "at": one.started_at,
        "first": "none" if one.first_byte_s is None else numbers.duration(one.first_byte_s),
        "last": "unknown" if one.last_byte_s is None else numbers.duration(one.last_byte_s),
        "tokens": "unknown" if sent is None or got is None else f"{sent:,} in, {got:,} out",
        "cost": "unknown" if one.cost_usd is None else numbers.money(one.cost_usd),
        "error": _short_text(failure_words(one.error_type, one.error), redactor),
        "partial": _short_text(one.partial_text or "", redactor),
    }


def _versions(bench: Workbench, run: str, position: int, rank: int) -> list[dict[str, Any]]:
    found = bench.store.case_pages.score_versions_at(run, position, rank)
    return [_version(one, bench.redactor) for one in found[:_VERSIONS]]


def _version(one: ScoreVersion, redactor: Redactor) -> dict[str, Any]:
    score = one.score
    return {
        "version": one.version,
        "at": one.created_at,
        "by": _short_text(one.actor, redactor),
        "score": "unscored" if score.score is None else numbers.score(score.score),
        "scorer": _short_text(f"{score.scorer or 'none'} {score.scorer_version}", redactor),
        "profile": _short_text(score.profile, redactor),
        "notes": _short_text(score.notes, redactor),
    }


def _judgments(bench: Workbench, trial: Trial) -> Iterator[dict[str, Any]]:
    """Yield the judges' replies about this answer, if there are any."""
    if not bench.store.run(trial.run_id).judge:
        return
    found = bench.store.judgments(trial.run_id, model=trial.model, case_id=trial.case_id)
    for one in found[:_REPLIES]:
        yield _judgment(one, bench.redactor)


def _judgment(one: Judgment, redactor: Redactor) -> dict[str, Any]:
    reply = one.completion.text if one.completion else failure_words(one.error_type, one.error)
    cost = one.cost_usd
    return {
        "judge": name(redactor.text(one.judge)),
        "purpose": _short_text(one.purpose, redactor),
        "repeat": one.repeat,
        "order": _short_text(one.order, redactor),
        "at": one.created_at,
        "cost": "unknown" if cost is None else numbers.money(cost),
        "cached": one.is_cached,
        "reply": truncate(answers.safe_text(reply, redactor), _REPLY),
    }

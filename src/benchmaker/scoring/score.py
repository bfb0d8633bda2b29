"""Scoring one answer: from Python, and as the engine does it."""

import asyncio
import inspect
from collections.abc import Awaitable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Literal

from msgspec.structs import replace
from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.record import Completion, Outcome, Score, ScoringResult, Trial
from benchmaker.scoring.base import Ask, Scorer, is_asking
from benchmaker.scoring.build import build
from benchmaker.spec import Case, Profile, ScorerSpec
from benchmaker.spec import profile as named_profile


def score(
    method: str,
    response: str,
    expected: str | Sequence[str] | None = None,
    *,
    profile: Literal["classic", "robust"] | str = "classic",  # noqa: PYI051  names the known ones
    **parameters: Any,  # noqa: ANN401  the scorer's own fields
) -> ScoringResult:
    """Score one answer, without a suite or a run.

    Args:
        method: a scorer's id, or ``package.module:Class``.
        response: the answer.
        expected: the expected answer, if any; the best of several counts.
        profile: the family of definitions.
        parameters: the scorer's parameters.

    Raises:
        SpecError: no such scorer, profile or parameter, or an expectation that the scorer cannot
            use; the message states the remedy.
        TrialError: the scorer failed on this answer, as when a pattern takes too long.

    >>> score("exact", "Paris, France", "Paris").score
    0.7346153846153846
    >>> score("numeric", "16 - 7 = 9. The answer is 9.", "9", profile="robust").extraction.rule
    'answer_is'
    """
    family = named_profile(profile)
    spec, case = _to_spec_and_case(method, response, expected, parameters)
    scorer = build(spec, family)
    if is_asking(scorer):
        raise _judge_needed_error(spec.id)
    result = scorer.score(case, _trial(response))
    if not isinstance(result, Score):
        result = _await_result(result)
    return stamp(result, scorer, spec, family, case.expectations)


def _to_spec_and_case(
    method: str, response: str, expected: str | Sequence[str] | None, parameters: dict[str, Any]
) -> tuple[ScorerSpec, Case]:
    """The arguments as a suite would give them."""
    several = list(expected) if isinstance(expected, (list, tuple)) else [expected]
    wanted = None if expected is None else several
    texts = [("method", method), ("response", response)]
    for name, text in (*texts, *(("expected", it) for it in wanted or ())):
        if not isinstance(text, str):
            raise SpecError(f"{name} must be a text, not {text!r}.")
    try:
        spec = ScorerSpec.model_validate({**parameters, "id": method})
        return spec, Case.model_validate({"id": "case", "prompt": "", "expected": wanted})
    except ValidationError as exc:
        first = exc.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise SpecError(f"{place}: {first['msg']}.") from exc


def _judge_needed_error(method: str) -> SpecError:
    return SpecError(
        f"{method} uses a judge, which needs a run.",
        hint="Give a suite with this scorer to run(…, options=RunOptions(judge='openai/gpt-4o')), "
        "or test the judge with: benchmaker calibrate",
    )


async def apply(scorer: Scorer, case: Case, trial: Trial, ask: Ask | None = None) -> Score:
    """Return the scorer's score, awaited if the scorer is asynchronous.

    Raises:
        SpecError: the scorer needs a judge, and none is available.
    """
    if is_asking(scorer):
        if ask is None:
            raise SpecError(
                f"{scorer.id} needs a judge, but none is given.",
                hint="Set judge: in the suite, or add --judge MODEL.",
            )
        judged: Score = await scorer.score(case, trial, ask)  # type: ignore[call-arg,misc]  # it asks
        return judged
    result = scorer.score(case, trial)
    if not isinstance(result, Score) and inspect.isawaitable(result):
        return await result
    return result


def stamp(
    score: Score, scorer: Scorer, spec: ScorerSpec, profile: Profile, expected: Sequence[str]
) -> Score:
    """Return the score with its origin: scorer, version, parameters, profile, expectations."""
    counted = score.expected if score.expected is not None else next(iter(expected), None)
    return replace(
        score,
        scorer=spec.id,
        scorer_version=scorer.version,
        profile=_label(profile),
        parameters=spec.parameters,
        expected=counted,
        also_expected=tuple(text for text in expected if text != counted),
    )


def explain(score: Score) -> list[str]:
    """Return the arithmetic of a stamped score, line by line; the same digits each time.

    Without a scorer or an explanation, the score's own note.

    Raises:
        SpecError: the scorer is unknown.
        PluginError: it cannot be loaded.

    >>> explain(score("exact", "It is 4200", "42"))[-1]
    'x = 1 − 2/10 = 0.8; max(0.60, 0.95 − 0.35·0.8) = 0.67'
    """
    notes = [score.notes] if score.notes else []
    if not score.scorer or not score.detail:
        return notes
    spec = ScorerSpec.model_validate({"id": score.scorer, **score.parameters})
    scorer = build(spec, named_profile(score.profile))
    if score.score is None and not getattr(scorer, "explains_unscored", False):
        return notes
    lines = getattr(scorer, "explain", None)
    return lines(score) if callable(lines) else [score.notes]


@lru_cache(maxsize=16)
def _label(profile: Profile) -> str:
    return profile.id


def _trial(response: str) -> Trial:
    """An answer that belongs to no run."""
    return Trial(
        run_id="",
        case_id="case",
        model="",
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(text=response),
    )


def _await_result(result: Awaitable[Score]) -> Score:
    """The result of an asynchronous scorer; in a thread where an event loop is running already."""

    async def wait() -> Score:
        return await result

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, wait()).result()

"""Estimated tokens and cost of the embeddings of a run, before anything is sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchmaker.engine.runs.estimate import (
    NOT_KNOWN,
    ModelEstimate,
    Span,
    add_sample,
    cost_of,
    estimate_tokens,
    output_of,
)
from benchmaker.engine.runs.judge_estimate import JudgingPlan
from benchmaker.scoring.build import build
from benchmaker.scoring.checks.nested import applications
from benchmaker.scoring.checks.similarity import Similarity
from benchmaker.scoring.checks.values import texts_of
from benchmaker.spec import Case
from benchmaker.spec import profile as profile_named
from benchmaker.spec.suites.rendering import case_with_prompt

EMBEDDINGS_ASSUMED = (
    "Embeddings: each answer and each expected text once, up to 64 texts per request. Texts that "
    "were embedded before cost nothing."
)
"""The meaning of the embeddings' part of an estimate."""


def embeddings_estimate(
    plan: JudgingPlan,
    cases: Iterable[Case],
    *,
    models: int,
    runs: int,
    max_tokens: int,
    number: int | None = None,
    sample: int | None = None,
) -> tuple[ModelEstimate, ...]:
    """Return each embedding model's part: at most a request per text, their tokens and cost.

    The arguments are those of :func:`benchmaker.engine.runs.judge_estimate.judges_estimate`.
    """
    if not plan.embeddings:
        return ()
    sums = _Sums(plan, answers=models * runs, max_tokens=max_tokens)
    factor = add_sample(cases, sums.add, number=number, sample=sample)
    return tuple(sums.estimate(model, factor) for model in plan.embeddings)


@dataclass(slots=True)
class _Sum:
    texts: int = 0
    tokens: Span = field(default_factory=Span)
    expected: set[int] = field(default_factory=set)


class _Sums:
    """Adds up cases, model by model."""

    def __init__(self, plan: JudgingPlan, *, answers: int, max_tokens: int) -> None:
        self._plan, self._answers, self._max_tokens = plan, answers, max_tokens
        self._profile = profile_named(plan.suite.profile)
        self._sums = {model: _Sum() for model in plan.embeddings}

    def add(self, case: Case) -> None:
        """Add the texts of a case; with prompts, those of the first."""
        prompts = self._plan.suite.prompts
        case = case_with_prompt(self._plan.suite, case, prompts[0].id) if prompts else case
        answered: set[tuple[str, int | None]] = set()
        for scorer, seen in self._similarities(case):
            into = self._sums[scorer.model]
            if (scorer.model, scorer.dimensions) not in answered:
                answered.add((scorer.model, scorer.dimensions))
                self._add_answers(into, case)
            for text in texts_of(scorer.value, seen):
                key = hash((text, scorer.dimensions))
                if key not in into.expected:
                    into.expected.add(key)
                    into.texts += 1
                    into.tokens = into.tokens.plus(estimate_tokens(text))

    def estimate(self, model: str, factor: float) -> ModelEstimate:
        """Return a model's part, ``factor`` times the sum."""
        found, card = self._sums[model], self._plan.embeddings[model]
        tokens = found.tokens.times(factor)
        cost = cost_of(card, tokens, Span()) if card else None
        reason = "" if cost else self._plan.reasons.get(model, NOT_KNOWN)
        requests = round(found.texts * factor)
        return ModelEstimate(model, requests, tokens, Span(), cost, reason, embeds=True)

    def _add_answers(self, into: _Sum, case: Case) -> None:
        """Add the answers to a case; at the lower end they are all alike."""
        one = output_of(case, self._max_tokens)
        into.texts += self._answers
        into.tokens = into.tokens.plus(Span(one.low, one.high * self._answers))

    def _similarities(self, case: Case) -> Iterator[tuple[Similarity, Case]]:
        spec = self._plan.suite.scorer_of(case)
        for one, seen in applications(spec, case, self._profile) if spec is not None else ():
            scorer = build(one, self._profile)
            if isinstance(scorer, Similarity):
                yield scorer, seen

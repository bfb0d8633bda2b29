"""Estimated tokens and cost of judging a run, before anything is sent."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmaker import plugins
from benchmaker.engine.runs.estimate import (
    NOT_KNOWN,
    ModelEstimate,
    Span,
    add_sample,
    cost_of,
    estimate_tokens,
    output_of,
    turn_tokens,
)
from benchmaker.engine.trials.scoring import judging_spec, with_judge_prompt
from benchmaker.providers.prices.rates import RateCard
from benchmaker.record import JudgeTotals
from benchmaker.scoring.base import is_asking
from benchmaker.scoring.build import build
from benchmaker.scoring.checks.nested import applications
from benchmaker.scoring.code.prompt import QUICK, CodeExcerpt, code_prompt
from benchmaker.scoring.judge import Prompt, absolute_prompt, pairwise_prompt, transcript
from benchmaker.scoring.judge.prompt import Instructions
from benchmaker.scoring.judged.code_judge import CodeJudge
from benchmaker.scoring.judged.llm_judge import LLMJudge
from benchmaker.spec import Case, JudgeSpec, ScorerSpec, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.spec.suites.rendering import case_with_prompt

JUDGES_ASSUMED = (
    "Judges: one request per answer, run, repeat, judge and order of a pair, for all criteria "
    "together; equal answers to a case share a request within a run. Replies from the shortest "
    "possible length to max_tokens, or as long as stored ones. Requests repeated because of "
    "unreadable replies are not included. The upper end of pages has a report as long as the "
    "scorer's limit; the cost of pictures is unknown."
)
"""The meaning of the judges' part of an estimate."""

_NONCE = "0" * 16
_SHORTEST = 25.0
"""Tokens of the shortest reply: a score and the nonce, as JSON."""

_PICTURES = "number of tokens of pictures unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingPlan:
    """The judges with their scorers, and their prices.

    ``cards`` are rates by judge, ``embeddings`` those by embedding model, ``reasons`` those for
    missing rates, ``stored`` each judge's usage in earlier judgments.
    """

    suite: Suite
    chosen: JudgeSpec | None
    cards: Mapping[str, RateCard | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    stored: Mapping[str, JudgeTotals] = field(default_factory=dict)
    embeddings: Mapping[str, RateCard | None] = field(default_factory=dict)


def judges_estimate(
    judged: JudgingPlan,
    cases: Iterable[Case],
    *,
    models: int,
    runs: int,
    max_tokens: int,
    number: int | None = None,
    sample: int | None = None,
) -> tuple[ModelEstimate, ...]:
    """Return each judge's part: its questions, their tokens, and their cost.

    Args:
        judged: the judging plan.
        cases: the cases, read once.
        models: number of models.
        runs: number of runs.
        max_tokens: limit of every answer.
        number: number of cases, if known.
        sample: number of cases to read and extrapolate from.
    """
    sums = _Sums(judged, models=models, runs=runs, max_tokens=max_tokens)
    factor = add_sample(cases, sums.add, number=number, sample=sample)
    return tuple(sums.estimate(judge, factor) for judge in judged.cards)


@dataclass(slots=True)
class _Sum:
    requests: Span = field(default_factory=Span)
    given: Span = field(default_factory=Span)
    made: Span = field(default_factory=Span)
    has_pictures: bool = False

    def add(self, times: Span, given: Span, made: Span) -> None:
        """Add questions of this size, with their minimum and maximum number."""
        self.requests = self.requests.plus(times)
        self.given = self.given.plus(Span(times.low * given.low, times.high * given.high))
        self.made = self.made.plus(Span(times.low * made.low, times.high * made.high))


class _Sums:
    """Adds up cases, judge by judge."""

    def __init__(self, judged: JudgingPlan, *, models: int, runs: int, max_tokens: int) -> None:
        self._judged = judged
        self._models, self._runs, self._max_tokens = models, runs, max_tokens
        self._profile = profile_named(judged.suite.profile)
        self._sums = {judge: _Sum() for judge in judged.cards}
        self._scorers: dict[str, LLMJudge | CodeJudge | None] = {}
        self._around: dict[tuple[int, bool], Span] = {}

    def add(self, case: Case) -> None:
        """Every question about the answers to a case; with prompts, it is asked with the first."""
        prompts = self._judged.suite.prompts
        case = case_with_prompt(self._judged.suite, case, prompts[0].id) if prompts else case
        spec = self._judged.suite.scorer_of(case)
        for one, seen in applications(spec, case, self._profile) if spec is not None else ():
            scorer = self._scorer(one)
            if isinstance(scorer, CodeJudge):
                self._add_page(scorer, seen)
            elif scorer is not None:
                self._add_judging(scorer, seen)

    def _add_page(self, scorer: CodeJudge, case: Case) -> None:
        """The questions about the pages that answer a case, from every judge."""
        prompt = _page_tokens(scorer, case, output_of(case, self._max_tokens))
        fewest = float(self._runs * scorer.repeats)
        for juror in scorer.models:
            found = self._sums[juror.model]
            found.has_pictures |= scorer.vision
            times = Span(fewest, self._models * fewest)
            found.add(times, prompt, self._reply(scorer, juror.model))

    def _add_judging(self, scorer: LLMJudge, case: Case) -> None:
        prompt, orders = self._prompt(scorer, case), 2 if scorer.mode == "pairwise" else 1
        for at, juror in enumerate(scorer.models):
            fewest = float(self._runs * scorer.repeats * orders)  # all models answer alike
            times = Span(0.0 if scorer.cascade and at else fewest, self._models * fewest)
            self._sums[juror.model].add(times, prompt, self._reply(scorer, juror.model))
        if _is_prepared(scorer, case):
            once, question = Span(1.0, 1.0), estimate_tokens(transcript(case.conversation()))
            made = Span(1.0, scorer.max_tokens)
            self._sums[scorer.models[0].model].add(once, question.plus(turn_tokens(2)), made)

    def estimate(self, judge: str, factor: float) -> ModelEstimate:
        """Return a judge's part, ``factor`` times the sum."""
        found, card = self._sums[judge], self._judged.cards[judge]
        given, made = found.given.times(factor), found.made.times(factor)
        cost = cost_of(card, given, made) if card and not found.has_pictures else None
        reason = _PICTURES if card and found.has_pictures else self._judged.reasons.get(judge, "")
        known = self._judged.stored.get(judge)
        return ModelEstimate(
            judge,
            round(found.requests.high * factor),
            given,
            made,
            cost,
            "" if cost else reason or NOT_KNOWN,
            f"replies as long as {known.judgments:,} stored ones" if known else "",
        )

    def _scorer(self, spec: ScorerSpec) -> LLMJudge | CodeJudge | None:
        """Return the scorer with its judges; None if it has none, or its own protocol."""
        key = repr(spec)
        if key not in self._scorers:
            self._scorers[key] = _build_judge(spec, self._judged)
        return self._scorers[key]

    def _prompt(self, scorer: LLMJudge, case: Case) -> Span:
        """Return a question's tokens: instructions, and the texts shown."""
        is_pair = scorer.mode == "pairwise"
        has_reference = not is_pair and scorer.reference_of(case) is not None
        around = self._around.get((id(scorer), has_reference))
        if around is None:
            around = _overhead_tokens(scorer, has_reference=has_reference)
            self._around[id(scorer), has_reference] = around
        answer = output_of(case, self._max_tokens)
        shown = estimate_tokens(transcript(case.conversation())).plus(answer)
        if has_reference or (is_pair and scorer.baseline is None):
            shown = shown.plus(estimate_tokens(case.expected or ""))
        elif is_pair:
            shown = shown.plus(answer)
        elif scorer.reference == "own":
            shown = shown.plus(Span(1.0, scorer.max_tokens))
        for text in _check_texts(scorer, case):
            shown = shown.plus(estimate_tokens(text))
        return around.plus(shown)

    def _reply(self, scorer: LLMJudge | CodeJudge, judge: str) -> Span:
        known = self._judged.stored.get(judge)
        if known is not None and known.output_tokens is not None:
            mean = min(known.output_tokens / known.judgments, scorer.max_tokens)
            return Span(mean, mean)
        return Span(min(_SHORTEST, scorer.max_tokens), scorer.max_tokens)


def _build_judge(spec: ScorerSpec, judged: JudgingPlan) -> LLMJudge | CodeJudge | None:
    cls = plugins.load("scorer", spec.id)
    if not is_asking(cls):
        return None
    spec = judging_spec(spec, cls, suite=judged.suite.judge, chosen=judged.chosen)
    made: Any = build(with_judge_prompt(spec, judged.suite), profile_named(judged.suite.profile))
    return made if isinstance(made, LLMJudge | CodeJudge) and made.models else None


def _page_tokens(scorer: CodeJudge, case: Case, answer: Span) -> Span:
    """Return a question's tokens: instructions, prompt, code, and a report up to the limit."""
    prompt = code_prompt(
        "", CodeExcerpt("", 0), {}, nonce=_NONCE, limit=scorer.limit,
        judge_prompt=scorer.instructions,
    )  # fmt: skip
    most = min(QUICK, scorer.limit) if scorer.quick else scorer.limit
    code = Span(answer.low, min(answer.high, estimate_tokens("x" * most).high))
    report = Span(0.0, estimate_tokens("x" * scorer.limit).high)
    question = estimate_tokens(transcript(case.conversation()))
    return _message_tokens(prompt).plus(question).plus(code).plus(report)


def _check_texts(scorer: LLMJudge, case: Case) -> Iterator[str]:
    """Yield the texts of one check that the judge is shown: its rubric, its context."""
    own = scorer.judge_prompt(case)
    if isinstance(own, Instructions):
        yield from own.values.values()
    yield scorer.context_of(case) or ""


def _is_prepared(scorer: LLMJudge, case: Case) -> bool:
    """True if the judge writes something for the case first, once for all answers."""
    is_listed = scorer.mode == "checklist" and not scorer.criteria
    return is_listed or (scorer.reference == "own" and scorer.reference_of(case) is None)


def _overhead_tokens(scorer: LLMJudge, *, has_reference: bool) -> Span:
    """The tokens of a question about nothing: the instructions, the markers, the form."""
    expect = scorer.expected_reply
    if scorer.mode == "pairwise":
        prompt = pairwise_prompt(
            "", "", "", nonce=_NONCE, expect=expect, judge_prompt=scorer.judge_prompt()
        )
    else:
        prompt = absolute_prompt(
            "", "", nonce=_NONCE, expect=expect, reference="" if has_reference else None,
            judge_prompt=scorer.judge_prompt(), context="" if scorer.shows_context else None,
        )  # fmt: skip
    return _message_tokens(prompt)


def _message_tokens(prompt: Prompt) -> Span:
    texts = [estimate_tokens(turn.content) for turn in prompt.messages]
    total = turn_tokens(len(texts))
    for span in texts:
        total = total.plus(span)
    return total

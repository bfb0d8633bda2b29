"""The scorer that applies several checks to an answer."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace
from pydantic import Field

from benchmaker.errors import PrerequisiteError, SpecError, StoreError
from benchmaker.plugins import scorer
from benchmaker.record import Extraction, Score, Trial, failure_words
from benchmaker.redact import Redactor
from benchmaker.scoring.base import Ask, AskingHalted, Scorer, is_asking
from benchmaker.scoring.build import build
from benchmaker.scoring.checks.nested import case_for_check, expected_of_check, scorer_of_check
from benchmaker.spec import Case, CheckSpec, Family, Profile
from benchmaker.spec import profile as named_profile
from benchmaker.spec.suites.check_spec import CHECKS

_SHOWN = 60
_ROUNDING = 1e-12
"""How far a weighted share may fall below the threshold by rounding alone."""

_STOPS = (AskingHalted, StoreError, PrerequisiteError)
"""Errors that concern the run and not one check."""

_NEEDS = ("required", "preferred")
_redactor = Redactor()


class _Part(NamedTuple):
    """A check with its scorer, and the texts that replace the case's expected answer."""

    spec: CheckSpec
    scorer: Scorer
    expected: tuple[str, ...] | None


class CheckResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one check, as in the ``detail`` of a score.

    ``passed`` is None if the check is undecided; ``reason`` says why. ``score`` (0 to 1) is
    inverted with ``negated``, which is written as ``not``. ``type``, ``weight``, ``threshold`` and
    ``metric`` are those of the suite. The other fields are those of the scorer's score.
    """

    type: str
    metric: str | None = None
    weight: float = 1.0
    negated: bool = msgspec.field(default=False, name="not")
    threshold: float | None = None
    passed: bool | None
    score: float | None
    reason: str = ""
    detail: dict[str, Any] = {}
    confidence: float | None = None
    scorer_version: str = ""
    extraction: Extraction | None = None
    expected: str | None = None
    raw_score: float | None = None
    max_score: float | None = None
    flags: tuple[str, ...] = ()


@scorer
@dataclass(frozen=True)
class Checks:
    """Full marks if all checks pass, or their weighted share with a threshold.

    Each of ``checks`` names its scorer as ``type``, with the parameters beside it; ``not``,
    ``weight``, ``threshold`` and ``metric`` are optional. A check passes with full marks, or from
    its threshold on. With a ``threshold`` of the whole, the score is the sum of weight times score
    over the sum of weights, and the answer passes from it on. Checks of weight 0 only report.

    An undecided check of weight above 0, such as one whose judge did not reply, leaves the answer
    without a score.

    Example:
        ``checks: [{type: regex, pattern: '/lima/i'}, {type: exact, value: Cusco, not: true}]``

        >>> import asyncio
        >>> from benchmaker.testing import a_case, a_trial
        >>> checks = (CheckSpec(type="regex", pattern="/lima/i"), CheckSpec(type="exact"))
        >>> made = Checks(checks, threshold=0.5)
        >>> score = asyncio.run(made.score(a_case(expected="Cusco"), a_trial(text="Lima.")))
        >>> score.score, score.detail["passed"]
        (0.5, True)
    """

    checks: tuple[CheckSpec, ...]
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    family: Family = Family.CLASSIC

    explains_unscored: ClassVar = True
    earlier: ClassVar = {"robust/1": "benchmaker.scoring.robust_1.checks:Checks"}

    def __post_init__(self) -> None:
        if not self.checks:
            raise SpecError("checks is empty.", hint="Add at least one check.")
        self._parts  # noqa: B018  it raises for checks that can't be built

    @property
    def profile(self) -> Profile:
        """The profile under which its checks are built."""
        return named_profile(str(self.family))

    @property
    def asks(self) -> bool:
        """True if one of the checks queries a model."""
        return any(is_asking(part.scorer) for part in self._parts)

    @property
    def logprobs(self) -> str:
        """The strongest need of the checks for log probabilities."""
        needs = {getattr(part.scorer, "logprobs", "unused") for part in self._parts}
        return next((one for one in _NEEDS if one in needs), "unused")

    @property
    def scorers(self) -> Iterator[Scorer]:
        """The scorers of the checks, at any depth."""
        for part in self._parts:
            inner = part.scorer
            if isinstance(inner, Checks):
                yield from inner.scorers
            else:
                yield inner

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        return tuple(
            _Part(
                check,
                build(scorer_of_check(check, self.profile), self.profile),
                expected_of_check(check, self.profile),
            )
            for check in self.checks
        )

    async def score(self, case: Case, trial: Trial, ask: Ask | None = None) -> Score:
        """Return the score; ``detail`` holds the verdict and the result of each check.

        Raises:
            AskingHalted: no further questions are sent to judges in this session.
        """
        return self._combine([await _result(part, case, trial, ask) for part in self._parts])

    def check(self, case: Case) -> list[str]:
        """Return the objections of the checks to a case."""
        return [
            f"{part.spec.type}: {message}"
            for part in self._parts
            for message in _objections(part, case)
        ]

    def explain(self, score: Score) -> list[str]:
        """Return a line for each check, with the arithmetic of its scorer, and the sum."""
        if CHECKS not in score.detail:
            return [score.notes]
        results = results_of(score.detail)
        lines = [
            line
            for part, result in zip(self._parts, results, strict=True)
            for line in (_line(part.spec, result), *_own_lines(part, result))
        ]
        return [*lines, *_sum_lines(results, score)]

    def _combine(self, results: Sequence[CheckResult]) -> Score:
        counted = [one for one in results if one.weight > 0]
        undecided = [one for one in counted if one.score is None or one.passed is None]
        if not counted:
            score = Score.unscored("no check counts: all weights are 0, so they only report")
        elif undecided:
            score = Score.unscored(_undecided_reason(counted, undecided, self.threshold))
        else:
            score = self._decide(counted)
        passed = score.detail.get("passed")
        plain = [_with_defaults(one) for one in results]
        detail = {"passed": passed, "threshold": self.threshold, CHECKS: plain}
        flags = tuple(dict.fromkeys(flag for one in results for flag in one.flags))
        return replace(score, detail=detail, flags=flags)

    def _decide(self, counted: Sequence[CheckResult]) -> Score:
        failed = [one for one in counted if not one.passed]
        notes = _failed_words(failed, len(counted))
        if self.threshold is None:
            return Score.of(float(not failed), notes=notes, detail={"passed": not failed})
        share = weighted_share(counted)
        passed = share >= self.threshold - _ROUNDING
        return Score.of(share, notes=notes, detail={"passed": passed})


def weighted_share(results: Sequence[CheckResult]) -> float:
    """Return the sum of weight times score over the sum of weights, within 0 to 1."""
    weights = fsum(one.weight for one in results)
    total = fsum(one.weight * (one.score or 0.0) for one in results)
    return min(1.0, total / weights)


def results_of(detail: Mapping[str, Any]) -> list[CheckResult]:
    """Return the results of the checks in the ``detail`` of a score; empty for other scorers."""
    listed = detail.get(CHECKS)
    return msgspec.convert(listed, list[CheckResult]) if isinstance(listed, (list, tuple)) else []


async def _result(part: _Part, case: Case, trial: Trial, ask: Ask | None) -> CheckResult:
    """Apply one check; a failure of its scorer leaves it undecided."""
    seen = case_for_check(case, part.expected)
    try:
        score = await _apply(part.scorer, seen, trial, ask)
    except _STOPS:
        raise
    except Exception as exc:  # noqa: BLE001  foreign code may raise anything; it becomes data
        words = failure_words(type(exc).__name__, _redactor.text(str(exc)))
        score = Score.unscored(f"the scorer failed: {words}")
    return _judge(part, score, seen)


async def _apply(inner: Scorer, case: Case, trial: Trial, ask: Ask | None) -> Score:
    """Return the valid score of a scorer, awaited if it is asynchronous."""
    given: Any = inner.score
    made = given(case, trial, ask) if is_asking(inner) else given(case, trial)
    score = await made if inspect.isawaitable(made) else made
    if not isinstance(score, Score):
        raise TypeError(f"the scorer returned {type(score).__name__}, not a Score")
    if score.score is not None and not 0.0 <= score.score <= 1.0:
        raise ValueError(f"the scorer returned {score.score!r}; a score must be between 0 and 1")
    return score


def _judge(part: _Part, score: Score, case: Case) -> CheckResult:
    """Return the verdict on a score by the check's threshold and its ``not``."""
    spec, passed, value = part.spec, _passes(part, score), score.score
    if spec.is_negated and passed is not None and value is not None:
        passed, value = not passed, 1.0 - value
    expected = score.expected
    if expected is None and part.expected is not None:
        expected = case.expected
    return CheckResult(
        type=spec.type,
        metric=spec.metric,
        weight=spec.weight,
        negated=spec.is_negated,
        threshold=_threshold_of(part),
        passed=passed,
        score=value,
        reason=score.notes,
        detail=score.detail,
        confidence=score.confidence,
        scorer_version=part.scorer.version,
        extraction=score.extraction,
        expected=expected,
        raw_score=score.raw_score,
        max_score=score.max_score,
        flags=score.flags,
    )


def _threshold_of(part: _Part) -> float | None:
    """The score from which a check passes; None for full marks."""
    if part.spec.threshold is not None:
        return part.spec.threshold
    default: float | None = getattr(part.scorer, "default_threshold", None)
    return default


def _passes(part: _Part, score: Score) -> bool | None:
    if score.score is None:
        return None
    if isinstance(part.scorer, Checks):
        passed: bool | None = score.detail.get("passed")
        return passed
    own: object = score.detail.get("passed")
    if part.spec.threshold is None and isinstance(own, bool):
        return own
    threshold = _threshold_of(part)
    return score.score == 1.0 if threshold is None else score.score >= threshold


def _with_defaults(result: CheckResult) -> dict[str, Any]:
    """The result as plain data; fields that every check has are written even if empty."""
    always = ("type", "metric", "weight", "threshold", "passed", "score", "reason")
    plain = msgspec.to_builtins(result)
    known = {name: getattr(result, name) for name in always}
    return {**known, "not": result.negated, **plain}


def _undecided_reason(
    counted: Sequence[CheckResult], undecided: Sequence[CheckResult], threshold: float | None
) -> str:
    first = undecided[0]
    more = f" (and {len(undecided) - 1} more)" if len(undecided) > 1 else ""
    reason = f"the check {first.type}{more} is undecided: {first.reason or 'no reason given'}"
    failed = [one for one in counted if one.passed is False]
    if threshold is None and failed:
        reason += f"; {_names(failed)} failed"
    return reason


def _failed_words(failed: Sequence[CheckResult], counted: int) -> str:
    if not failed:
        return "all checks passed" if counted > 1 else "the check passed"
    reasons = "; ".join(_failure(one) for one in failed[:3])
    more = f"; and {len(failed) - 3} more" if len(failed) > 3 else ""  # noqa: PLR2004  a note's length
    return f"{len(failed)} of {counted} checks failed: {reasons}{more}"


def _failure(result: CheckResult) -> str:
    name = f"not {result.type}" if result.negated else result.type
    return f"{name} ({result.reason})" if result.reason else name


def _names(results: Sequence[CheckResult]) -> str:
    return ", ".join(dict.fromkeys(one.type for one in results))


def _objections(part: _Part, case: Case) -> Sequence[str]:
    inner: Any = part.scorer
    found: Sequence[str] = (
        inner.check(case_for_check(case, part.expected)) if hasattr(inner, "check") else ()
    )
    return found


def _line(spec: CheckSpec, result: CheckResult) -> str:
    """One check in a line: its verdict, what it tests, its score and weight."""
    sign = {True: "✓", False: "✗", None: "?"}[result.passed]
    name = f"not {result.type}" if result.negated else result.type
    tested = _parameters_text(spec)
    facts = [f"score {result.score:g}" if result.score is not None else "no score"]
    if result.threshold is not None:
        facts.append(f"threshold {result.threshold:g}")
    facts.append(f"weight {result.weight:g}")
    if result.metric:
        facts.append(f"metric {result.metric}")
    reason = f": {result.reason}" if result.reason else ""
    return f"{sign} {name}{tested} ({', '.join(facts)}){reason}"


def _parameters_text(spec: CheckSpec) -> str:
    """The parameters of a check, shortened."""
    given = {name: it for name, it in spec.parameters.items() if name != CHECKS}
    if not given:
        return ""
    texts = [
        _quote(it) if name == "value" else f"{name}={_quote(it)}" for name, it in given.items()
    ]
    text = ", ".join(texts)
    return f" {text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'}"


def _quote(value: object) -> str:
    """A parameter's value; a printable text in quotes, with its backslashes as written."""
    return f"'{value}'" if isinstance(value, str) and value.isprintable() else repr(value)


def _own_lines(part: _Part, result: CheckResult) -> list[str]:
    """The arithmetic of the check's own scorer, indented."""
    inner: Any = part.scorer
    is_explained = result.score is not None or getattr(inner, "explains_unscored", False)
    if not hasattr(inner, "explain") or not result.detail or not is_explained:
        return []
    lines = inner.explain(_score_before_not(result))
    return [f"    {line}" for line in lines if line and line != result.reason]


def _score_before_not(result: CheckResult) -> Score:
    value = result.score
    return Score(
        score=1.0 - value if result.negated and value is not None else value,
        confidence=result.confidence,
        notes=result.reason,
        raw_score=result.raw_score,
        max_score=result.max_score,
        extraction=result.extraction,
        expected=result.expected,
        detail=result.detail,
        flags=result.flags,
    )


def _sum_lines(results: Sequence[CheckResult], score: Score) -> list[str]:
    if score.score is None:
        return [score.notes]
    counted = [one for one in results if one.weight > 0]
    threshold = score.detail["threshold"]
    if threshold is None:
        passed = sum(bool(one.passed) for one in counted)
        return [f"{passed} of {len(counted)} checks passed; score = {score.score:g}"]
    products = " + ".join(f"{one.weight:g}·{one.score:g}" for one in counted)
    weights = fsum(one.weight for one in counted)
    verdict = "passed" if score.detail["passed"] else "failed"
    sign = "≥" if score.detail["passed"] else "<"
    return [
        f"({products})/{weights:g} = {score.score:g}",
        f"{score.score:g} {sign} threshold {threshold:g}: {verdict}",
    ]

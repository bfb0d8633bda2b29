"""The scorer that applies several checks to an answer."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec
from pydantic import Field

from benchmaker.errors import PrerequisiteError, ScorerError, SpecError, StoreError
from benchmaker.plugins import scorer
from benchmaker.record import POLICY_ZERO, Extraction, Outcome, Score, Trial, failure_words
from benchmaker.redact import Redactor
from benchmaker.scoring.base import (
    Ask,
    AskingHalted,
    Objection,
    Scorer,
    is_asking,
    scores_refusals,
)
from benchmaker.scoring.build import build
from benchmaker.scoring.checks.filtering import filter_trial, require_patterns
from benchmaker.scoring.checks.nested import case_for_check, expected_of_check, scorer_of_check
from benchmaker.scoring.checks.reasons import passed_reason, undecided_reason, verdict_reason
from benchmaker.scoring.checks.values import BeyondLimit
from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.thresholds import ROUNDING, reaches
from benchmaker.spec import Case, CheckSpec, Family, Profile
from benchmaker.spec import profile as named_profile
from benchmaker.spec.suites.check_spec import CHECKS

_SHOWN = 60
_STOPS = (AskingHalted, StoreError, PrerequisiteError)
"""Errors that concern the run and not one check."""

_NEEDS = ("required", "preferred")
_redactor = Redactor()


Result = dict[str, Any]
"""The result of a check as plain data, as :class:`CheckResult` describes it."""


class _Part(NamedTuple):
    """A check with its scorer, and what is the same for every answer.

    ``expected`` replaces the case's expected answer; ``threshold`` is the score from which it
    passes, None for full marks; ``result`` holds the first fields of its results.
    """

    spec: CheckSpec
    scorer: Scorer
    expected: tuple[str, ...] | None
    threshold: float | None
    asks: bool
    result: Result


class CheckResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of one check, as in the ``detail`` of a score.

    ``passed`` is None if the check is undecided; ``reason`` says why. ``score`` (0 to 1) is
    inverted with ``negated``, which is written as ``not``. ``type``, ``weight``, ``threshold`` and
    ``metric`` are those of the suite. ``filtered_text`` is what the check read of the answer, if it
    has filters. The other fields are those of the scorer's score.
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
    filtered_text: str | None = None


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
        >>> from benchmaker.spec import CheckSpec
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
    def scores_refusals(self) -> bool:
        """True if one of the checks scores refused, filtered and empty answers."""
        return any(map(scores_refusals, self.scorers))

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
        return tuple(_make_part(check, self.profile) for check in self.checks)

    async def score(self, case: Case, trial: Trial, ask: Ask | None = None) -> Score:
        """Return the score; ``detail`` holds the verdict and the result of each check.

        Raises:
            AskingHalted: no further questions are sent to judges in this session.
        """
        seen: dict[tuple[str, ...] | None, Case] = {None: case}
        results = []
        for part in self._parts:
            if part.expected not in seen:
                seen[part.expected] = case_for_check(case, part.expected)
            if part.spec.filters:
                results.append(await _result_after_filters(part, seen[part.expected], trial, ask))
                continue
            made = _start(part, seen[part.expected], trial, ask)
            score = made if isinstance(made, Score) else await _awaited(made)
            results.append(_judge(part, score, seen[part.expected]))
        return self._combine(results)

    def zero_score(self, case: Case, outcome: Outcome, reason: str) -> Score:  # noqa: ARG002  same for all
        """Return a score of 0 in which every check has failed, also one with ``not``.

        It is the score of an answer that earns nothing, whatever its text, so that its metrics
        are 0 as well.
        """
        return Score.of(0.0, confidence=1.0, notes=reason, detail=self.zero_detail(reason))

    def zero_detail(self, reason: str) -> dict[str, Any]:
        """Return the detail of such a score, with nested sets."""
        results = [_zero_result(part, reason) for part in self._parts]
        return {"passed": False, "threshold": self.threshold, CHECKS: results}

    def check(self, case: Case) -> list[str]:
        """Return the objections of the checks to a case."""
        return [
            f"{part.spec.type}: {message}"
            for part in self._parts
            for message in _objections(part, case)
        ]

    def explain(self, score: Score) -> list[str]:
        """Return a line for each check, with the arithmetic of its scorer, and the sum."""
        if CHECKS not in score.detail or POLICY_ZERO in score.flags:
            return [score.notes]
        results = results_of(score.detail)
        lines = [
            line
            for part, result in zip(self._parts, results, strict=True)
            for line in (_line(part.spec, result), *_own_lines(part, result))
        ]
        return [*lines, *_sum_lines(results, score)]

    def _combine(self, results: list[Result]) -> Score:
        counted = [one for one in results if one["weight"] > 0]
        undecided = [one for one in counted if one["score"] is None or one["passed"] is None]
        passed, share = None, None
        if not counted:
            notes = "no check counts: all weights are 0, so they only report"
        elif undecided:
            notes = undecided_reason(counted, undecided, self.threshold)
        else:
            notes = verdict_reason(counted)
            passed, share = self._decide(counted)
        detail = {"passed": passed, "threshold": self.threshold, CHECKS: results}
        flags = tuple(dict.fromkeys(flag for one in results for flag in one.get("flags", ())))
        return Score(score=share, notes=notes, detail=detail, flags=flags)

    def _decide(self, counted: Sequence[Result]) -> tuple[bool, float]:
        """The verdict and the score by decided checks."""
        if self.threshold is None:
            passed = all(one["passed"] for one in counted)
            return passed, float(passed)
        share = _weighted_share(counted)
        return reaches(share, self.threshold), share


async def _result_after_filters(part: _Part, case: Case, trial: Trial, ask: Ask | None) -> Result:
    """The result of a check on the answer after its filters; undecided if one can't read it."""
    try:
        seen = await filter_trial(trial, part.spec.filters)
    except (BeyondLimit, ScorerError) as exc:
        return _judge(part, _failure_score(exc), case)
    made = _start(part, case, seen, ask)
    score = made if isinstance(made, Score) else await _awaited(made)
    return {**_judge(part, score, case), "filtered_text": shorten(seen.text)}


def _make_part(check: CheckSpec, profile: Profile) -> _Part:
    require_patterns(check.filters)
    inner = build(scorer_of_check(check, profile), profile)
    default: float | None = getattr(inner, "default_threshold", None)
    threshold = default if check.threshold is None else check.threshold
    fixed: Result = {
        "type": check.type,
        "metric": check.metric,
        "weight": check.weight,
        "threshold": threshold,
    }
    expected = expected_of_check(check, profile)
    return _Part(check, inner, expected, threshold, is_asking(inner), fixed)


def _zero_result(part: _Part, reason: str) -> Result:
    made = {
        **part.result,
        "passed": False,
        "score": 0.0,
        "reason": reason,
        "not": part.spec.is_negated,
    }
    if isinstance(part.scorer, Checks):
        made["detail"] = part.scorer.zero_detail(reason)
    return made


def _weighted_share(results: Sequence[Result]) -> float:
    """Return the sum of weight times score over the sum of weights, within 0 to 1."""
    weights = fsum(one["weight"] for one in results)
    return min(1.0, fsum(one["weight"] * one["score"] for one in results) / weights)


def results_of(detail: Mapping[str, Any]) -> list[CheckResult]:
    """Return the results of the checks in the ``detail`` of a score; empty for other scorers."""
    listed = detail.get(CHECKS)
    return msgspec.convert(listed, list[CheckResult]) if isinstance(listed, (list, tuple)) else []


def _start(part: _Part, case: Case, trial: Trial, ask: Ask | None) -> object:
    """Return what the scorer returns: a score, or its promise if it is asynchronous.

    A failure of the scorer becomes a missing score.
    """
    given: Any = part.scorer.score
    try:
        made: object = given(case, trial, ask) if part.asks else given(case, trial)
    except _STOPS:
        raise
    except Exception as exc:  # noqa: BLE001  foreign code may raise anything; it becomes data
        return _failure_score(exc)
    return made


async def _awaited(made: object) -> Score:
    """Return the score of an asynchronous scorer; without one where it fails."""
    try:
        score = await made if inspect.isawaitable(made) else made
    except _STOPS:
        raise
    except Exception as exc:  # noqa: BLE001  as above
        return _failure_score(exc)
    if isinstance(score, Score):
        return score
    return _failure_score(TypeError(f"the scorer returned {type(score).__name__}, not a Score"))


def _failure_score(exc: Exception) -> Score:
    if isinstance(exc, BeyondLimit):
        return Score.unscored(exc.message.rstrip("."))
    words = failure_words(type(exc).__name__, _redactor.text(str(exc)))
    return Score.unscored(f"the scorer failed: {words}")


def _judge(part: _Part, score: Score, case: Case) -> Result:
    """Return the verdict on a score by the check's threshold and its ``not``."""
    value = score.score
    if value is not None and not 0.0 <= value <= 1.0:
        fault = f"the scorer returned {value!r}; a score must be between 0 and 1"
        score, value = _failure_score(ValueError(fault)), None
    spec, passed = part.spec, _passes(part, score)
    if spec.is_negated and passed is not None and value is not None:
        passed, value = not passed, 1.0 - value
    made = {
        **part.result,
        "threshold": None if _decides_itself(part, score) else part.threshold,
        "passed": passed,
        "score": value,
        "reason": _reason(part, score),
        "not": spec.is_negated,
    }
    if score.detail:
        made["detail"] = msgspec.to_builtins(score.detail)
    if score.confidence is not None:
        made["confidence"] = score.confidence
    if part.scorer.version:
        made["scorer_version"] = part.scorer.version
    if score.extraction is not None:
        made["extraction"] = msgspec.to_builtins(score.extraction)
    expected = case.expected if part.expected and score.expected is None else score.expected
    if expected is not None:
        made["expected"] = expected
    if score.raw_score is not None or score.max_score is not None or score.flags:
        made |= _rare_fields(score)
    return made


def _reason(part: _Part, score: Score) -> str:
    """The scorer's words; of a set that passed, the reasons of its checks."""
    if isinstance(part.scorer, Checks) and score.detail.get("passed"):
        return passed_reason([one for one in score.detail[CHECKS] if one["weight"] > 0])
    return score.notes


def _rare_fields(score: Score) -> Result:
    """The fields that few results have."""
    given = {
        "raw_score": score.raw_score,
        "max_score": score.max_score,
        "flags": list(score.flags) or None,
    }
    return {name: it for name, it in given.items() if it is not None}


def _passes(part: _Part, score: Score) -> bool | None:
    value = score.score
    if value is None:
        return None
    if isinstance(part.scorer, Checks) or _decides_itself(part, score):
        return bool(score.detail["passed"])
    threshold = 1.0 if part.threshold is None else part.threshold
    return reaches(value, threshold, rounding=getattr(part.scorer, "rounding", ROUNDING))


def _decides_itself(part: _Part, score: Score) -> bool:
    """True if the scorer has a verdict of its own, which a threshold of the check replaces."""
    is_group = isinstance(part.scorer, Checks)
    has_verdict = isinstance(score.detail.get("passed"), bool)
    return part.spec.threshold is None and has_verdict and not is_group


def _objections(part: _Part, case: Case) -> Sequence[str]:
    inner: Any = part.scorer
    found: Sequence[str | Objection] = (
        inner.check(case_for_check(case, part.expected)) if hasattr(inner, "check") else ()
    )
    return [it.message if isinstance(it, Objection) else it for it in found]


def _line(spec: CheckSpec, result: CheckResult) -> str:
    """One check in a line: its verdict, what it tests, its score and weight."""
    sign = {True: "✓", False: "✗", None: "?"}[result.passed]
    name = f"not {result.type}" if result.negated else result.type
    tested = _parameters_text(spec)
    facts = [f"score {result.score:g}" if result.score is not None else "no score"]
    if result.threshold is not None:
        facts.append(_threshold_words(result.threshold, negated=result.negated))
    facts.append(f"weight {result.weight:g}")
    if result.metric:
        facts.append(f"metric {result.metric}")
    reason = f": {result.reason}" if result.reason else ""
    if reason and result.negated and result.passed:
        reason += ", as required"
    return f"{sign} {name}{tested} ({', '.join(facts)}){reason}"


def _threshold_words(threshold: float, *, negated: bool) -> str:
    """The threshold in the sense of the score, which ``not`` inverts."""
    return f"must be above {1 - threshold:.6g}" if negated else f"threshold {threshold:g}"


def _parameters_text(spec: CheckSpec) -> str:
    """The parameters of a check, shortened; of a function in a file without the folder."""
    given = {name: it for name, it in spec.parameters.items() if name not in (CHECKS, "sha256")}
    if spec.type == "python" and isinstance(path := given.get("value"), str):
        given["value"] = path.rpartition("/")[2]
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
    filtered = [] if result.filtered_text is None else [f"read: {result.filtered_text!r}"]
    if not hasattr(inner, "explain") or not result.detail or not is_explained:
        return [f"    {line}" for line in filtered]
    lines = [*filtered, *inner.explain(_score_before_not(result)), *_inversion(result)]
    return [f"    {line}" for line in lines if line and line != result.reason]


def _inversion(result: CheckResult) -> list[str]:
    if not result.negated or result.score is None:
        return []
    return [f"not: 1 − {1 - result.score:.6g} = {result.score:.6g}"]


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

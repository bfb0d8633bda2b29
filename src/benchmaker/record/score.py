"""A scorer's result for an answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any, Self

import msgspec

from benchmaker.spec.suites.case import join_alternatives
from benchmaker.spec.suites.check_spec import PASS_RATE

BY_LIKELIHOOD = "by_likelihood"
"""The flag of a choice by the likelihood of the letters."""

BY_GENERATED = "by_generated"
"""The flag of a choice by the generated letter where the likelihood was preferred."""

POLICY_ZERO = "policy_zero"
"""The flag of an answer scored 0 by the suite's policy, such as a refusal."""


class Extraction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The text extracted from a reply before scoring, with its rule.

    ``rule`` is the rule that matched (``whole`` for the whole reply, ``nothing`` if a named rule
    did not match); ``text`` is the extracted text before normalisation.
    """

    rule: str
    text: str


def expectation_of(expected: str | None, also_expected: Iterable[str]) -> str | None:
    """All right answers as one readable text; None if none is expected."""
    return None if expected is None else join_alternatives((expected, *also_expected))


class Score(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value from 0 to 1, or None with the reason why there is none.

    Published as ``ScoringResult``: ``score``, ``confidence``, ``notes``, ``raw_score`` and
    ``max_score`` (the original scale). The rest explains the number: scorer, its version and
    parameters, profile, the extraction, and in ``detail`` each figure of the arithmetic, in the
    order printed by ``explain``. Of several right answers ``expected`` is the one that counted,
    ``also_expected`` the others.
    """

    score: float | None
    confidence: float | None = None
    notes: str = ""
    raw_score: float | None = None
    max_score: float | None = None
    scorer: str = ""
    scorer_version: str = ""
    profile: str = ""
    parameters: dict[str, Any] = {}
    extraction: Extraction | None = None
    expected: str | None = None
    also_expected: tuple[str, ...] = ()
    detail: dict[str, Any] = {}
    flags: tuple[str, ...] = ()

    @property
    def expectation(self) -> str | None:
        """All right answers as one readable text; None if none is expected."""
        return expectation_of(self.expected, self.also_expected)

    @classmethod
    def of(
        cls,
        score: float,
        *,
        confidence: float | None = None,
        notes: str = "",
        detail: Mapping[str, Any] | None = None,
        flags: tuple[str, ...] = (),
    ) -> Self:
        """A score; ValueError outside 0 to 1, NaN included."""
        if not 0.0 <= score <= 1.0:
            msg = f"a score must be between 0 and 1, not {score!r}"
            raise ValueError(msg)
        return cls(
            score=score, confidence=confidence, notes=notes, detail=dict(detail or {}), flags=flags
        )

    @classmethod
    def unscored(cls, reason: str, *, flags: tuple[str, ...] = ()) -> Self:
        """No score, and why."""
        return cls(score=None, notes=reason, flags=flags)

    @property
    def checks(self) -> tuple[dict[str, Any], ...]:
        """The results of the checks of an answer as plain data; empty for other scorers."""
        listed = self.detail.get("checks")
        return tuple(listed) if isinstance(listed, (list, tuple)) else ()

    @property
    def verdict(self) -> bool | None:
        """The verdict of the checks; None while one is undecided, and for other scorers."""
        passed: bool | None = self.detail.get("passed") if self.checks else None
        return passed

    @property
    def metrics(self) -> dict[str, float | None]:
        """The named metrics of the checks: the weighted mean of each; None while undecided.

        Checks of weight 0 count equally if no other check names the metric. With a threshold of
        the whole, ``pass_rate`` is 1 for an answer that reached it, else 0.
        """
        named: dict[str, list[dict[str, Any]]] = {}
        for one in _checks_in(self.detail):
            if one.get("metric"):
                named.setdefault(one["metric"], []).append(one)
        values = {name: _metric_value(checks) for name, checks in named.items()}
        return values | self._pass_rate()

    @property
    def judgments(self) -> tuple[dict[str, Any], ...]:
        """The single judgments behind the score, those of its checks included."""
        return tuple(one for _, part in self.judged_parts for one in part.get("singles", ()))

    @property
    def judged_parts(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The detail of each judging scorer behind the score, with the name of its check.

        The name is empty for the score's own scorer. A check is named by its metric, else by its
        type; a number follows where an earlier check of the score has the same name.
        """
        own = [("", self.detail)] if "singles" in self.detail else []
        return (*own, *_judged_checks(self.detail))

    @property
    def is_strict(self) -> bool:
        """True if the answer counts as right for the strict accuracy: exactly 1."""
        return self.score == 1.0

    @property
    def is_right(self) -> bool | None:
        """True for a full score, or if the checks passed; None without a score."""
        if self.score is None:
            return None
        return self.score >= 1.0 or bool(self.verdict)

    def _pass_rate(self) -> dict[str, float | None]:
        if not self.checks or self.detail.get("threshold") is None:
            return {}
        return {PASS_RATE: None if self.verdict is None else float(self.verdict)}


ScoringResult = Score
"""The published name of :class:`Score`."""


def _checks_in(detail: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the results of checks, at any depth of their sets."""
    checks = detail.get("checks")
    for one in checks if isinstance(checks, list) else ():
        yield one
        yield from _checks_in(one.get("detail", {}))


def _judged_checks(detail: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    seen: Counter[str] = Counter()
    for one in _checks_in(detail):
        part = one.get("detail", {})
        if "singles" in part:
            name = str(one.get("metric") or one.get("type"))
            seen[name] += 1
            yield name if seen[name] == 1 else f"{name} {seen[name]}", part


def _metric_value(checks: Sequence[Mapping[str, Any]]) -> float | None:
    counted = [(one["weight"], one["score"]) for one in checks if one["weight"] > 0]
    counted = counted or [(1.0, one["score"]) for one in checks]
    if any(score is None for _, score in counted):
        return None
    total = fsum(weight * score for weight, score in counted)
    return min(1.0, total / fsum(weight for weight, _ in counted))

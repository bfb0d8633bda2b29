"""Findings from several models on the same cases: doubtful keys, and leads read wrongly."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from benchmaker.analysis.opinion.evidence import (
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
)
from benchmaker.analysis.opinion.means import stderr_of
from benchmaker.stats import sign_flip
from benchmaker.stats.quantiles import z_quantile

_MODELS = 5
_AGREEING = 0.8
_SIGNIFICANT = 0.05
_LEVEL = 0.95
_MATERIAL = 0.1
"""The share of an interval's width by which another one differs from it."""


def key_in_doubt(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Cases that every model of at least five fails, with one answer from 80 % of them or more.

    Corrected, the cases are excluded.
    """
    by_case: dict[str, dict[str, OpinionRow]] = {}
    for model, rows in {**evidence.peers, evidence.model: evidence.rows}.items():
        for row in rows:
            by_case.setdefault(row.case_id, {}).setdefault(model, row)
    doubted = {case_id for case_id, rows in by_case.items() if _is_doubtful(list(rows.values()))}
    rows = [one.row for one in evidence.in_mean if one.row.case_id in doubted]
    corrected = evidence.mean_of(one for one in evidence.in_mean if one.row.case_id not in doubted)
    return finding("key_in_doubt", rows, effect_of(evidence.mean, corrected))


def _is_doubtful(rows: Sequence[OpinionRow]) -> bool:
    answered = [row for row in rows if row.value is not None and not row.is_error]
    if len(answered) < _MODELS or any(row.value for row in answered):
        return False
    answers = Counter(" ".join(row.text.split()).casefold().rstrip(".") for row in answered)
    answer, number = answers.most_common(1)[0]
    return bool(answer) and number >= _AGREEING * len(answered)


def tie_called_win(evidence: OpinionEvidence) -> OpinionFinding | None:
    """A lead over the next model that may be chance (paired sign flips, p ≥ 0.05).

    Corrected, it is 0. Both means are over the same cases.
    """
    lead = _lead(evidence)
    if lead is None or lead.is_significant is not False:
        return None
    return finding("tie_called_win", lead.differing_rows(evidence), 100.0 * lead.size)


def unpaired_comparison(evidence: OpinionEvidence) -> OpinionFinding | None:
    """A lead over the next model that two error bars and a paired test judge differently.

    Error bars of two means treat them as independent, although both are over the same cases. They
    are the stated ones, or else those of the values. The effect is half the width of their 95 %
    interval of the lead less that of the differences of cases; smaller ones than a tenth are
    ignored.

    Source: Miller 2024, Adding Error Bars to Evals, section 4.2 (paired differences).
    """
    lead = _lead(evidence)
    if lead is None or lead.is_significant is None or not lead.has_same_cases:
        return None
    stderrs = [_stderr(evidence, model) for model in (evidence.model, lead.peer)]
    apart, paired = _half_width(*stderrs), _half_width(stderr_of(lead.differences.values()))
    is_alike = abs(apart - paired) <= _MATERIAL * apart
    if is_alike or (lead.size > apart) == lead.is_significant:
        return None
    return finding("unpaired", lead.differing_rows(evidence), 100.0 * (apart - paired))


class _Lead(NamedTuple):
    """The lead over the next model, with the differences of the cases that both have."""

    peer: str
    size: float
    differences: dict[str, float]
    has_same_cases: bool

    @property
    def is_significant(self) -> bool | None:
        """The verdict of paired sign flips; None if there is nothing to test."""
        values = list(self.differences.values())
        if len(values) < 2 or not any(values):  # noqa: PLR2004  one case has no spread
            return None
        tested = sign_flip(values)
        return None if tested.p_value is None else tested.p_value < _SIGNIFICANT

    def differing_rows(self, evidence: OpinionEvidence) -> list[OpinionRow]:
        """The rows of the cases in which the two models differ."""
        return [one.row for one in evidence.in_mean if self.differences.get(one.row.case_id)]


def _lead(evidence: OpinionEvidence) -> _Lead | None:
    """The lead over the next model; None if there is no other, or no lead."""
    means = {
        model: mean
        for model, rows in evidence.peers.items()
        if (mean := evidence.mean_of(evidence.in_mean_of(rows))) is not None
    }
    if evidence.mean is None or not means:
        return None
    second = max(means, key=lambda model: means[model])
    own = _by_case(evidence, evidence.rows)
    theirs = _by_case(evidence, evidence.peers[second])
    differences = {
        case_id: value - theirs[case_id] for case_id, value in own.items() if case_id in theirs
    }
    size = evidence.mean - means[second]
    return _Lead(second, size, differences, own.keys() == theirs.keys()) if size > 0 else None


def _by_case(evidence: OpinionEvidence, rows: Sequence[OpinionRow]) -> dict[str, float]:
    return evidence.case_values(evidence.in_mean_of(rows))


def _stderr(evidence: OpinionEvidence, model: str) -> float:
    """The standard error that the file states for a model, or that of its values."""
    if stated := evidence.stderrs.get(model):
        return stated
    rows = evidence.rows if model == evidence.model else evidence.peers[model]
    if evidence.by_case:
        return stderr_of(_by_case(evidence, rows).values())
    return stderr_of(one.value for one in evidence.in_mean_of(rows))


def _half_width(*stderrs: float) -> float:
    """Half the width of the 95 % interval of a difference with these standard errors."""
    return z_quantile(_LEVEL) * math.hypot(*stderrs)

"""Findings on cases: duplicates, and too few of them."""

import math

from benchmaker.analysis.opinion.evidence import (
    OpinionEvidence,
    OpinionFinding,
    effect_of,
    example,
    finding,
)
from benchmaker.analysis.opinion.means import values_by_case
from benchmaker.stats import Mean

_FEWEST, _MOST = 15, 120
_WIDEST = 10.0
"""Points on each side of a mean that is precise enough."""


def duplicate_cases(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Cases with the question and the key of another; corrected, each question counts once."""
    questions = {
        one.row.case_id: (" ".join(one.row.question.split()).casefold(), one.row.key)
        for one in evidence.in_mean
        if one.row.question.strip()
    }
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    copies = {
        case_id
        for case_id, question in questions.items()
        if first.setdefault(question, case_id) != case_id
    }
    means = values_by_case((one.row.case_id, one.value) for one in evidence.in_mean)
    grouped = values_by_case(
        (first.get(questions.get(case_id, ("", ())), case_id), value)
        for case_id, value in means.items()
    )
    rows = [one.row for one in evidence.in_mean if one.row.case_id in copies]
    corrected = sum(grouped.values()) / len(grouped) if grouped else None
    return finding("duplicate_cases", rows, effect_of(evidence.mean, corrected))


def too_few_cases(evidence: OpinionEvidence, ours: Mean | None) -> OpinionFinding | None:
    """Too few cases for a mean within 10 points on each side.

    Below 15 cases always, from 120 never. The interval narrows with the root of their number.
    """
    if ours is None or ours.low is None or ours.high is None or ours.n >= _MOST:
        return None
    half = 50.0 * (ours.high - ours.low)
    if ours.n >= _FEWEST and half <= _WIDEST:
        return None
    wanted = max(_FEWEST, math.ceil(ours.n * (half / _WIDEST) ** 2))
    return OpinionFinding(
        kind="too_few_cases",
        rows=len(evidence.in_mean),
        effect_points=half,
        examples=tuple(example(one.row) for one in evidence.in_mean[:1]),
        further=max(1, wanted - ours.n),
    )

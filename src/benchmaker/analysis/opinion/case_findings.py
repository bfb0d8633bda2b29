"""Findings on cases: duplicates, keys in prompts, keys nearly all alike, and too few cases."""

import math
from collections import Counter

from benchmaker.analysis.opinion.evidence import (
    OpinionEvidence,
    OpinionFinding,
    effect_of,
    example,
    finding,
    finding_without,
)
from benchmaker.analysis.opinion.means import values_by_case
from benchmaker.stats import Mean

_FEWEST, _MOST = 15, 120
_CLOSED = 6
"""Different keys, at most, of questions with a closed set of answers."""

_COMMON, _FEWEST_OF_KEY = 0.8, 5
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
    means = evidence.case_values(evidence.in_mean)
    grouped = values_by_case(
        (first.get(questions.get(case_id, ("", ())), case_id), value)
        for case_id, value in means.items()
    )
    rows = [one.row for one in evidence.in_mean if one.row.case_id in copies]
    corrected = sum(grouped.values()) / len(grouped) if grouped else None
    return finding("duplicate_cases", rows, effect_of(evidence.mean, corrected))


def key_in_prompt(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Cases whose prompt has the same question with its key; corrected, they are excluded."""
    rows = [one.row for one in evidence.in_mean if one.row.shows_key]
    return finding_without("key_in_prompt", rows, evidence)


def unbalanced_keys(evidence: OpinionEvidence) -> OpinionFinding | None:
    """At most six different keys, of which at least 80 % of the cases have the same.

    Its share is the figure of a model that always gives this one. Corrected, the figure is the mean
    over the keys of the mean of their cases, each with at least five.

    Source: Brodersen et al. 2010, The balanced accuracy and its posterior distribution.
    """
    key_of = {one.row.case_id: one.row.key for one in evidence.in_mean}
    cases = Counter(key_of.values())
    is_closed = cases and len(cases) <= _CLOSED and all(len(key) == 1 for key in cases)
    if not is_closed or min(cases.values()) < _FEWEST_OF_KEY or len(key_of) < _FEWEST:
        return None
    common, number = cases.most_common(1)[0]
    if number < _COMMON * len(key_of):
        return None
    means = evidence.case_values(evidence.in_mean)
    balanced = values_by_case((key_of[case_id][0], value) for case_id, value in means.items())
    corrected = sum(balanced.values()) / len(balanced)
    rows = [one.row for one in evidence.in_mean if one.row.key == common]
    return finding("unbalanced_keys", rows, effect_of(evidence.mean, corrected))


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

"""Findings from several models on the same cases: doubtful keys, and leads that may be chance."""

from collections import Counter
from collections.abc import Sequence

from benchmaker.analysis.opinion.evidence import (
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
)
from benchmaker.analysis.opinion.means import values_by_case
from benchmaker.stats import sign_flip

_MODELS = 5
_AGREEING = 0.8
_SIGNIFICANT = 0.05


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
    means = {
        model: mean
        for model, rows in evidence.peers.items()
        if (mean := evidence.mean_of(evidence.in_mean_of(rows))) is not None
    }
    if evidence.mean is None or not means:
        return None
    second = max(means, key=lambda model: means[model])
    lead = evidence.mean - means[second]
    own = values_by_case((one.row.case_id, one.value) for one in evidence.in_mean)
    peer = evidence.in_mean_of(evidence.peers[second])
    theirs = values_by_case((one.row.case_id, one.value) for one in peer)
    common = [case_id for case_id in own if case_id in theirs]
    differences = [own[case_id] - theirs[case_id] for case_id in common]
    if lead <= 0 or not any(differences) or len(differences) < 2:  # noqa: PLR2004  one case has no spread
        return None
    tested = sign_flip(differences)
    if tested.p_value is None or tested.p_value < _SIGNIFICANT:
        return None
    differing = {case_id for case_id in common if own[case_id] != theirs[case_id]}
    rows = [one.row for one in evidence.in_mean if one.row.case_id in differing]
    return finding("tie_called_win", rows, 100.0 * lead)

"""Findings on answers: truncated ones, and those that were read wrongly."""

from collections.abc import Callable

from benchmaker.analysis.opinion.evidence import (
    Counted,
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
    finding_without,
)


def truncated_answers(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers that ended at a token limit and lack points; corrected, they are excluded."""
    cut = [one.row for one in evidence.in_mean if one.row.is_cut and one.value < 1]
    return finding_without("truncated_answers", cut, evidence)


def empty_answers(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers without text that lack points, not cut off; corrected, they are excluded.

    If most answers are without text, the file does not have them: no finding.
    """
    empty = [
        one.row
        for one in evidence.in_mean
        if one.row.is_empty and one.value < 1 and not (one.row.is_cut or one.row.is_error)
    ]
    if 2 * len(empty) > len(evidence.in_mean):
        return None
    return finding_without("empty_answers", empty, evidence)


def extraction_miss(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers that the tool scored wrong although they give the key; corrected, they are right."""
    return _reread(evidence, "extraction_miss", lambda row: row.reread == 1 and row.value == 0)


def extraction_hit(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers that the tool scored right although they give another answer than the key."""
    return _reread(evidence, "extraction_hit", lambda row: row.reread == 0 and row.value == 1)


def _reread(
    evidence: OpinionEvidence, kind: str, is_wrong: Callable[[OpinionRow], bool]
) -> OpinionFinding | None:
    wrong = [one.row for one in evidence.in_mean if is_wrong(one.row)]
    corrected = evidence.mean_of(
        Counted(one.row, one.row.reread or 0.0) if is_wrong(one.row) else one
        for one in evidence.in_mean
    )
    return finding(kind, wrong, effect_of(evidence.mean, corrected))

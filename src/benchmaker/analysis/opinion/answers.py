"""Findings on answers: truncated ones, and those that were read wrongly."""

from collections.abc import Callable

from benchmaker.analysis.opinion.evidence import (
    Counted,
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
)


def truncated_answers(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers that ended at a token limit and lack points; corrected, they are excluded."""
    cut = [one.row for one in evidence.in_mean if one.row.is_cut and one.value < 1]
    held = {id(row) for row in cut}
    corrected = evidence.mean_of(one for one in evidence.in_mean if id(one.row) not in held)
    return finding("truncated_answers", cut, effect_of(evidence.mean, corrected))


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

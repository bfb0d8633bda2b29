"""Findings on judges: replies without a grade, and models that judge themselves."""

from benchmaker.analysis.opinion.evidence import (
    Counted,
    OpinionEvidence,
    OpinionFinding,
    effect_of,
    finding,
)

_ENOUGH = 0.9
"""The share of rows that must have a score without a judge, to compare with."""


def judge_unreadable(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Scores from a judge's reply that holds no grade; corrected, they are excluded."""
    unread = [
        one.row
        for one in evidence.in_mean
        if one.row.replies and not any(reply.is_readable for reply in one.row.replies)
    ]
    held = {id(row) for row in unread}
    corrected = evidence.mean_of(one for one in evidence.in_mean if id(one.row) not in held)
    return finding("judge_unreadable", unread, effect_of(evidence.mean, corrected))


def self_judged(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Answers judged by the model that gave them.

    Corrected, the figure is that of answers judged by others; without any, that of the answers read
    again and compared with the key. If there is neither, the effect is unknown: no finding.
    """
    own = [one for one in evidence.in_mean if _is_own(one, evidence.model)]
    held = {id(one.row) for one in own}
    others = [one for one in evidence.in_mean if id(one.row) not in held and one.row.replies]
    if not others:
        others = [
            Counted(one.row, one.row.reread)
            for one in evidence.in_mean
            if one.row.reread is not None
        ]
        if len(others) < _ENOUGH * len(evidence.in_mean):
            return None
    effect = effect_of(evidence.mean, evidence.mean_of(others))
    return finding("self_judged", [one.row for one in own], effect)


def _is_own(one: Counted, model: str) -> bool:
    return any(_bare(reply.judge) == _bare(model) for reply in one.row.replies)


def _bare(model: str) -> str:
    """The name of a model without its provider."""
    return model.replace(":", "/").rpartition("/")[2].casefold()

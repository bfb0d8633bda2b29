"""The result of reading a judge's reply, or the reason for failure."""

from dataclasses import dataclass
from typing import Literal

from benchmaker.record import Verdict
from benchmaker.scoring.judge.criteria import CriterionMark

Rung = Literal["structured", "whole", "fenced", "object", "repaired", "line"]
"""The place of the judgment in the reply: the provider's structured output, the reply as one JSON
object, the last fenced block, an object inside other text, an object that had to be repaired, or a
line ``score: 8`` (for pairs: a plain choice).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReply:
    """One judgement.

    ``score`` is on the declared scale and ``unit`` the same from 0 to 1; both are None for pairs
    and if the judge states that it cannot judge. ``verdict`` is the choice between the answers in
    the order shown, ``category`` the id of the chosen category. ``marks`` are the criteria or the
    checklist. ``confidence`` is the judge's self-report, from 0 to 1. ``nonce_ok`` is True if the
    judgement repeated the nonce, False if not (an unambiguous judgement that is not copied from the
    answer), None if no nonce was required.
    ``repairs`` lists the repairs.
    """

    score: float | None = None
    unit: float | None = None
    verdict: Verdict | None = None
    category: str = ""
    marks: tuple[CriterionMark, ...] = ()
    evidence: str = ""
    rationale: str = ""
    confidence: float | None = None
    cannot_judge: bool = False
    nonce_ok: bool | None = None
    rung: Rung = "whole"
    repairs: tuple[str, ...] = ()

    @property
    def judgement(self) -> tuple[object, ...]:
        """The values that two readings must share to agree."""
        return (
            self.score,
            self.verdict,
            self.category,
            tuple((mark.id, mark.value) for mark in self.marks),
            self.cannot_judge,
        )


@dataclass(frozen=True, slots=True)
class UnparsedReply:
    """No judgement: the trial is unscored, never zero.

    ``reason`` is a clause in plain words, without a final stop, that can be quoted to the judge
    and shown to people: "no object carries the nonce".
    """

    reason: str


def complaint(unparsed: UnparsedReply) -> str:
    """Return the message to the judge for another attempt.

    >>> print(complaint(UnparsedReply("the score 11 lies outside 0 to 10")))
    Your previous reply could not be used: the score 11 lies outside 0 to 10. Reply again, with exactly one JSON object in the form asked for, and nothing else.
    """  # noqa: E501  one line as printed
    return (
        f"Your previous reply could not be used: {unparsed.reason}. Reply again, with exactly one "
        "JSON object in the form asked for, and nothing else."
    )

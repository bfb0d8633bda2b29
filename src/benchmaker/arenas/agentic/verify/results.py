"""The results of a submission's criteria, with their source."""

from dataclasses import dataclass
from typing import Any, Self

from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.submission import CriterionResult, Submission
from benchmaker.store import Store

NO_VERDICT = "no verdict yet"


@dataclass(frozen=True, slots=True)
class Graded:
    """The criteria as they were verified by us, else as the session's own record has them."""

    criteria: tuple[CriterionResult, ...] = ()
    verification: Verification | None = None

    @classmethod
    def of(cls, submission: Submission, verification: Verification | None) -> Self:
        """Combine both; a verification takes precedence over the record."""
        if verification is None:
            return cls(submission.outcome.criteria)
        return cls(verification.results, verification)

    @classmethod
    def from_store(cls, store: Store, submission: Submission) -> Self:
        """With the last verification that the store holds."""
        return cls.of(submission, store.agentic.verification(submission.id))

    @property
    def words(self) -> tuple[str, ...]:
        """The source, the pending reviews, and a note if there is no verdict."""
        made = self.verification
        if made is None:
            return ("from the record",) if self.criteria else ()
        when = made.finished_at[:16].replace("T", " ")
        verified = f"verified in {made.isolation}" + (f", {when} UTC" if when else "")
        return tuple(
            filter(None, (verified, made.pending_reason, "" if made.is_settled else NO_VERDICT))
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: ``verification``, null where the record speaks, and ``criteria``.

        The verification is in short, since the criteria are its results.
        """
        made = self.verification
        return {
            "verification": made
            and {
                "id": made.id,
                "isolation": str(made.isolation),
                "finished_at": made.finished_at,
                "has_verdict": made.is_settled,
                "waiting": made.pending_reason or None,
            },
            "criteria": [plain_criterion(one) for one in self.criteria],
        }


def kind_words(one: CriterionResult) -> str:
    """Return its kind, whether the solver sees it, and whether it is required.

    >>> kind_words(CriterionResult(id="a", result="pass", type="file_exists", required=True))
    'file_exists, public, required'
    """
    parts = (one.type, "hidden" if one.hidden else "public", "required" if one.required else "")
    return ", ".join(filter(None, parts))


def plain_criterion(one: CriterionResult) -> dict[str, Any]:
    """Every field of a result, those that hold a default included."""
    return {
        "id": one.id,
        "type": one.type,
        "result": one.result,
        "weight": one.weight,
        "required": one.required,
        "hidden": one.hidden,
        "evidence": one.evidence,
        "wall_s": one.wall_s,
        "isolation": None if one.isolation is None else str(one.isolation),
    }

"""The processing of a submission: verification, evaluation under a profile, flags, review."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import CriterionResult, EvidenceLevel

_VERDICTS = frozenset({"pass", "fail"})
_WAITS_FOR = {"human_review": "a person", "llm_rubric": "a judge", "no_errors": "a record"}

_ENCODER = msgspec.json.Encoder(order="deterministic")


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


class Verification(_Part, frozen=True):
    """The results of a task's criteria on a submission's workspace.

    ``task_digest`` is the task's version by content, ``workspace_sha256`` identifies the graded
    workspace. ``isolation`` is the weakest level any criterion ran in,
    with the network that the task allows.

    A criterion is *answered* by ``pass`` or ``fail``; one that is ``skipped`` awaits a person, and
    is not a failure. There is a verdict once every required criterion is answered, none ended in an
    ``error``, and the answered criteria have positive weight.
    """

    id: str
    submission_id: str
    task_id: str
    task_digest: str
    isolation: str
    results: tuple[CriterionResult, ...] = ()
    workspace_sha256: str = ""
    started_at: str = ""
    finished_at: str = ""
    package_version: str = ""
    actor: str = "local"

    @property
    def decided_results(self) -> tuple[CriterionResult, ...]:
        """The criteria that came to pass or fail."""
        return tuple(it for it in self.results if it.result in _VERDICTS)

    @property
    def skipped_results(self) -> tuple[CriterionResult, ...]:
        """The skipped criteria, which nobody has reviewed yet."""
        return tuple(it for it in self.results if it.result == "skipped")

    @property
    def pending_reason(self) -> str:
        """The pending reviews, in words; empty if there are none."""
        whom = Counter(_WAITS_FOR.get(it.type, "an answer") for it in self.skipped_results)
        if not whom:
            return ""
        n, every = whom.total(), f"{len(self.results):,} criteria"
        head = f"{n:,} of {every} {'waits' if n == 1 else 'wait'}"
        if len(whom) == 1:
            return f"{head} for {next(iter(whom))}"
        return f"{head}: " + ", ".join(f"{one:,} for {who}" for who, one in sorted(whom.items()))

    @property
    def is_settled(self) -> bool:
        """True if there is a verdict."""
        answered, waiting = self.decided_results, self.skipped_results
        if not answered or len(answered) + len(waiting) < len(self.results):
            return False
        return not waiting or (
            not any(it.required for it in waiting) and any(it.weight for it in answered)
        )

    @property
    def share(self) -> float | None:
        """The weighted share passed of the answered criteria, from 0 to 1; None unless settled."""
        total = sum(it.weight for it in self.decided_results)
        if not self.is_settled or not total:
            return None
        return sum(it.weight for it in self.decided_results if it.result == "pass") / total

    @property
    def deciding_results(self) -> tuple[CriterionResult, ...]:
        """The required criteria; if none is marked as required, all criteria."""
        return tuple(it for it in self.results if it.required) or self.results

    @property
    def has_failed(self) -> bool:
        """True if a deciding criterion failed, regardless of open ones."""
        return any(it.result == "fail" for it in self.deciding_results)

    @property
    def required_passed(self) -> bool | None:
        """True if no required criterion failed; None unless settled."""
        return not self.has_failed if self.is_settled else None

    @property
    def success(self) -> bool | None:
        """Solved: all required criteria passed.

        None unless settled, and where one that decides still waits while no other failed.
        """
        if not self.is_settled:
            return None
        if self.has_failed:
            return False
        return None if any(it.result == "skipped" for it in self.deciding_results) else True


class BaselineSnapshot(_Part, frozen=True):
    """A task's baseline under a profile, frozen; ``number`` counts from 1, ``hash`` names it.

    ``body`` is the snapshot as plain data, enough to score by.
    """

    profile: str
    task_id: str
    hash: str
    number: int
    n: int
    created_at: str = ""
    body: dict[str, Any] = {}


class Evaluation(_Part, frozen=True):
    """A submission's scores by a profile and a snapshot: a pure function of these three.

    Scores are from 0 to 100 (``scale`` "0-100"), None if missing, with the ``reason``.
    ``input_hash`` identifies the input figures. ``detail`` holds every term of the sum.

    If a figure that counts is missing, scores are the lower ends of ranges and ``upper`` has the
    upper ends, by ``overall`` and the names of the parts. A ``provisional`` evaluation predates the
    decision on the figures that count for the task, or follows one by fewer than ten successes that
    excludes a figure that some of them have; ``provisional_reason`` says which.
    """

    submission_id: str
    task_id: str
    system: str
    profile: str
    snapshot: str
    input_hash: str
    overall_score: float | None = None
    efficiency_score: float | None = None
    speed_score: float | None = None
    cost_score: float | None = None
    correctness_score: float | None = None
    adjusted_score: float | None = None
    evidence_level: EvidenceLevel = EvidenceLevel.IMPORTED
    isolation: str | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""
    detail: dict[str, Any] = {}
    evaluated_at: str = ""
    upper: dict[str, float] = {}
    provisional: bool = False
    provisional_reason: str = ""


class Flag(_Part, frozen=True):
    """A suspicion with its evidence: never a verdict, never a deletion.

    ``source`` names the rule or the statistic that raised it, with its version.
    """

    submission_id: str
    kind: str
    source: str
    evidence: str
    created_at: str = ""


class ReviewState(StrEnum):
    """The review state of a flagged submission; only ``quarantined`` ones leave the baseline."""

    OPEN = "open"
    CLEARED = "cleared"
    QUARANTINED = "quarantined"


class Review(_Part, frozen=True):
    """One step of a submission's review: reviewer, decision and reason."""

    submission_id: str
    state: ReviewState = ReviewState.OPEN
    flags: tuple[str, ...] = ()
    note: str = ""
    actor: str = "local"
    created_at: str = ""


class ModerationState(StrEnum):
    """The moderation state of a submission by someone who is not an admin of a moderated team."""

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Moderation(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a submission's moderation: submitted, accepted or rejected, by whom.

    ``number`` is the row of the submission, which counts nowhere until it is accepted. ``by`` is
    the submitter, ``actor`` the author of this step.
    """

    submission_id: str
    number: int
    state: ModerationState = ModerationState.WAITING
    by: str = ""
    actor: str = "local"
    note: str = ""
    created_at: str = ""


def input_hash(row: Metrics, weights: Mapping[str, float]) -> str:
    """SHA-256 of an evaluation's input besides snapshot and profile; 64 hex digits."""
    return hashlib.sha256(_ENCODER.encode((row, weights))).hexdigest()

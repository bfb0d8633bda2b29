"""The explanation of an evaluation: every term of its sum, and a check of the stored one."""

from dataclasses import dataclass
from typing import Any

import msgspec

from benchmaker.analysis.composite.counting_figures import EARLIER_RULE, RULE
from benchmaker.analysis.composite.result import Composite
from benchmaker.arenas.agentic.evaluation.computed_evaluations import evaluation_of
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profiles import opening_among, profiles_by_id
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.arenas.agentic.verify.stored_tasks import Tasks
from benchmaker.errors import Corrupt, SpecError
from benchmaker.record.counts import count
from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class EvaluationExplained:
    """An evaluation with its baseline, recomputed from stored figures.

    ``arrival`` is the submission's first, stored evaluation, and ``arrival_snapshot`` the number of
    its baseline. ``is_same`` is true if recomputation gives the stored digits; None if figures or
    weights have changed since. ``rule`` is the version of the rule for provisional scores under
    which it does: the current one, or that of an earlier version of Benchmaker. ``graded`` holds a
    result for each criterion, ``row_id`` is the submission's id in its own table.
    """

    evaluation: Evaluation
    snapshot: BaselineSnapshot
    composite: Composite
    is_same: bool | None
    rule: int | None
    arrival: Evaluation
    arrival_snapshot: int
    graded: Graded
    row_id: str | None = None

    def lines(self) -> tuple[str, ...]:
        """The explanation for a terminal."""
        one, snapshot = self.evaluation, self.snapshot
        isolation = f", isolation {one.isolation}" if one.isolation else ""
        row = f" (id {self.row_id} in its table)" if self.row_id else ""
        head = (
            f"{one.submission_id}{row} under {one.profile}, task {one.task_id}",
            f"evidence: {one.evidence_level}{isolation}{self._pending_note()}",
            f"baseline: snapshot {snapshot.number} {self.baseline_source} ({snapshot.hash[:12]})",
        )
        return (*head, *self.composite.lines(), self._recomputation_line(), *self._arrival_lines())

    @property
    def baseline_source(self) -> str:
        """The data of the baseline, for after its number: ``from 12 submissions``, or the prior."""
        snapshot = self.snapshot
        if snapshot.n:
            return f"from {count(snapshot.n, 'submission')}"
        if snapshot.body.get("family") == "classic":
            return "with the default figures: fewer than 5 eligible submissions"
        return "with the prior alone: no verified or attested success at the task"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: its parts in short, and pairs of the scores that are compared."""
        return {"scale": "0-100", "id": self.row_id, **self.score_data, **self.graded.to_dict()}

    @property
    def score_data(self) -> dict[str, Any]:
        """The evaluation, its baseline and its arithmetic as plain data."""
        return {
            "evaluation": msgspec.to_builtins(self.evaluation),
            "snapshot": msgspec.to_builtins(self.snapshot),
            "lines": list(self.composite.lines()),
            "recomputed": {
                "overall_score": self.composite.overall_score,
                "is_same": self.is_same,
                "rule": self.rule,
            },
            "on_arrival": {
                "overall_score": self.arrival.overall_score,
                "snapshot": self.arrival_snapshot,
            },
        }

    def _pending_note(self) -> str:
        made = self.graded.verification
        return f"; {made.pending_reason}" if made is not None and made.pending_reason else ""

    def _recomputation_line(self) -> str:
        if self.is_same is None:
            return "Its figures or weights have changed since arrival."
        if self.rule == EARLIER_RULE:
            return (
                f"Recomputed under rule {EARLIER_RULE} for provisional scores, which was in force "
                f"on arrival: the same scores. The scores above follow rule {RULE}."
            )
        if self.is_same:
            return "Recomputed: the same scores."
        return f"Recomputed: differs from the score stored on arrival, {_score_text(self.arrival)}."

    def _arrival_lines(self) -> tuple[str, ...]:
        if self.arrival.snapshot == self.evaluation.snapshot:
            return ()
        return (
            f"On arrival, under snapshot {self.arrival_snapshot}: {_score_text(self.arrival)}.",
        )


def explain_evaluation(
    store: Store, submission_id: str, profile: AgenticProfile
) -> EvaluationExplained:
    """Explain a submission's current evaluation.

    Raises:
        SpecError: it was not evaluated under this profile.
    """
    rooms = store.agentic
    one = evaluation_of(store, submission_id, profile)
    arrival = rooms.evaluation(submission_id, profile.id)
    row = rooms.metrics_of(submission_id)
    if one is None or arrival is None or row is None:
        raise SpecError(
            f"no evaluation of {submission_id} under {profile.id}.",
            hint=f"Evaluate stored submissions with: benchmaker evaluate --profile {profile.name}",
        )
    at_work = ProfileAtWork(profile, Tasks(store).weights())
    snapshot, first = _snapshot(store, one), _snapshot(store, arrival)
    composite = at_work.composite(row, snapshot)
    is_same, rule = _rule_of(at_work, row, arrival, first)
    submission = store.submission(submission_id)
    return EvaluationExplained(
        one,
        snapshot,
        composite,
        is_same,
        rule,
        arrival,
        first.number,
        Graded.from_store(store, submission),
        submission.row_id,
    )


def opening_evaluation(store: Store, submission_id: str) -> EvaluationExplained | None:
    """The evaluation to open with: under robust, else under another profile that is known.

    None where no known profile has evaluated the submission.
    """
    known = profiles_by_id(store)
    opening = opening_among(
        name for name in store.agentic.evaluations_of(submission_id) if name in known
    )
    return explain_evaluation(store, submission_id, known[opening]) if opening else None


def _snapshot(store: Store, one: Evaluation) -> BaselineSnapshot:
    """The baseline of an evaluation, which is stored as long as the evaluation is."""
    found = store.agentic.snapshot(one.profile, one.task_id, digest=one.snapshot)
    if found is None:
        raise Corrupt(
            f"missing baseline of an evaluation of {one.submission_id}.",
            hint="Check the store with: benchmaker doctor",
        )
    return found


def _rule_of(
    at_work: ProfileAtWork, row: Metrics, arrival: Evaluation, snapshot: BaselineSnapshot
) -> tuple[bool | None, int | None]:
    """Whether recomputation gives the stored result, and under which version of the rule."""
    if row.task_id != arrival.task_id or at_work.input_hash(row) != arrival.input_hash:
        return None, None
    rule = at_work.rule_of(row, snapshot, arrival.detail)
    return rule is not None, rule


def _score_text(one: Evaluation) -> str:
    return "no score" if one.overall_score is None else f"{one.overall_score:g}"

"""A scoring profile at work on figures: snapshots, evaluations, and their explanation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import msgspec

from benchmaker.analysis.composite.baselines import classic_snapshot, robust_snapshot
from benchmaker.analysis.composite.composite import Composite, evaluate
from benchmaker.analysis.composite.counting_figures import EARLIER_RULE, RULE
from benchmaker.analysis.composite.snapshot_columns import classic_snapshots_of, robust_snapshots_of
from benchmaker.analysis.composite.snapshots import ClassicSnapshot, RobustSnapshot, Snapshot
from benchmaker.analysis.composite.weights import Weights
from benchmaker.record.submissions.evaluation import BaselineSnapshot, Evaluation, input_hash
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.spec.tasks.task import TaskWeights
from benchmaker.structs import resolve_type, shared_fields

_KINDS: dict[str, type[Snapshot]] = {"classic": ClassicSnapshot, "robust": RobustSnapshot}


@dataclass(frozen=True)
class ProfileAtWork:
    """A profile with the tasks' own weights, by task, as the engine needs it for settling."""

    document: AgenticProfile
    own: Mapping[str, TaskWeights] = field(default_factory=dict)
    _read: dict[str, Snapshot] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def profile(self) -> str:
        """Name and version."""
        return self.document.id

    def weights(self, row: Metrics) -> Weights:
        """The weights of the row's task, else of its category, else of the profile."""
        own = self.own.get(row.task_id)
        if own is not None:
            return part_weights(own)
        return part_weights(
            self.document.by_category.get(row.category or "", self.document.weights)
        )

    def input_hash(self, row: Metrics) -> str:
        """The digest of figures and weights."""
        return input_hash(row, self.weights(row).as_dict())

    def snapshots(self, columns: MetricColumns) -> dict[str, BaselineSnapshot]:
        """Every task's baseline."""
        made: Mapping[str, Snapshot] = (
            classic_snapshots_of(columns)
            if self.document.family == "classic"
            else robust_snapshots_of(
                columns, tokens=self.document.tokens, ranked=ranked_levels(self.document)
            )
        )
        return {task_id: self._stored_snapshot(one) for task_id, one in made.items()}

    def snapshot(self, task_id: str) -> BaselineSnapshot:
        """The baseline of a task without submissions."""
        if self.document.family == "classic":
            return self._stored_snapshot(classic_snapshot(task_id, ()))
        tokens, ranked = self.document.tokens, ranked_levels(self.document)
        return self._stored_snapshot(robust_snapshot(task_id, (), tokens=tokens, ranked=ranked))

    def composite(self, row: Metrics, snapshot: BaselineSnapshot) -> Composite:
        """The composite with every term of its sum."""
        return evaluate(row, self._snapshot(snapshot), self.weights(row))

    def rule_of(self, row: Metrics, snapshot: BaselineSnapshot, detail: Any) -> int | None:  # noqa: ANN401  any JSON
        """The version of the rule for provisional scores under which ``detail`` is recomputed.

        None if it is recomputed under no version. Profiles without such a rule have only one.
        """
        if _plain(self.composite(row, snapshot)) == detail:
            return RULE
        figures = self._snapshot(snapshot)
        if not isinstance(figures, RobustSnapshot):
            return None
        earlier = evaluate(row, figures.under_earlier_rule(), self.weights(row))
        return EARLIER_RULE if _plain(earlier) == detail else None

    def _snapshot(self, kept: BaselineSnapshot) -> Snapshot:
        """The figures of a stored baseline; those of the last one are cached."""
        if kept.hash not in self._read:
            self._read.clear()
            self._read[kept.hash] = snapshot_figures(kept)
        return self._read[kept.hash]

    def evaluate(self, row: Metrics, snapshot: BaselineSnapshot) -> Evaluation:
        """Return the composite for storage."""
        made = self.composite(row, snapshot)
        own = {
            "profile": self.profile,
            "input_hash": self.input_hash(row),
            "reason": str(made.reason),
            "detail": made.to_dict(),
            "upper": dict(made.upper),
            "provisional": made.provisional,
        }
        return Evaluation(**shared_fields(Evaluation, made) | shared_fields(Evaluation, row) | own)

    def _stored_snapshot(self, snapshot: Snapshot) -> BaselineSnapshot:
        return BaselineSnapshot(
            profile=self.profile,
            task_id=snapshot.task_id,
            hash=snapshot.hash,
            number=0,
            n=snapshot.n,
            body=msgspec.to_builtins(snapshot),
        )


def _plain(made: Composite) -> Any:  # noqa: ANN401  any JSON
    """The composite as it is stored."""
    return msgspec.json.decode(msgspec.json.encode(made.to_dict()))


def snapshot_figures(kept: BaselineSnapshot) -> Snapshot:
    """The figures of a stored baseline."""
    return msgspec.convert(kept.body, resolve_type(_KINDS[kept.body["family"]]))


def ranked_levels(document: AgenticProfile) -> tuple[EvidenceLevel, ...] | None:
    """Return the levels whose successes decide the figures; None to ignore missing figures."""
    if document.missing == "left_out":
        return None
    return tuple(level for level in EvidenceLevel if level in document.evidence)


@cache
def part_weights(given: TaskWeights) -> Weights:
    """Return the weights of a document."""
    return Weights.of(given.model_dump())

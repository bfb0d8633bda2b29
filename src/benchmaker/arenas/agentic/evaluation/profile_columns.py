"""A scoring profile at work on columns: composites of many submissions, and a board's rules."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import Rules
from benchmaker.analysis.composite.baseline_columns import (
    classic_baselines,
    robust_baselines,
)
from benchmaker.analysis.composite.composite_columns import (
    CompositeColumns,
    evaluate_classic_columns,
    evaluate_robust_columns,
    task_weights,
)
from benchmaker.analysis.composite.snapshot_columns import classic_baselines_of, robust_baselines_of
from benchmaker.analysis.composite.snapshots import ClassicSnapshot
from benchmaker.analysis.composite.weights import PARTS
from benchmaker.arenas.agentic.evaluation.profile import (
    part_weights,
    ranked_levels,
    snapshot_figures,
)
from benchmaker.arenas.agentic.settling.board_keys import ranked_evidence
from benchmaker.arenas.agentic.verify.stored_tasks import own_weights as weights_of
from benchmaker.errors import SpecError
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.scored_figures import Figure
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, AgenticProfile
from benchmaker.spec.tasks.task import TaskWeights
from benchmaker.store import Store
from benchmaker.store.agentic.tasks import StoredTask

CLASSIC = BUILT_IN["classic"]
POLICIES = ("mean", "first", "last", "best")


@dataclass(frozen=True, slots=True)
class ProfileRanking:
    """The profile as passed to the board engine, with the tasks' own weights."""

    document: AgenticProfile
    own: Mapping[str, TaskWeights] = field(default_factory=dict)

    @classmethod
    def of_store(cls, store: Store, document: AgenticProfile) -> "ProfileRanking":
        """The ranking of a profile with the tasks' own weights in a store."""
        return cls(document, own_weights(store.agentic.tasks()))

    @property
    def profile(self) -> str:
        """Name and version."""
        return self.document.id

    @property
    def rules(self) -> Rules:
        """The profile's rules."""
        document = self.document
        return Rules(
            policy=document.policy,
            evidence=tuple(level for level in EvidenceLevel if level in document.evidence),
            least_submissions=document.least_submissions,
            least_systems=document.least_systems,
            common=document.common_tasks,
            level=document.level,
            tokens=document.tokens,
            needs_all_figures=document.family == "robust" and document.missing == "range",
        )

    def composites(
        self,
        columns: MetricColumns,
        *,
        baselines_of: MetricColumns | None = None,
        at_best: Collection[Figure] = (),
    ) -> CompositeColumns:
        """Return the profile's composite of every row, by the baselines of these or other rows.

        Figures ``at_best`` score 100 in every row for which they count; robust alone.
        """
        of, weights = columns if baselines_of is None else baselines_of, self.weights(columns)
        if self.document.family == "classic":
            return evaluate_classic_columns(columns, classic_baselines(of), weights)
        ranked = ranked_levels(self.document)
        baselines = robust_baselines(of, tokens=self.document.tokens, ranked=ranked)
        return evaluate_robust_columns(columns, baselines, weights, at_best=at_best)

    def composites_under(
        self, columns: MetricColumns, kept: BaselineSnapshot, *, at_best: Collection[Figure] = ()
    ) -> CompositeColumns:
        """Composites of the rows of one task under a stored baseline.

        Identical to the evaluation of each row: weights are those of the row's own category.
        """
        snapshot, alone = snapshot_figures(kept), of_one_task(columns, kept.task_id)
        weights = self.weights(alone)
        if isinstance(snapshot, ClassicSnapshot):
            return evaluate_classic_columns(alone, classic_baselines_of(snapshot, 1), weights)
        baselines = robust_baselines_of(snapshot, 1)
        return evaluate_robust_columns(alone, baselines, weights, at_best=at_best)

    def weights(self, columns: MetricColumns) -> NDArray[np.float64]:
        """Tasks × categories × parts: a task's own, else a row's category's, else the profile's."""
        return task_weights(
            columns,
            {task: part_weights(one) for task, one in self.own.items()},
            by_category={
                name: part_weights(one) for name, one in self.document.by_category.items()
            },
            otherwise=part_weights(self.document.weights),
        )

    def correctness_weights(self, columns: MetricColumns) -> NDArray[np.float64] | None:
        """Return the weight of correctness per row under published weights; None under others."""
        if self.document.name != CLASSIC.name:
            return None
        part = PARTS.index("correctness")
        found: NDArray[np.float64] = self.weights(columns)[columns.task, columns.category, part]
        return found


def of_one_task(columns: MetricColumns, task_id: str) -> MetricColumns:
    """The rows of one task, without the names of other tasks."""
    return replace(columns, tasks=(task_id,), task=np.zeros(len(columns), np.int32))


def rules_with(
    usual: Rules, *, policy: str | None = None, evidence: str | Iterable[str] | None = None
) -> Rules:
    """The rules of a profile, with another policy or other levels of evidence.

    Args:
        usual: the profile's.
        policy: ``mean``, ``first``, ``last`` or ``best``; None for the profile's.
        evidence: the weakest level that is ranked, or all levels that are.

    Raises:
        SpecError: an unknown word.
    """
    changes: dict[str, Any] = {}
    if policy is not None:
        if policy not in POLICIES:
            known = ", ".join(POLICIES)
            raise SpecError(f"unknown policy {policy!r}.", hint=f"Use one of {known}.")
        changes["policy"] = policy
    if isinstance(evidence, str):
        changes["evidence"] = ranked_evidence(evidence)
    elif evidence is not None:
        wanted = [(ranked_evidence(level) or ())[-1] for level in evidence]
        changes["evidence"] = tuple(level for level in EvidenceLevel if level in wanted)
    return replace(usual, **changes)


def own_weights(tasks: Iterable[StoredTask]) -> dict[str, TaskWeights]:
    """The weights of the tasks that have their own, or name a profile that has them, by task."""
    found = ((task.id, weights_of(task.body)) for task in tasks)
    return {task_id: weights for task_id, weights in found if weights is not None}

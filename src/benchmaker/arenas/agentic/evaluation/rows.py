"""The output of an evaluation: a row per submission, with its rank within its task."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from benchmaker.analysis.composite import weights as agentic_weights
from benchmaker.arenas.agentic.sessions.importing import Imported
from benchmaker.arenas.agentic.settling.settling import SettlingResult
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.documents import OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.engine.jobs.notices import DeliveryResult
from benchmaker.engine.trials.interpreter import tune_interpreter
from benchmaker.record.submissions.metrics import KINDS_UNKNOWN

NO_TASK = "no_task"
"""The reason for a submission without a task, which is not compared."""

PARTS = ("overall", *agentic_weights.PARTS)
"""The scores of an evaluation, as published."""

RANKED_PARTS = ("efficiency", "speed", "cost")
"""The parts with separate rankings of submissions, as published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedRow(Document):
    """The current result of one submission under one profile; scores from 0 to 100.

    ``row_id`` is its id in its own table, None without one. ``rank`` and ``percentile`` are those
    within its task, None if it is not ranked: no score, an unranked level of evidence, or
    quarantine. ``rankings`` are the ranks by efficiency, speed and cost. If a figure that counts is
    missing, scores are ranges: ``upper`` holds their upper ends by name; ``rank_interval`` spans
    both ends of all of them. ``provisional`` marks scores before the decision on the figures that
    count, or under one by fewer than ten successes that excludes a figure some report;
    ``provisional_reason`` says which. ``snapshot`` is the number of the baseline. ``reason`` is a
    keyword, empty for a full composite, and ``words`` its text. ``review`` is the state of its
    flags, empty without flags. ``waiting`` names the criteria that nobody has reviewed yet.
    ``correctness_weight`` is the weight of correctness under the published weights, None under
    others. ``has_total_alone`` marks a total of tokens that is not used, since the profile scores
    fresh tokens and the submission doesn't list them separately.
    """

    submission_id: str
    row_id: Annotated[str | None, Key("id")] = None
    task_id: str | None
    system: str
    overall_score: float | None = None
    efficiency_score: float | None = None
    speed_score: float | None = None
    cost_score: float | None = None
    correctness_score: float | None = None
    adjusted_score: float | None = None
    provisional: bool = False
    provisional_reason: NullIfEmpty = ""
    rank: int | None = None
    rank_interval: tuple[int, int] | None = None
    percentile: float | None = None
    evidence_level: str = ""
    isolation: str | None = None
    flags: tuple[str, ...] = ()
    review: NullIfEmpty = ""
    reason: str = ""
    words: Annotated[str, Key("detail")] = ""
    warnings: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    snapshot: int | None = None
    waiting: NullIfEmpty = ""
    rankings: Annotated[Mapping[str, int], OMITTED] = field(default_factory=dict)
    upper: Annotated[Mapping[str, float], OMITTED] = field(default_factory=dict)
    correctness_weight: Annotated[float | None, OMITTED] = None
    has_total_alone: Annotated[bool, OMITTED] = False

    @property
    @listed(after="adjusted_score")
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Both ends of the scores that are ranges, by name as in :data:`PARTS`."""
        return {name: (getattr(self, f"{name}_score"), high) for name, high in self.upper.items()}

    @property
    @listed(after="percentile")
    def efficiency_ranking(self) -> int | None:
        """The rank by efficiency alone."""
        return self.rankings.get("efficiency")

    @property
    @listed(after="efficiency_ranking")
    def speed_ranking(self) -> int | None:
        """The rank by speed alone."""
        return self.rankings.get("speed")

    @property
    @listed(after="speed_ranking")
    def cost_ranking(self) -> int | None:
        """The rank by cost alone."""
        return self.rankings.get("cost")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result of evaluating a batch.

    ``rows`` are those of every task that changed, by task and rank; submissions without a task come
    last. ``settled`` lists the re-evaluated tasks. ``imported`` is the result of the import, None
    without one. ``notices`` lists the deliveries. ``graded`` has a result for each criterion of the
    single submission, or of the reviewed one.
    """

    profile: str
    rows: tuple[EvaluatedRow, ...] = ()
    settled: SettlingResult = field(default_factory=SettlingResult)
    imported: Imported | None = None
    notices: DeliveryResult | None = None
    graded: Graded | None = None

    @property
    def stored_counts(self) -> dict[str, int] | None:
        """The numbers of new, unchanged and revised submissions; None without an import."""
        if self.imported is None:
            return None
        return {name: self.imported.counts.get(name, 0) for name in ("new", "unchanged", "revised")}

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows by reason; those with a full composite under an empty word."""
        return dict(Counter(row.reason for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; the keys of ``graded`` stand in it only where there is one."""
        with tune_interpreter():  # a collection among thousands of rows would take longer than they
            rows = [row.to_dict() for row in self.rows]
        return {
            "scale": "0-100",
            "profile": self.profile,
            "evaluations": rows,
            "stored": self.stored_counts,
            "left_out": left_out_figures(sum(row.has_total_alone for row in self.rows)),
            **(self.graded.to_dict() if self.graded else {}),
        }


def left_out_figures(totals_alone: int) -> list[dict[str, Any]]:
    """The figures that are not used of some submissions, and why; empty if there are none."""
    if not totals_alone:
        return []
    return [{"figure": "tokens", "submissions": totals_alone, "reason": KINDS_UNKNOWN}]

"""What judges did in a run: how many answers they judged, at what price, and how far they agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmaker.errors import NotEnoughData
from benchmaker.record import AWAITING_JUDGE, JudgeTotals, Run, Score
from benchmaker.record.columns import ScoreColumns

if TYPE_CHECKING:
    from benchmaker.analysis.grounds import Standing
    from benchmaker.stats.agreement import Coefficient

MOST_FAILED = 0.02
"""A larger share of answers without a judgment makes a run incomplete."""

LEAST_FAILED = 2
"""Fewer answers without a judgment never do."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class Judging:
    """The judges of a run, or of the runs of a series, and what came of them.

    ``judged`` counts the answers that are for judges; of these ``failed`` have no score for want
    of a judgment, ``abstained`` none since the judgments differ too far, and ``awaiting`` are
    still to be judged. ``disagreements`` are pairs that got another verdict in the other order,
    ``suspicious`` answers that seem to speak to their judge. ``alpha`` is Krippendorff's over all
    answers that several judges scored; None with its reason where there is none. ``standings`` say
    of each judge which calibration it rests on.
    """

    models: tuple[str, ...]
    repeats: tuple[int, ...]
    calibration_id: str | None
    weighting: str
    totals: tuple[JudgeTotals, ...]
    judged: int
    failed: int
    abstained: int
    awaiting: int
    disagreements: int
    suspicious: int
    alpha: "Coefficient | None"
    alpha_reason: str
    standings: "tuple[Standing, ...]" = ()

    @property
    def uncalibrated(self) -> tuple[str, ...]:
        """The judges that rest on no calibration, or on that of another version."""
        known = {one.judge for one in self.standings if one.is_calibrated}
        return tuple(name for name in self.models if name not in known)

    @property
    def is_incomplete(self) -> bool:
        """Whether more than 2 % of the answers for judges, and at least 2, got no judgment."""
        return self.failed >= LEAST_FAILED and self.failed_share > MOST_FAILED

    @property
    def failed_share(self) -> float:
        """The share of the answers for judges that got no judgment; 0 where none is for them."""
        return self.failed / self.judged if self.judged else 0.0

    @property
    def coverage(self) -> float | None:
        """The share of the answers for judges that have a score."""
        if not self.judged:
            return None
        return 1 - (self.failed + self.abstained + self.awaiting) / self.judged

    @property
    def judgments(self) -> int:
        """Replies of judges, of every purpose."""
        return sum(one.judgments for one in self.totals)

    @property
    def cached(self) -> int:
        """Those among them that had been paid for in another run."""
        return sum(one.cached for one in self.totals)

    @property
    def cost_usd(self) -> float | None:
        """What judges cost; None where that is not known of all questions."""
        if any(one.costs_unknown for one in self.totals):
            return None
        return sum(one.cost_usd for one in self.totals)

    @property
    def cost_usd_at_least(self) -> float:
        """What is known of the cost."""
        return sum(one.cost_usd for one in self.totals)

    @property
    def usd_per_1000(self) -> float | None:
        """Dollars for 1,000 judgments; None where no cost is known, or nothing was paid for."""
        paid = self.judgments - self.cached
        known = paid - sum(one.costs_unknown for one in self.totals)
        return 1000 * self.cost_usd_at_least / paid if paid and known > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "judges": list(self.models),
            "repeats": list(self.repeats),
            "calibration_id": self.calibration_id,
            "uncalibrated": list(self.uncalibrated),
            "calibrations": [one.to_dict() for one in self.standings],
            "weighting": self.weighting or None,
            "judged": self.judged,
            "failed": self.failed,
            "abstained": self.abstained,
            "awaiting": self.awaiting,
            "coverage": self.coverage,
            "incomplete": self.is_incomplete,
            "order_disagreements": self.disagreements,
            "suspicious_answers": self.suspicious,
            "judgments": self.judgments,
            "cached": self.cached,
            "cost_usd": self.cost_usd,
            "cost_usd_at_least": self.cost_usd_at_least if self.cost_usd is None else None,
            "usd_per_1000_judgments": self.usd_per_1000,
            "alpha": self.alpha.value if self.alpha else None,
            "alpha_ci95": list(self.alpha.interval) if self.alpha and self.alpha.interval else None,
            "alpha_reason": self.alpha_reason or None,
            "by_judge": [_told(one) for one in self.totals],
        }


def asking_scorers_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """The ids of the scorers that ask the judges of these runs, each once."""
    asked = (one for run in runs for one in run.judge.get("scorers", ()))
    return tuple(dict.fromkeys(str(one["id"]) for one in asked))


def judging_of(
    runs: Sequence[Run],
    columns: ScoreColumns,
    totals: Sequence[JudgeTotals],
    *,
    judged: int,
    scores: Iterable[Score] = (),
    standings: "Sequence[Standing]" = (),
) -> Judging | None:
    """What judges did in these runs; None where they have none.

    Args:
        runs: the records of the runs.
        columns: their scores, with the counts of flags.
        totals: what each judge was asked.
        judged: how many answers are for judges, those that wait and those that failed included.
        scores: the newest scores; read only where several judges scored the same answers.
        standings: what each judge rests on.
    """
    models = tuple(dict.fromkeys(name for run in runs for name in run.judge.get("asked", ())))
    if not models:
        return None
    asked = [one for run in runs for one in run.judge.get("scorers", ())]
    alpha, reason, weighting = None, "", ""
    if len(models) >= _PAIR:
        alpha, reason, weighting = _agreement(scores, models)
    return Judging(
        models=models,
        repeats=tuple(sorted({int(one.get("repeats", 1)) for one in asked})),
        calibration_id=runs[0].calibration_id,
        weighting=weighting,
        totals=tuple(totals),
        judged=judged,
        failed=_count(columns.flag_counts, "judge_failed"),
        abstained=_count(columns.flag_counts, "judge_abstained"),
        awaiting=_count(columns.flag_counts, AWAITING_JUDGE),
        disagreements=_count(columns.flag_counts, "order_disagreement"),
        suspicious=_count(columns.flag_counts, "suspicious_answer"),
        alpha=alpha,
        alpha_reason=reason,
        standings=tuple(standings),
    )


def _agreement(
    scores: Iterable[Score], models: Sequence[str]
) -> tuple["Coefficient | None", str, str]:
    """Alpha over the judges' medians, and what their weights rest on."""
    rows: list[list[float | None]] = []
    weightings: dict[str, None] = {}
    for score in scores:
        judges = score.detail.get("judges", {})
        if len(judges) >= _PAIR:
            rows.append([judges[it]["median"] if it in judges else None for it in models])
            weightings.setdefault(str(score.detail.get("weighting", "")))
    weighting = "; ".join(weightings)
    if not rows:
        return None, "no answer was scored by two judges", weighting
    return *_alpha(rows), weighting


def _alpha(rows: Sequence[Sequence[float | None]]) -> tuple["Coefficient | None", str]:
    from benchmaker.stats.agreement import krippendorff_alpha  # noqa: PLC0415  7 MB, for panels

    try:
        found = krippendorff_alpha(rows, scale="interval")
    except NotEnoughData as exc:
        return None, exc.message
    return found, found.reason


def _count(flags: Mapping[tuple[str, str], int], wanted: str) -> int:
    return sum(number for (_, flag), number in flags.items() if flag == wanted)


def _told(one: JudgeTotals) -> dict[str, Any]:
    return {
        "judge": one.judge,
        "judgments": one.judgments,
        "cached": one.cached,
        "failed": one.failed,
        "cost_usd": None if one.costs_unknown else one.cost_usd,
        "cost_usd_at_least": one.cost_usd if one.costs_unknown else None,
        "costs_unknown": one.costs_unknown,
        "usd_per_1000_judgments": one.usd_per_1000,
        "mean_latency_s": one.latency_s,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "tokens_unknown": one.tokens_unknown,
    }

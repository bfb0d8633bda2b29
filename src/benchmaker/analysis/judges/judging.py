"""The judges of a run: answers judged, cost, and agreement."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from benchmaker.analysis.judges.judge_parts import Agreement, JudgePart, JudgeShare, JudgeTally
from benchmaker.analysis.judges.run_calibrations import JudgeStatus
from benchmaker.documents import OMITTED, Document, Key, NullIfEmpty, listed
from benchmaker.record import AWAITING_JUDGE, JUDGE_FAILED, JudgeTotals, Run, Score
from benchmaker.record.score_columns import ScoreColumns

if TYPE_CHECKING:
    from benchmaker.stats.agreement import Coefficient

MOST_FAILED = 0.02
"""The share of answers without a judgment above which a run is incomplete."""

LEAST_FAILED = 2
"""The number of answers without a judgment below which a run is never incomplete."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class CheckAgreement(Document):
    """The agreement of a panel on one check: Krippendorff's alpha, or the reason why not.

    ``check`` is the metric or the type of the check.
    """

    check: str
    alpha: Annotated["Coefficient | None", OMITTED]
    alpha_reason: NullIfEmpty

    @property
    @listed("alpha", after="check")
    def alpha_value(self) -> float | None:
        """The value of Krippendorff's alpha."""
        return self.alpha.value if self.alpha else None

    @property
    @listed(after="alpha")
    def alpha_ci95(self) -> tuple[float, float] | None:
        """Its interval."""
        return self.alpha.interval if self.alpha else None

    @property
    @listed(after="alpha_ci95")
    def answers(self) -> int | None:
        """The number of answers scored by two judges or more."""
        return self.alpha.n if self.alpha else None


@dataclass(frozen=True, slots=True)
class JudgingSummary(Document):
    """The judges of a run, or of the runs of a series, with their results.

    ``models`` are the judges behind the scores, or those still to be queried. ``judged`` counts the
    answers that need judges; of these ``failed`` have no score for lack of a judgment,
    ``abstained`` none because judgments differ too much, and ``awaiting`` are still to be judged.
    ``disagreements`` are pairs with another verdict in the other order, ``suspicious`` answers that
    seem to address their judge. ``alpha`` is Krippendorff's over all answers scored by several
    judges, clustered by case; None with its reason if undefined. ``checks`` has it for each judged
    check; with several, there is none over all. ``standings`` holds each judge's
    calibration, ``parts`` its missing judgments. ``totals`` are those of ``models`` for the scores
    that count; ``earlier`` holds the judgments for scores that no longer count, by the same judges
    with other parameters or by others. ``shares`` are the numbers of answers scored by each set of
    judges; with several, the means combine scores by different judges.
    """

    models: Annotated[tuple[str, ...], Key("judges")]
    repeats: tuple[int, ...]
    calibration_id: str | None
    weighting: NullIfEmpty
    totals: Annotated[tuple[JudgeTotals, ...], OMITTED]
    judged: int
    failed: int
    abstained: int
    awaiting: int
    disagreements: Annotated[int, Key("order_disagreements")]
    suspicious: Annotated[int, Key("suspicious_answers")]
    alpha: Annotated["Coefficient | None", OMITTED]
    alpha_reason: NullIfEmpty
    standings: Annotated[tuple[JudgeStatus, ...], Key("calibrations", after="uncalibrated")] = ()
    parts: Annotated[tuple[JudgePart, ...], OMITTED] = ()
    earlier: Annotated[tuple[JudgeTotals, ...], OMITTED] = ()
    checks: Annotated[
        tuple[CheckAgreement, ...], Key("agreement_by_check", after="alpha_reason")
    ] = ()
    shares: Annotated[tuple[JudgeShare, ...], Key("scored_by", after="judges")] = ()

    @property
    @listed(after="calibration_id")
    def uncalibrated(self) -> tuple[str, ...]:
        """The judges that rest on no calibration, or on that of another version."""
        known = {one.judge for one in self.standings if one.is_calibrated}
        return tuple(name for name in self.models if name not in known)

    @property
    @listed("incomplete", after="coverage")
    def is_incomplete(self) -> bool:
        """True if more than 2% of the answers for judges, and at least 2, got no judgment."""
        return self.failed >= LEAST_FAILED and self.failed_share > MOST_FAILED

    @property
    def failed_share(self) -> float:
        """The share of the answers for judges that got no judgment; 0 where none is for them."""
        return self.failed / self.judged if self.judged else 0.0

    @property
    @listed(after="awaiting")
    def coverage(self) -> float | None:
        """The share of the answers for judges that have a score."""
        if not self.judged:
            return None
        return 1 - (self.failed + self.abstained + self.awaiting) / self.judged

    @property
    @listed(after="suspicious_answers")
    def judgments(self) -> int:
        """Replies of judges that could be used, of every purpose."""
        return sum(one.judgments for one in self.totals)

    @property
    @listed(after="judgments")
    def cached(self) -> int:
        """The number of them paid for by another run."""
        return sum(one.cached for one in self.totals)

    @property
    @listed(after="cached")
    def cost_usd(self) -> float | None:
        """The cost of judges; None if the cost of any question is unknown."""
        if any(one.costs_unknown for one in self.totals):
            return None
        return sum(one.cost_usd for one in self.totals)

    @property
    def cost_usd_at_least(self) -> float:
        """The known part of the cost."""
        return sum(one.cost_usd for one in self.totals)

    @property
    @listed("usd_per_1000_judgments", after="cost_usd_at_least")
    def usd_per_1000(self) -> float | None:
        """Dollars per 1,000 judgments, over those of known cost; None if there are none."""
        priced = sum(one.priced for one in self.totals)
        return 1000 * self.cost_usd_at_least / priced if priced else None

    @property
    @listed("cost_usd_at_least", after="cost_usd")
    def cost_usd_where_partly_known(self) -> float | None:
        """The known part of the cost if it is not fully known; otherwise None."""
        return self.cost_usd_at_least if self.cost_usd is None else None

    @property
    @listed("alpha", after="usd_per_1000_judgments")
    def alpha_value(self) -> float | None:
        """The value of Krippendorff's alpha."""
        return self.alpha.value if self.alpha else None

    @property
    @listed(after="alpha")
    def alpha_ci95(self) -> tuple[float, float] | None:
        """Its interval."""
        return self.alpha.interval if self.alpha else None

    @property
    @listed()
    def by_judge(self) -> list[dict[str, Any]]:
        """The figures of each judge."""
        return [_judge_to_dict(one, self._part(one.judge)) for one in self.totals]

    @property
    @listed()
    def earlier_judges(self) -> list[dict[str, Any]]:
        """The figures of scorings that no longer count."""
        return [_earlier_to_dict(one) for one in self.earlier]

    @property
    def spent_usd(self) -> float:
        """The known amount paid to judges, including scorings that no longer count."""
        return self.cost_usd_at_least + sum(one.cost_usd for one in self.earlier)

    @property
    def is_spent_known(self) -> bool:
        """True if the cost of every question is known."""
        return not any(one.costs_unknown for one in (*self.totals, *self.earlier))

    def _part(self, judge: str) -> JudgePart:
        found = (one for one in self.parts if one.judge == judge)
        return next(found, JudgePart(judge, 0))


def asking_scorers_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the ids of the scorers that query the judges of these runs, without repeats."""
    scorers = (one for run in runs for one in run.judge.get("scorers", ()))
    return tuple(dict.fromkeys(str(one["id"]) for one in scorers))


def summarise_judging(
    runs: Sequence[Run],
    columns: ScoreColumns,
    totals: Sequence[JudgeTotals],
    *,
    judged: int,
    scores: Iterable[tuple[int, Score]] = (),
    standings: Sequence[JudgeStatus] = (),
    earlier: Sequence[JudgeTotals] = (),
) -> JudgingSummary | None:
    """Summarise the judges of these runs; None if there are none.

    Args:
        runs: the records of the runs.
        columns: their scores, with the counts of flags.
        totals: each judge's usage for the scores that count.
        judged: number of answers that need judges, waiting and failed ones included.
        scores: the newest scores, with their judges, each with the position of its case.
        standings: each judge's calibration.
        earlier: each judge's usage for scores that no longer count.
    """
    tally = JudgeTally().add(scores)
    flags = Counter(columns.flag_counts())
    awaiting = flags[AWAITING_JUDGE]
    is_for_judges = bool(awaiting or judged) or not _is_scored(columns)
    models = _judges(runs if is_for_judges else (), tally.deciding_judges)
    if not models and not totals and not earlier:
        return None
    scorers = [one for run in runs for one in run.judge.get("scorers", ())]
    clusters = dict(zip(columns.position.tolist(), columns.cluster.tolist(), strict=True))
    is_panel = len(models) >= _PAIR
    found = tally.agreement(models, clusters) if is_panel else Agreement()
    by_check = tally.agreement_by_check(models, clusters) if is_panel else {}
    return JudgingSummary(
        models=models,
        repeats=tuple(sorted({int(one.get("repeats", 1)) for one in scorers})),
        calibration_id=runs[0].calibration_id if models else None,
        weighting=found.weighting,
        totals=tuple(one for one in totals if one.judge in models),
        judged=judged,
        failed=flags[JUDGE_FAILED],
        abstained=flags["judge_abstained"],
        awaiting=awaiting,
        disagreements=flags["order_disagreement"],
        suspicious=flags["suspicious_answer"],
        alpha=found.alpha,
        alpha_reason=found.reason,
        standings=tuple(one for one in standings if one.judge in models),
        parts=tuple(tally.part(name) for name in tally.judges),
        earlier=(*earlier, *(one for one in totals if one.judge not in models)),
        checks=tuple(CheckAgreement(name, it.alpha, it.reason) for name, it in by_check.items()),
        shares=tally.shares(models),
    )


def _judges(runs: Sequence[Run], scoring: Sequence[str]) -> tuple[str, ...]:
    """Return the judges named by the runs, then those of earlier scorings that still count."""
    named = (name for run in runs for name in run.judge.get("asked", ()))
    return tuple(dict.fromkeys([*named, *scoring]))


def _is_scored(columns: ScoreColumns) -> bool:
    return not bool(np.isnan(columns.score).all())


def _earlier_to_dict(one: JudgeTotals) -> dict[str, Any]:
    """Return the figures of a scoring that no longer counts, and its different parameters."""
    return {**_judge_to_dict(one, JudgePart(one.judge, 0)), "parameters": dict(one.parameters)}


def _judge_to_dict(one: JudgeTotals, part: JudgePart) -> dict[str, Any]:
    """A judge's figures: of all its replies, then of the judgments that scores now rest on."""
    return {
        "judge": one.judge,
        "judgments": one.judgments,
        "cached": one.cached,
        "unusable_replies": one.unusable,
        "failed_requests": one.failed,
        "asked": part.requested,
        "failed": part.missing_judgments,
        "unreadable": part.unreadable,
        "refused": part.refused,
        "without_reply": part.failed,
        "cost_usd": None if one.costs_unknown else one.cost_usd,
        "cost_usd_at_least": one.cost_usd if one.costs_unknown else None,
        "costs_unknown": one.costs_unknown,
        "usd_per_1000_judgments": one.usd_per_1000,
        "mean_latency_s": one.latency_s,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "tokens_unknown": one.tokens_unknown,
    }

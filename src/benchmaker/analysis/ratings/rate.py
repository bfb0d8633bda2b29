"""Ranking models from votes, or from the scores of any suite."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from typing import Any, Literal, TypeAlias

import numpy as np

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.comparable import check_comparable, judge_warnings
from benchmaker.analysis.comparison.left_out import without
from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.early_ends import early_ends, left_out_of
from benchmaker.analysis.metric import by_metric, metric_or_named
from benchmaker.analysis.ratings.battles import Cluster, Rounds, rounds_of_battles, rounds_of_scores
from benchmaker.analysis.ratings.mean_order import mean_order_warnings
from benchmaker.analysis.ratings.rank_bounds import NO_CHANCE, within_comparison
from benchmaker.analysis.ratings.ranking import METHODS, LeadFragility, Method, RankedModel, Ranking
from benchmaker.analysis.ratings.strengths import (
    TIES,
    RatingOptions,
    Strengths,
    known_or_none,
    strengths,
)
from benchmaker.analysis.records import records_of, shared_cases
from benchmaker.errors import AnalysisError, DisconnectedBattles, SpecError
from benchmaker.record import Run
from benchmaker.record.battle import Battle
from benchmaker.record.counts import count
from benchmaker.record.run import setup_noun, setups_named
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.ratings import (
    BattleCounts,
    Battles,
    Flip,
    Ranks,
    components,
    fewest_to_flip,
    rank_intervals,
)
from benchmaker.stats.ratings.rating import Ties

MOST = 1_000_000
"""Number of battles above which the search is skipped."""


def lead_fragility(rounds: Rounds, ties: Ties) -> LeadFragility | None:
    """Find the smallest set whose removal changes the leader; single votes, whole cases.

    None for too many battles to search, or too few to remove some.
    """
    if len(rounds.battles) > MOST:
        return None
    clusters = rounds.prompt if rounds.source == "suite" else None
    try:
        found = fewest_to_flip(rounds.battles, clusters=clusters, ties=ties)
    except AnalysisError:
        return None
    return _to_fragility(found, rounds)


def _to_fragility(found: Flip, rounds: Rounds) -> LeadFragility:
    removed: int | None = len(found.labels) if rounds.source == "suite" else found.n_removed
    return LeadFragility(
        leader=found.leader,
        follower=found.follower,
        removed=removed if found.follower else None,
        total=len(set(rounds.prompt or ())) if rounds.source == "suite" else found.n,
        unit=_unit(rounds),
        reason=found.reason,
    )


def _unit(rounds: Rounds) -> str:
    if rounds.source == "votes":
        return "votes"
    return "cases" if len(set(rounds.prompt or ())) == rounds.n_prompts else "groups of cases"


LEAST_CASES = 5
"""Below this many cases or prompts, voters if votes are clustered by voter, or battles, nothing is
ranked."""

Rankable: TypeAlias = Scored | Iterable[ScoreColumns | HasColumns] | Iterable[Battle] | Rounds


def rank(
    source: Rankable,
    runs: Sequence[Run] = (),
    *,
    models: Sequence[str] = (),
    cases: CaseWeights | None = None,
    method: Method = "bradley_terry",
    cluster: Cluster | Literal["auto"] = "auto",
    style: Sequence[str] = (),
    prior: float = 0.0,
    top: int = 1,
    simultaneous: bool = True,
    level: float = 0.95,
    seed: int = 0,
    metric: str | None = None,
) -> Ranking:
    """Rate models, and compute each one's rank interval.

    Scores of a suite are compared in pairs: every case is a round in which the higher score wins,
    and equal ones tie; a case weighs as in the suite, and counts with its mean over runs. Battles
    of one case (or of cases that share a group), or of one voter, may be correlated, so the
    standard errors are clustered. Below five cases, prompts or voters by which it is clustered, or
    battles, or if the battles do not put all models on one scale, the ranking is provisional and
    has no ranks. If all clusters agree exactly, the standard errors are unknown, and there are no
    intervals. Results of several versions of a suite are ranked over their common cases. Setups
    that were dropped or stopped in a run are not ranked, and do not change the ranks of the others.

    Args:
        source: recorded battles, or scores: results of runs, their columns, or trials.
        runs: the records of the same runs, to check that they are comparable; results include their
            own.
        models: for a suite, the models to rank; all by default.
        cases: for a suite, the cases to count, with their weights.
        method: Bradley-Terry with ties as half wins, with ties after Davidson or Rao and Kupper, or
            by Newman's iteration; win rates; or Elo and Glicko-2, which depend on the order.
        cluster: by voter, by prompt, both, or none; by default both, as far as known.
        style: features of the answers to adjust for; only for Bradley-Terry.
        prior: the weight of a tie of each model with an average one; only for Bradley-Terry.
        top: the number of first ranks for ``p_top``.
        simultaneous: whether the rank intervals hold jointly, or each separately.
        level: of the intervals.
        seed: seed of the draws for the rank intervals.
        metric: for a suite: ``mean``, ``strict``, by which only exactly right answers win, or the
            name of a metric of checks; None for the suite's metric.

    Raises:
        DisconnectedBattles: no two models share a scale: one side won every battle, or they never
            met; they are named.
        NotEnoughData: fewer than two models, no battle, or a single cluster.
        NotComparable: the runs do not share suite and profile.
        SpecError: an unknown model, feature or method, or an argument out of its range.
    """
    if method not in METHODS:
        raise SpecError(f"Unknown method {method!r}.", hint=f"Use one of {', '.join(METHODS)}.")
    source, known, joined = _comparable(source, runs)
    rounds, scores = _rounds(source, models, cases, metric_or_named(known, metric), known)
    chosen = rounds.usual_cluster() if cluster == "auto" else cluster
    made = _strengths(rounds, RatingOptions(method, chosen, tuple(style), prior, level))
    doubts = _doubts(rounds, made, chosen)
    found = _ranks(made, top=top, simultaneous=simultaneous, seed=seed)
    ranks = None if doubts else found
    lines = _lines(made, rounds.battles, ranks, is_ranked=not doubts)
    if scores is not None and ranks is not None:
        lines = within_comparison(lines, scores.table, top=top, level=level, seed=seed)
    ours = () if scores is None else (*scores.unranked, *scores.order_warnings(lines))
    warnings = (*joined, *ours, *made.warnings, *_of_ranks(ranks, lines))
    return Ranking(
        models=lines,
        method=made.method,
        kind=method,
        unit="share" if method == "win_rate" else "points",
        source=rounds.source,
        run_ids=() if scores is None else scores.columns.run_ids,
        n=made.n,
        n_eff=known_or_none(made.n_eff),
        n_prompts=rounds.n_prompts,
        clusters=made.clusters,
        cluster=chosen,
        level=level,
        top=top,
        rank_method=ranks.method.split("; ")[0] if ranks else "",
        is_simultaneous=simultaneous,
        is_order_dependent=made.is_order_dependent,
        hinge=None if doubts or style or prior else _hinge(rounds, method),
        style=made.style,
        provisional=doubts,
        noun=setup_noun(known),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _comparable(
    source: Rankable, runs: Sequence[Run]
) -> tuple[Rankable, Sequence[Run], tuple[str, ...]]:
    """The scores over common cases, the records of their runs, and the warnings of both."""
    shared = None if runs else shared_cases(source)
    known = shared.runs if shared is not None else runs or records_of(source)
    check_comparable(known)
    warnings = (*(shared.warnings if shared is not None else ()), *judge_warnings(known))
    return source if shared is None else shared.columns, known, warnings


def _hinge(rounds: Rounds, method: Method) -> LeadFragility | None:
    """The votes or cases that decide on the leader, where the method has a search for them."""
    return lead_fragility(rounds, TIES[method]) if method in TIES else None


def _of_ranks(ranks: Ranks | None, lines: Sequence[RankedModel]) -> Iterator[str]:
    """The warnings of the ranks, and one for chances that the comparison left out."""
    if ranks is None:
        return
    yield from ranks.warnings
    if np.isfinite(ranks.p_top).any() and all(one.p_top is None for one in lines):
        yield NO_CHANCE


def _strengths(rounds: Rounds, options: RatingOptions) -> Strengths:
    """The ratings; what can be done about unconnected battles is said in arguments of ``rank``."""
    try:
        return strengths(rounds, options)
    except DisconnectedBattles as error:
        hint = "Add cases or votes, or use prior=1 or method='win_rate'."
        raise DisconnectedBattles(error.message, hint=hint) from error


@dataclass(frozen=True, slots=True)
class _RankedScores:
    """The scores behind a ranking, by trial and by case, and a note on each unranked model."""

    columns: ScoreColumns
    table: CaseTable
    unranked: tuple[str, ...]

    def order_warnings(self, lines: Sequence[RankedModel]) -> tuple[str, ...]:
        """The warning if the means have another order."""
        return mean_order_warnings(lines, self.columns, self.table)


def _rounds(
    source: Rankable,
    models: Sequence[str],
    cases: CaseWeights | None,
    metric: str,
    runs: Sequence[Run],
) -> tuple[Rounds, _RankedScores | None]:
    """The battles, and the scores behind them where there are some."""
    if isinstance(source, Rounds):
        return _refuse_selection(source, models, cases), None
    first, everything = _peek(source)
    if isinstance(first, Battle):
        return _refuse_selection(rounds_of_battles(everything), models, cases), None
    whole = columns_of(everything)
    columns = by_metric(columns_of(whole, cases), metric)
    table = case_table(columns, setups_named(runs, columns.models, models))
    scored = [name for name in table.models if len(table.cases_of(name))]
    left_out = left_out_of(scored, early_ends(whole, runs))
    unscored = [name for name in table.models if name not in scored]
    unranked = [f"not ranked (no scores): {', '.join(unscored)}"] if unscored else []
    unranked += [f"not ranked ({why}): {name}" for name, why in left_out.items()]
    ranked = without(table, left_out)
    return rounds_of_scores(ranked), _RankedScores(columns, ranked, tuple(unranked))


def _refuse_selection(rounds: Rounds, models: Sequence[str], cases: CaseWeights | None) -> Rounds:
    if models or cases is not None:
        raise SpecError("Models and cases can be selected from scores, not from votes.")
    return rounds


def _peek(source: Any) -> tuple[Any, Any]:  # noqa: ANN401  whatever may be ranked
    """The first item of an iterable, and all of them once more."""
    whole = (ScoreColumns, HasColumns, Mapping, str)
    if isinstance(source, whole) or not isinstance(source, Iterable):
        return None, source
    rest: Iterator[Any] = iter(source)
    first = next(rest, None)
    return first, chain(() if first is None else (first,), rest)


def _ranks(made: Strengths, *, top: int, simultaneous: bool, seed: int) -> Ranks | None:
    if not 1 <= top <= len(made.names):
        raise SpecError(f"top={top} is out of range: there are {len(made.names)} models.")
    if made.ratings is None:
        return None
    return rank_intervals(made.ratings, simultaneous=simultaneous, top=top, seed=seed)


def _doubts(rounds: Rounds, made: Strengths, cluster: Cluster) -> tuple[str, ...]:
    """Return the reasons why there are no ranks yet; empty if there are."""
    said = [
        f"{count(n, noun)}, at least {LEAST_CASES} are needed"
        for noun, n in _sizes(rounds, made, cluster)
        if n < LEAST_CASES
    ]
    if not made.is_connected:
        groups = components(rounds.battles.counts())
        shown = "; ".join(", ".join(group) for group in groups)
        said.append(
            f"{len(groups)} groups of models are on different scales, because one side won every "
            f"battle or they never met: {shown}"
        )
    return tuple(said)


def _sizes(rounds: Rounds, made: Strengths, cluster: Cluster) -> Iterator[tuple[str, int]]:
    """The numbers with a minimum: cases, prompts or battles, and voters if they are clusters."""
    if rounds.n_prompts:
        yield "case" if rounds.source == "suite" else "prompt", rounds.n_prompts
    else:
        yield "battle", made.n
    if cluster in {"voter", "both"} and rounds.voter is not None:
        mask = rounds.battles.counted_mask
        yield "voter", len(set(rounds.voter if mask is None else compress(rounds.voter, mask)))


def _lines(
    made: Strengths, battles: Battles, ranks: Ranks | None, *, is_ranked: bool
) -> tuple[RankedModel, ...]:
    weight = battles.counts().restrict_to(made.group)
    number = weight
    if battles.weight is not None:
        number = battles.without_weights().counts().restrict_to(made.group)
    order = sorted(
        range(len(made.names)),
        key=lambda i: (
            int(made.group[i]),
            -float(np.nan_to_num(made.score[i], nan=-np.inf)),
            made.names[i],
        ),
    )
    return tuple(_line(made, (number, weight), ranks, i, is_ranked=is_ranked) for i in order)


def _line(
    made: Strengths,
    tallies: tuple[BattleCounts, BattleCounts],
    ranks: Ranks | None,
    i: int,
    *,
    is_ranked: bool,
) -> RankedModel:
    number, weight = tallies
    score = known_or_none(made.score[i])
    return RankedModel(
        model=made.names[i],
        rank=1 + int((made.score > made.score[i]).sum()) if is_ranked else None,
        best=int(ranks.best[i]) if ranks else None,
        worst=int(ranks.worst[i]) if ranks else None,
        p_top=known_or_none(ranks.p_top[i]) if ranks else None,
        score=score,
        low=known_or_none(made.low[i]),
        high=known_or_none(made.high[i]),
        n_battles=int(made.n_battles[i]),
        wins=int(number.win[i].sum()),
        losses=int(number.win[:, i].sum()),
        ties=int(number.tie[i].sum()),
        weighted_wins=float(weight.win[i].sum()),
        weighted_losses=float(weight.win[:, i].sum()),
        weighted_ties=float(weight.tie[i].sum()),
        effective=known_or_none(made.effective[i]),
        group=int(made.group[i]),
        reason=_reason(made, i),
    )


def _reason(made: Strengths, i: int) -> str:
    if not np.isfinite(made.score[i]):
        return "no battles connect it to another model's scale"
    reason = "" if made.ratings is None else made.ratings.interval_reasons()[i]
    return f"no interval: {reason}" if reason else ""

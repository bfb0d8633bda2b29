"""Comparisons and rankings of results, and of stored runs by their names."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

from benchmaker import analysis
from benchmaker.analysis import Comparison, Ranking
from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored
from benchmaker.analysis.comparison.comparison import read_scores
from benchmaker.analysis.effects.dimensions import Dimension
from benchmaker.analysis.effects.level_results import LevelComparison
from benchmaker.analysis.ratings.battles import Cluster
from benchmaker.analysis.ratings.ranking import Method
from benchmaker.analysis.ratings.rate import Rankable
from benchmaker.arenas.standard.api import results
from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.record.run import setups_named
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.stats.pairs.multiple_comparisons import Correction

Home: TypeAlias = str | Path | None

Comparable: TypeAlias = Scored | Iterable[ScoreColumns | HasColumns] | str | Sequence[str]
"""Scores, or the names of stored runs."""


@overload
def compare(
    columns: Comparable,
    runs: Sequence[Run] = (),
    *,
    by: Dimension,
    models: Sequence[str] = (),
    cases: CaseWeights | None = None,
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    metric: str | None = None,
    home: Home = None,
    store: str | None = None,
) -> LevelComparison: ...


@overload
def compare(
    columns: Comparable,
    runs: Sequence[Run] = (),
    *,
    by: None = None,
    models: Sequence[str] = (),
    cases: CaseWeights | None = None,
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    metric: str | None = None,
    home: Home = None,
    store: str | None = None,
) -> Comparison: ...


def compare(
    columns: Comparable,
    runs: Sequence[Run] = (),
    *,
    by: Dimension | None = None,
    models: Sequence[str] = (),
    cases: CaseWeights | None = None,
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    metric: str | None = None,
    home: Home = None,
    store: str | None = None,
) -> Comparison | LevelComparison:
    """Compare models case by case, over the cases that are scored for all of them.

    A case counts with its mean over runs; cases that share a group are one cluster. Each pair gets
    the test that suits it: scores of 0 and 1, unweighted and without groups → McNemar's binomial
    test with mid-p and Tango's interval; else fewer than 50 clusters → sign flips of clusters with
    their interval; else Student's t, paired and clustered. For scores of 0 and 1 with groups or
    weights, the interval of these two also covers Tango's, by the effective number of cases.
    Models that share no case are compared by Welch's t, which the result states. Results of several
    versions of a suite are compared over the unchanged common cases, with a warning that states
    their number. Rescored answers count once, by their newest scores, with a warning. Failures
    caused by a model are already part of the scores; unscored trials are missing, and appear in the
    coverage.

    Args:
        columns: the scores: columns, results of runs, or trials; or stored runs by name: the id of
            a run or a series, a prefix of one, ``latest``, or several of these.
        runs: the records of the same runs, to check that they belong together.
        by: "model", "prompt" or "effort" to compare these, each averaged over the others in every
            case; None to compare every setup, or every model where the suite has no prompts and
            no efforts.
        models: the models or setups to compare; all by default.
        cases: the cases to count, with their weights; None for all, as in the runs.
        correction: for the number of pairs: "holm", "bh", "by", "max_t", or None.
        margin: the largest difference that does not matter, from 0 to 1; pairs with a significantly
            smaller difference are called equivalent. The result's ``within_margin`` names the
            cheapest that is not worse than the best by more than it.
        level: of the intervals; a model is ahead when the adjusted p is below 1 - level.
        draws: number of draws for sign flips and the bootstrap.
        seed: seed of both.
        metric: ``mean``, ``strict`` for the share of answers that are exactly right, or the name
            of a metric of checks; None for the suite's metric.
        home: the data folder of stored runs; results have their own.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        NotComparable: the runs do not share suite and profile, versions of a suite have no case in
            common, or max-T without common cases.
        NotEnoughData: fewer than two models with a score.
        SpecError: an unknown model, case, weight, margin or level.
    """
    source = _read(columns, home, store)
    if by is not None:
        return _compare_levels(
            source,
            by,
            runs,
            models,
            cases=cases,
            correction=correction,
            margin=margin,
            level=level,
            draws=draws,
            seed=seed,
            metric=metric,
        )
    return analysis.compare(
        source,
        runs,
        models=models,
        cases=cases,
        correction=correction,
        margin=margin,
        level=level,
        draws=draws,
        seed=seed,
        metric=metric,
    )


def _compare_levels(
    source: Any,  # noqa: ANN401  of many kinds
    by: Dimension,
    runs: Sequence[Run],
    models: Sequence[str],
    **options: Any,  # noqa: ANN401  those of compare_levels
) -> LevelComparison:
    """The comparison by a dimension; models are chosen by name, or by their setups' names."""
    setups: Sequence[str] = ()
    if models:
        read = read_scores(source, runs)
        setups = setups_named(read.runs, read.columns.models, models)
    return analysis.compare_levels(source, by, runs, setups=setups, **options)


def rank(
    source: Rankable | str | Sequence[str],
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
    home: Home = None,
    store: str | None = None,
) -> Ranking:
    """Rate models, and compute each one's rank interval.

    Scores of a suite are compared in pairs: every case is a round in which the higher score wins,
    and equal ones tie; a case weighs as in the suite, and counts with its mean over runs. Battles
    of one case (or of cases that share a group), or of one voter, may be correlated, so the
    standard errors are clustered. Below five cases, or if the battles do not put all models on one
    scale, the ranking is provisional and has no ranks. Results of several versions of a suite are
    ranked over their common cases.

    Args:
        source: recorded battles, or scores: results of runs, their columns, or trials; or stored
            runs by name: the id of a run or a series, a prefix of one, ``latest``, or several
            of these.
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
        home: the data folder of stored runs; results have their own.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        DisconnectedBattles: no two models share a scale: one side won every battle, or they never
            met; they are named.
        NotEnoughData: fewer than two models, no battle, or a single cluster.
        NotComparable: the runs do not share suite and profile.
        SpecError: an unknown model, feature or method, or an argument out of its range.
    """
    return analysis.rank(
        _read(source, home, store),
        runs,
        models=models,
        cases=cases,
        method=method,
        cluster=cluster,
        style=style,
        prior=prior,
        top=top,
        simultaneous=simultaneous,
        level=level,
        seed=seed,
        metric=metric,
    )


def _read(source: Any, home: Home, store: str | None) -> Any:  # noqa: ANN401  of many kinds
    """The stored results where runs are named; anything else as it is."""
    if isinstance(source, str):
        return results(source, home=home, store=store)
    if isinstance(source, list | tuple) and source and all(isinstance(it, str) for it in source):
        return [results(name, home=home, store=store) for name in source]
    if home is not None or store is not None:
        raise SpecError(
            "home and store apply only to run ids.",
            hint="Remove them; results already have a store.",
        )
    return source

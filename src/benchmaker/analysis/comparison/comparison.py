"""The comparison of models: the leader, the difference and its certainty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.comparable import check_comparable, judge_warnings
from benchmaker.analysis.comparison.case_costs import cost_table
from benchmaker.analysis.comparison.left_out import pairs_with, without
from benchmaker.analysis.comparison.pairing import CaseTable, case_table
from benchmaker.analysis.comparison.pairs import (
    ComparisonSettings,
    PairwiseResults,
    compare_pairs,
    compare_sides,
    mean_of,
)
from benchmaker.analysis.comparison.results import (
    LEAST_COMMON,
    TESTS,
    ComparedModel,
    ComparedPair,
    Comparison,
)
from benchmaker.analysis.comparison.within_margin import WithinMargin, within_margin
from benchmaker.analysis.early_ends import early_ends, left_out_of
from benchmaker.analysis.metric import (
    FigureName,
    by_metric,
    cases_with_metric,
    figure_name,
    metric_or_named,
)
from benchmaker.analysis.records import records_of, shared_cases
from benchmaker.analysis.selected_cases import selected_cases
from benchmaker.errors import NotEnoughData
from benchmaker.record import Run
from benchmaker.record.run import setup_noun, setups_named
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Metric
from benchmaker.stats.pairs.multiple_comparisons import Correction
from benchmaker.stats.pairs.pairs import NAMES

_MUCH = 0.1

_OF_ALL = frozenset(get_args(Metric))
"""The metrics that every case has."""


def compare(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    models: Sequence[str] = (),
    cases: CaseWeights | None = None,
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    draws: int = 9_999,
    seed: int = 0,
    metric: str | None = None,
) -> Comparison:
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

    Setups that were dropped or stopped in a run are left out of the comparison of the others, which
    is the same as without them. They come last, with their own means, and each of their pairs is
    over the cases that both setups have.

    Args:
        columns: the scores: columns, results of runs, or trials.
        runs: the records of the same runs, to check that they belong together.
        models: the models to compare, or setups by name; all by default.
        cases: the cases to count, with their weights; None for all, as in the runs.
        correction: for the number of pairs: "holm", "bh", "by", "max_t", or None.
        margin: the largest difference that does not matter, from 0 to 1; pairs with a significantly
            smaller difference are called equivalent, and the models that are not worse than the
            best by more than it are determined, with their costs.
        level: of the intervals; a model is ahead when the adjusted p is below 1 - level.
        draws: number of draws for sign flips and the bootstrap.
        seed: seed of both.
        metric: ``mean``, ``strict`` for the share of answers that are exactly right, or the name
            of a metric of checks, over the cases with such a check; None for the suite's metric.

    Raises:
        NotComparable: the runs do not share suite and profile, versions of a suite have no case in
            common, or max-T without common cases.
        NotEnoughData: fewer than two models with a score.
        SpecError: an unknown model, case, weight, margin or level.
    """
    read = read_scores(columns, runs, cases=cases, metric=metric)
    table = case_table(read.columns, setups_named(read.runs, read.columns.models, models))
    scored = scored_models(table)
    how = ComparisonSettings(correction, margin, level, draws, seed)
    left_out = left_out_of(scored.models, read.ends)
    compared = without(scored, left_out)
    made = comparison_of(
        without(table, left_out), compared, compare_pairs(compared, how), read, how
    )
    made = replace(made, within_margin=_within_margin(scored, read, margin, level))
    if not left_out:
        return made
    names = [one.model for one in made.models if one.letters]
    sides = [scored.select_models(one) for one in pairs_with((*names, *left_out), left_out)]
    return with_left_out(made, left_out, scored, compare_sides(sides, how))


def cheapest_within(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    margin: float,
    level: float = 0.95,
    metric: str | None = None,
) -> WithinMargin | None:
    """Return ``compare(…, margin=…).within_margin`` without comparing the pairs.

    Raises:
        NotComparable: the runs do not share suite and profile.
        NotEnoughData: fewer than two models with a score.
    """
    read = read_scores(columns, runs, metric=metric)
    return _within_margin(scored_models(case_table(read.columns)), read, margin, level)


def _within_margin(
    scored: CaseTable, read: "ComparableScores", margin: float | None, level: float
) -> WithinMargin | None:
    if margin is None:
        return None
    compared = without(scored, left_out_of(scored.models, read.ends))
    costs = cost_table(read.columns, compared.models)
    return within_margin(compared, costs, margin=margin, level=level, noun=read.noun)


@dataclass(frozen=True, slots=True)
class ComparableScores:
    """The scores of comparable runs under the metric, with their records and warnings.

    ``ends`` are the setups that were dropped or stopped before their last case, with the reason.
    ``n_selected`` is the number of cases that the runs selected; 0 if only some of them count.
    """

    columns: ScoreColumns
    runs: tuple[Run, ...]
    figure: FigureName
    warnings: tuple[str, ...]
    ends: Mapping[str, str] = field(default_factory=dict)
    n_selected: int = 0

    @property
    def noun(self) -> str:
        """The word for a setup, as in the records of the runs."""
        return setup_noun(self.runs)


def read_scores(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    runs: Sequence[Run] = (),
    *,
    cases: CaseWeights | None = None,
    metric: str | None = None,
) -> ComparableScores:
    """Return scores that belong together; arguments and errors as in :func:`compare`."""
    shared = None if runs else shared_cases(columns)
    if shared is not None:
        columns = shared.columns
    known = shared.runs if shared is not None else tuple(runs) or records_of(columns)
    check_comparable(known)
    counted = metric_or_named(known, metric)
    whole = columns_of(columns)
    given = cases_with_metric(columns_of(whole, cases), counted)
    return ComparableScores(
        by_metric(given, counted),
        known,
        figure_name(given, counted),
        (*(shared.warnings if shared is not None else ()), *judge_warnings(known)),
        early_ends(whole, known),
        0 if cases is not None or counted not in _OF_ALL else selected_cases(whole, known),
    )


def scored_models(table: CaseTable) -> CaseTable:
    """The models with a score.

    Raises:
        NotEnoughData: there are fewer than two.
    """
    present = [name for name in table.models if len(table.cases_of(name))]
    if len(present) < 2:  # noqa: PLR2004  a pair
        raise NotEnoughData(
            f"A comparison needs 2 scored models, found {len(present)} of {len(table.models)}.",
            needed=2,
            got=len(present),
            hint="Run another model on the same suite.",
        )
    return table.select_models(present)


def comparison_of(
    table: CaseTable,
    scored: CaseTable,
    made: PairwiseResults,
    read: ComparableScores,
    how: ComparisonSettings,
) -> Comparison:
    """Return the comparison of the models of a table, of which those ``scored`` are in pairs."""
    common = scored.common_cases()
    n_cases = max(len(table), read.n_selected)
    return Comparison(
        models=_models(table, common, made, level=how.level, n_cases=n_cases),
        pairs=tuple(replace(one, figure=read.figure) for one in made.pairs),
        run_ids=read.columns.run_ids,
        n_common=len(common),
        n_cases=n_cases,
        clusters=common.clusters,
        is_paired=len(common) > 0,
        is_weighted=table.is_weighted,
        correction=how.correction,
        margin=how.margin,
        level=how.level,
        seed=how.seed,
        method=_method(made.pairs, how.correction),
        warnings=(
            *read.warnings,
            *_coverage(table, scored, common, noun=read.noun, n_cases=n_cases),
            *(made.warnings or _too_few_differ(made.pairs)),
        ),
        figure=read.figure,
        noun=read.noun,
    )


def with_left_out(
    made: Comparison,
    left_out: Mapping[str, str],
    scored: CaseTable,
    pairs: Sequence[ComparedPair],
) -> Comparison:
    """Return the comparison with the models that are left out of it, their own pairs included.

    Args:
        made: the comparison of the others.
        left_out: the models, with the reason.
        scored: their scores, beside those of others.
        pairs: those of which one is left out.
    """
    level, n_cases = made.level, made.n_cases
    models = (_model(scored, scored, name, "", level=level, n_cases=n_cases) for name in left_out)
    return replace(
        made,
        models=(*made.models, *models),
        pairs=(*made.pairs, *(replace(one, figure=made.figure) for one in pairs)),
        left_out=left_out,
    )


def _too_few_differ(pairs: Sequence[ComparedPair]) -> tuple[str, ...]:
    """The warning of the first pair, with its models if there are several pairs."""
    first = pairs[0]
    if not first.too_few_differ:
        return ()
    of = f"{first.model_a} and {first.model_b}: " if len(pairs) > 1 else ""
    return (f"{of}{first.too_few_differ}",)


def _models(
    table: CaseTable, common: CaseTable, made: PairwiseResults, *, level: float, n_cases: int
) -> tuple[ComparedModel, ...]:
    """The compared models, best first, then those of which nothing is scored."""
    unscored = [name for name in table.models if name not in made.letters]
    return tuple(
        _model(table, common, name, made.letters.get(name, ""), level=level, n_cases=n_cases)
        for name in (*made.letters, *unscored)
    )


def _model(
    table: CaseTable, common: CaseTable, name: str, letters: str, *, level: float, n_cases: int
) -> ComparedModel:
    own = table.cases_of(name)
    shown = common.select_models([name]) if letters and len(common) else own
    mean = mean_of(shown, level) if len(shown) else None
    return ComparedModel(
        model=name,
        mean=mean.mean if mean else None,
        low=mean.low if mean else None,
        high=mean.high if mean else None,
        mean_of_own=mean_of(own, level).mean if len(own) else None,
        n_scored=len(own),
        n_cases=n_cases,
        coverage=len(own) / n_cases if n_cases else 0.0,
        letters=letters,
    )


def _method(pairs: Sequence[ComparedPair], correction: Correction | None) -> str:
    """The tests that were used, and the correction over the pairs that were tested."""
    tested = [one for one in pairs if one.p_adjusted is not None]
    tests = ", ".join(dict.fromkeys(TESTS[one.test] for one in tested or pairs))
    return f"{tests}; {NAMES[correction]} over {len(tested)} pairs" if len(tested) > 1 else tests


def _coverage(
    table: CaseTable, scored: CaseTable, common: CaseTable, *, noun: str, n_cases: int
) -> tuple[str, ...]:
    """Return warnings about models without scores, few common cases, and models to blame."""
    said = [f"{name}: no scores" for name in table.models if name not in scored.models]
    if 0 < len(common) < LEAST_COMMON:
        cases = f"{len(common)} common {'case' if len(common) == 1 else 'cases'}"
        said.append(f"provisional: {cases}, at least {LEAST_COMMON} are needed")
    for name in scored.models if len(scored.models) > 2 else ():  # noqa: PLR2004  a pair remains
        others = len(
            scored.select_models([one for one in scored.models if one != name]).common_cases()
        )
        if others - len(common) > _MUCH * others:
            said.append(
                f"{name} has scores in {len(scored.cases_of(name))} of {n_cases} cases: "
                f"{len(common)} cases are common to all {noun}s, {others} without {name}"
            )
    return tuple(said)

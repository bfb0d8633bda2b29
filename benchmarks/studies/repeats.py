"""Repeats: flaky cases found by two runs, at what cost, and the coverage of their intervals."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from studies.study import Study, Table, covers, share

from benchmaker.analysis.summary.repeats import Repeats, repeats_of, uncertain_cases
from benchmaker.record.score_columns import ScoreColumns

RATES = np.linspace(0.05, 0.95, 20)
RUNS = 5
CASES = 100
FLAKY = 0.2
"""Share of cases that are right with the rate of the row; the others always have one score."""

FULL_RUNS = 2
"""Number of runs of every case."""

RIGHT = 0.7
"""Share of right cases among the others."""


class Drawn(NamedTuple):
    """One series with its rates, by case."""

    repeats: Repeats
    rates: np.ndarray
    trials: int


def draw(random: np.random.Generator, rate: float, *, uncertain: bool = True) -> Drawn:
    """Draw a suite, and run it as ``--repeat-where uncertain`` does, or all cases in all runs."""
    is_flaky = random.random(CASES) < FLAKY
    rates = np.where(is_flaky, rate, random.random(CASES) < RIGHT)
    scores = (random.random((RUNS, CASES)) < rates).astype(np.float64)
    names = {at: f"c{at}" for at in range(CASES)}
    kept = np.ones((RUNS, CASES), dtype=np.bool_)
    if uncertain:
        differ = set(uncertain_cases(columns_of(scores[:FULL_RUNS], kept[:FULL_RUNS], names))["m"])
        kept[FULL_RUNS:] = [name in differ for name in names.values()]
    columns = columns_of(scores, kept, names)
    if uncertain:
        repeated = frozenset(f"r{number}" for number in range(FULL_RUNS + 1, RUNS + 1))
        weight = np.where(columns.run >= FULL_RUNS, 0.0, 1.0)
        columns = replace(columns, repeat_runs=repeated, weight=weight)
    made = repeats_of(columns, np.ones(len(columns), dtype=np.bool_), level=0.95)
    if made is None:
        raise ValueError("every case has a score")
    return Drawn(made, rates, int(kept.sum()))


def columns_of(scores: np.ndarray, kept: np.ndarray, names: dict[int, str]) -> ScoreColumns:
    """One model's trials: a run for each row, those that are kept."""
    run, position = np.nonzero(kept)
    n = len(run)
    unknown, zeros = np.full(n, np.nan), np.zeros(n, dtype=np.int32)
    return ScoreColumns(
        run_ids=tuple(f"r{number}" for number in range(1, len(scores) + 1)),
        models=("m",),
        case_ids=names,
        run=run.astype(np.int32),
        model=zeros,
        position=position.astype(np.int32),
        outcome=zeros.astype(np.int8),
        score=scores[run, position],
        weight=np.ones(n),
        cost_usd=unknown,
        known_cost_usd=unknown,
        latency_s=unknown,
        input_tokens=unknown,
        output_tokens=unknown,
        reasoning_tokens=unknown,
        group=np.full(n, -1, dtype=np.int32),
        flag_set=zeros,
        flag_sets=(frozenset(),),
    )


class Counts(NamedTuple):
    """Sums over draws: planted and found cases, trials, and intervals that hold the truth."""

    draws: int
    planted: int
    found: int
    trials: int
    shares: int
    at_1: int
    at_2: int
    hat_2: int


def count(random: np.random.Generator, rate: float, draws: int, *, uncertain: bool) -> Counts:
    """Draw that often and count."""
    sums = np.zeros(len(Counts._fields), dtype=np.int64)
    for _ in range(draws):
        sums += counts_of(draw(random, rate, uncertain=uncertain), rate)
    return Counts(*sums.tolist())


def counts_of(one: Drawn, rate: float) -> Counts:
    """Those of one series."""
    made = one.repeats
    stable = (1 - FLAKY) * RIGHT
    at_1, square = stable + FLAKY * rate, stable + FLAKY * rate**2
    return Counts(
        draws=1,
        planted=int(((one.rates > 0) & (one.rates < 1)).sum()),
        found=made.n_flaky,
        trials=one.trials,
        shares=sum(covers(it.ci95, rate) for it in made.flaky),
        at_1=covers(made.pass_at_k["1"].ci95, at_1),
        at_2=covers(made.pass_at_k["2"].ci95, 2 * at_1 - square),
        hat_2=covers(made.pass_hat_k["2"].ci95, square),
    )


def table(random: np.random.Generator, draws: int) -> Table:
    """A row for each rate, then all of them together, with and without the selection."""
    each = [count(random, rate, draws, uncertain=True) for rate in RATES]
    whole = [count(random, rate, draws, uncertain=False) for rate in RATES]
    rows = [
        (f"{rate:.3f}", *cells(one, 2 * rate * (1 - rate)))
        for rate, one in zip(RATES, each, strict=True)
    ]
    expected = float(np.mean(2 * RATES * (1 - RATES)))
    rows.append(("all rates", *cells(total(each), expected)))
    missed = RATES**RUNS + (1 - RATES) ** RUNS
    rows.append(("all rates, every case 5 times", *cells(total(whole), float(1 - missed.mean()))))
    head = ("found", "expected", "requests", "shares", "pass@1", "pass@2", "pass^2")
    return Table(("rate", *head), tuple(rows))


def total(each: list[Counts]) -> Counts:
    """The sums of all rates."""
    return Counts(*np.sum(each, axis=0).tolist())


def cells(one: Counts, expected: float) -> list[str]:
    """Found cases of the planted ones, cost of repeating all, and coverage, in percent."""
    return [
        share(one.found, one.planted),
        share(expected, 1),
        share(one.trials, one.draws * RUNS * CASES),
        share(one.shares, one.found),
        share(one.at_1, one.draws),
        share(one.at_2, one.draws),
        share(one.hat_2, one.draws),
    ]


STUDIES = (
    Study(
        name="repeats",
        title="Repeats of uncertain cases",
        words=(
            "Suites of 100 cases, of which about 20 are right with the rate of the row in each "
            "run; of the others 70% are always right. `--runs 5 --repeat-where uncertain`: found "
            "is the share of the planted cases whose first two scores differ, expected 2p(1-p); "
            "requests are in percent of those of five runs of every case. Then the share of 95% "
            "intervals that contain the truth: those of the share of right runs, of the cases "
            "that are found, and those of pass@1, pass@2 and pass^2 over cases. A case is found "
            "because one of its first two runs is right and one is wrong, so that intervals of "
            "rates near 0 and 1 hold the rate less often, and those near 1/2 more often. The last "
            "row repeats every case; a case is then found if any of five scores differs."
        ),
        draws=200,
        run=table,
    ),
)

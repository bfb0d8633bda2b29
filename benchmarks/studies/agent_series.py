"""Series of agent trials: how often the interval of a system's success holds the planted rate."""

from collections.abc import Callable

import numpy as np
from studies.study import Study, Table, covers, share

from benchmaker.arenas.agentic.series.series_results import mean_success
from benchmaker.record.agent_trial import AgentTrial, TrialKey, TrialOutcome

RATES = (0.2, 0.5, 0.9)
TASKS, ATTEMPTS = 6, 5
SPREADS = (8.0, 2.0)
"""Sums of both parameters of the beta distribution of rates over tasks."""

Rates = Callable[[np.random.Generator, float], np.ndarray]


def even(_random: np.random.Generator, rate: float) -> np.ndarray:
    """The same rate at each task."""
    return np.full(TASKS, rate)


def spread(total: float) -> Rates:
    """Rates that differ between tasks, with this mean and this sum of the parameters."""
    return lambda random, rate: random.beta(total * rate, total * (1 - rate), TASKS)


LAWS = (even, *map(spread, SPREADS))


def trial(task: int, attempt: int, is_solved: bool) -> AgentTrial:  # noqa: FBT001  a verdict
    """One scored trial."""
    return AgentTrial(
        key=TrialKey("s", f"t{task}", "a", attempt),
        task_hash="h",
        agent="a",
        model="",
        outcome=TrialOutcome.SOLVED if is_solved else TrialOutcome.FAILED,
        reward=float(is_solved),
    )


def hits(random: np.random.Generator, rate: float, rates: Rates, draws: int) -> int:
    """In how many series the interval holds the rate."""
    found = 0
    for _ in range(draws):
        solved = random.random((ATTEMPTS, TASKS)) < rates(random, rate)
        trials = [
            trial(task, attempt + 1, bool(solved[attempt, task]))
            for attempt in range(ATTEMPTS)
            for task in range(TASKS)
        ]
        mean = mean_success(trials)
        found += covers(mean.interval if mean else None, rate)
    return found


def table(random: np.random.Generator, draws: int) -> Table:
    """A row for each rate, then all of them together."""
    found = {rate: [hits(random, rate, rates, draws) for rates in LAWS] for rate in RATES}
    rows = [(f"{rate:g}", *(share(one, draws) for one in each)) for rate, each in found.items()]
    sums = np.sum(list(found.values()), axis=0).tolist()
    rows.append(("all", *(share(one, draws * len(RATES)) for one in sums)))
    heads = ("rate", "same at each task", *(f"a + b = {total:g}" for total in SPREADS))
    return Table(heads, tuple(rows))


STUDIES = (
    Study(
        name="agent_series",
        title="Success of agents over tasks and attempts",
        words=(
            "A system solves 6 tasks in 5 attempts each, with the rate of the row at each task, or "
            "with rates that differ by task: a beta distribution with the mean of the row. With "
            "a + b = 8 the standard deviation of a rate of .5 is .17, with 2 it is .29. The share "
            "of series whose 95% interval contains the rate. With a + b = 2, six tasks give a poor "
            "estimate of how much tasks differ, and the interval is too narrow for the rate .2."
        ),
        draws=4000,
        run=table,
    ),
)

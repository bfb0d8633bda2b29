"""Series of agent trials: how often the interval of a system's success holds the planted rate."""

from collections.abc import Callable

import numpy as np
from studies.study import Study, Table, covers, share

from benchmaker.arenas.agentic.series.series_results import mean_success
from benchmaker.record.agent_trial import AgentTrial, TrialKey, TrialOutcome

RATES = (0.2, 0.5, 0.9)
TASKS, ATTEMPTS = 6, 5
SPREAD = 8.0
"""The sum of both parameters of the beta distribution of rates over tasks."""

Rates = Callable[[np.random.Generator, float], np.ndarray]


def even(_random: np.random.Generator, rate: float) -> np.ndarray:
    """The same rate at each task."""
    return np.full(TASKS, rate)


def spread(random: np.random.Generator, rate: float) -> np.ndarray:
    """Rates that differ between tasks, with this mean."""
    return random.beta(SPREAD * rate, SPREAD * (1 - rate), TASKS)


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
    found = {rate: [hits(random, rate, rates, draws) for rates in (even, spread)] for rate in RATES}
    rows = [(f"{rate:g}", *(share(one, draws) for one in each)) for rate, each in found.items()]
    sums = np.sum(list(found.values()), axis=0).tolist()
    rows.append(("all", *(share(one, draws * len(RATES)) for one in sums)))
    return Table(("rate", "same at each task", "differing by task"), tuple(rows))


STUDIES = (
    Study(
        name="agent_series",
        title="Success of agents over tasks and attempts",
        words=(
            "A system solves 6 tasks in 5 attempts each, with the rate of the row at each task, or "
            "with rates that differ by task and have this mean (a beta distribution with a + b = "
            "8). The share of series whose 95% interval, clustered by task, contains the rate. "
            "With as few as six tasks the interval is a little too wide. Wilson's interval on the "
            "effective number of trials is narrower, but covers as little as 89% where the rates "
            "differ more (a + b = 2)."
        ),
        draws=1000,
        run=table,
    ),
)

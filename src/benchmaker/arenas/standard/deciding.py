"""Further runs that decide an undecided gate, within a budget."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmaker.analysis.gates import further
from benchmaker.analysis.gates.gate_results import BaselineGate
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.arenas.standard.live import KIND as LIVE
from benchmaker.arenas.standard.resuming import resume
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.run_baselines import baseline_of_runs
from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.record.baselines.run_baseline import RunBaseline
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.store.home import Home

MOST_LOOKS = 5
"""Times that the gate decides again after further runs."""

_LEVEL = 0.95

MOST_RUNS = 50
"""Further runs at once."""


@dataclass(frozen=True, slots=True)
class GateBudget:
    """The settings of further runs: dollars to spend, keys, and where messages go."""

    max_cost_usd: float
    environ: Mapping[str, str]
    tell: Callable[[str], object]
    clean: Callable[[str], str]


Decide = Callable[[RunBaseline, float], BaselineGate]
"""Decides on the run at a confidence level."""


def decide_by_runs(
    name: str,
    decide: Decide,
    budget: GateBudget,
    *,
    home: str | Path | None = None,
    store: str | None = None,
) -> BaselineGate:
    """Run the suite again until the gate is decided, the budget ends, or runs can't decide.

    Each time as many runs are added as would decide with a power of 80%, and the gate decides again
    at half the error rate of the time before. All decisions together have at most twice the error
    rate of one: 5% on either side. Where the budget does not cover all needed runs, none is added.
    Only the decisions of one call are counted.

    Args:
        name: a stored run or series.
        decide: decides on it.
        budget: the money, the keys, and the output of messages.
        home: the data folder.
        store: the URL of the store, instead of the file in ``home``.

    Raises:
        SpecError: the answers of the run are not from live models.
        PrerequisiteError: a key is missing, or a price needed for the budget.
    """
    place = Home.of(home, store)
    state = _read(place, name, budget)
    _refuse_without_models(state.run)
    most_usd = state.spent_usd + budget.max_cost_usd
    made = decide(state.side, _LEVEL)
    for look in range(1, MOST_LOOKS + 1):
        if made.verdict is not GateVerdict.UNDECIDED:
            break
        level = level_of_look(look)
        number, said = _further_runs(
            decide(state.side, level),
            state,
            left_usd=most_usd - state.spent_usd,
            most=MOST_RUNS * (MOST_LOOKS + 1 - look),
        )
        budget.tell(said)
        if not number:
            break
        options = RunOptions(runs=state.n_runs + number, max_cost_usd=most_usd, store=store)
        result = resume(state.name, home=home, environ=budget.environ, options=options)
        state = _read(place, state.name, budget)
        made = decide(state.side, level)
        budget.tell(f"Decision {look + 1}, by {100 * level:g}% intervals: {made.verdict}.")
        if result.halted or result.interrupted:
            budget.tell(f"The runs ended early: {result.halted or 'interrupted'}.")
            break
    return made


def level_of_look(look: int) -> float:
    """Return the confidence level of a decision after further runs, which count from 1.

    >>> level_of_look(1)
    0.975
    """
    return 1 - (1 - _LEVEL) / float(2**look)


@dataclass(frozen=True, slots=True)
class _GatedSeries:
    """The runs so far: the name that is resumed, their first record, scores and cost."""

    name: str
    run: Run
    side: RunBaseline
    spent_usd: float

    @property
    def n_runs(self) -> int:
        return len(self.side.run_ids)

    @property
    def run_usd(self) -> float:
        """The mean cost of a run."""
        return self.spent_usd / self.n_runs


def _read(place: Home, name: str, budget: GateBudget) -> _GatedSeries:
    """All runs of the series, of which one may be named."""
    with place.open_store() as store:
        first = store.run(store.resolve(name).run_ids[0])
        whole = first.series_id or first.id
        ids = store.resolve(whole).run_ids
        side = baseline_of_runs(store, ids, clean=budget.clean)
        return _GatedSeries(whole, first, side, store.spent_usd(ids))


def _refuse_without_models(run: Run) -> None:
    if run.provider.get("kind") != LIVE:
        raise SpecError(
            "--decide needs live models, but the answers of this run were not requested from any.",
            hint="Remove --decide.",
        )


def _further_runs(
    planned: BaselineGate, state: _GatedSeries, *, left_usd: float, most: int
) -> tuple[int, str]:
    """The further runs to add now, announced; 0 with the reason.

    ``planned`` is the gate at the level of the next decision. None is added unless all that it
    needs are within the budget, and at most ``most``.
    """
    if planned.more_runs is None and planned.more_runs_reason != further.ONE_RUN:
        return 0, f"No further runs: {planned.more_runs_reason}."
    needed, cost = planned.more_runs or 1, state.run_usd
    about = f"about {count(needed, 'run')} {'is' if needed == 1 else 'are'} needed to decide"
    if needed > most:
        return 0, f"No further runs: {about}, and at most {most:,} are added."
    if needed * cost > left_usd * (1 + 1e-9):
        return 0, (
            f"No further runs: {about}, for about {dollars(needed * cost)}; "
            f"{dollars(left_usd)} are left."
        )
    number = min(needed, MOST_RUNS)
    known = f"about {dollars(number * cost)}, " if cost > 0 else ""
    return number, (
        f"Undecided: running {state.run.suite_name} {count(number, 'more time')} with "
        f"{', '.join(state.run.models)}; {known}at most {dollars(left_usd)}."
    )

"""The state of a run in a list, by the outcomes of its trials."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from benchmaker.record import INFRASTRUCTURE, Outcome, Run, RunState
from benchmaker.record.counts import count
from benchmaker.report.sentences.outcomes import NOT_RUN
from benchmaker.store import Store
from benchmaker.store.runs.run_filters import FAILED, STOPPED


@dataclass(frozen=True, slots=True)
class ShownState:
    """One word for a run, with its numbers of ended, failed and unsent trials.

    The word is the run's state, except for a finished one: ``stopped`` if a failure stopped a model
    before its last trial, ``failed`` if the requests of all trials failed. Trials of dropped models
    are unsent, and need no action.
    """

    word: str
    done: int
    failed: int
    unsent: int

    @property
    def action(self) -> str:
        """The action that a finished run needs; empty if it needs none."""
        if self.word == STOPPED:
            some = f"{count(self.failed, 'trial')} failed, " if self.failed else ""
            return f"{some}{self.unsent:,} {NOT_RUN}: open the run for the reason"
        if self.word == FAILED:
            return "every trial failed: open the run for the reason"
        if self.failed and self.word == RunState.FINISHED:
            return f"{count(self.failed, 'trial')} failed: open the run to retry"
        return ""


def sum_of(states: Sequence[ShownState]) -> ShownState:
    """Return the first state with the numbers of all that have its word."""
    word = states[0].word
    alike = [one for one in states if one.word == word]
    return ShownState(
        word,
        sum(one.done for one in alike),
        sum(one.failed for one in alike),
        sum(one.unsent for one in alike),
    )


def shown_states(store: Store, runs: Sequence[Run]) -> dict[str, ShownState]:
    """Return the state of each of these runs, by its id."""
    ids = [run.id for run in runs]
    done, outcomes = store.run_pages.count_ended(ids), store.outcomes(ids)
    return {
        run.id: _state(run, outcomes[run.id], done[run.id], _open_of_dropped(store, run))
        for run in runs
    }


def _open_of_dropped(store: Store, run: Run) -> int:
    """The number of trials that dropped models have left."""
    planned = sum(map(run.planned_of, run.dropped))
    return planned - store.count_done(run.id, of=run.dropped) if run.dropped else 0


def listed_run(run: Run, shown: ShownState) -> dict[str, Any]:
    """Return a run as lists in JSON have it, with the state that the other lists show."""
    return {
        "run_id": run.id,
        "series_id": run.series_id,
        "number": run.number,
        "suite": run.suite_name,
        "suite_hash": run.suite_hash,
        "profile": run.profile,
        "models": list(run.models),
        "planned": run.planned,
        "done": shown.done,
        "failed": shown.failed,
        "unsent": shown.unsent,
        "state": shown.word,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "imported_from": run.imported_from,
        "budget_end": msgspec.to_builtins(run.budget_end),
    }


def _state(
    run: Run, outcomes: Mapping[Outcome, int], done: int, open_of_dropped: int
) -> ShownState:
    failed = sum(number for outcome, number in outcomes.items() if outcome in INFRASTRUCTURE)
    is_ours = run.imported_from is None and not run.not_run
    unsent = max(0, run.planned - done) if is_ours else 0
    word = str(run.state)
    if run.state is RunState.FINISHED and is_ours:
        is_stopped = unsent > open_of_dropped
        word = STOPPED if is_stopped else FAILED if failed and failed >= done else word
    return ShownState(word, done, failed, unsent)

"""``benchmaker runs``: the list of runs, newest first."""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.output.output import say, say_json, tell

if TYPE_CHECKING:
    from benchmaker.record import Run
    from benchmaker.report.runs.state import ShownState
    from benchmaker.store import Store

_HEADS = ("run", "series", "started", "state", "models", "profile", "trials", "leader", "suite")
_FIRST = ("leader", "series", "profile", "models", "started")
"""What gives way first in a narrow window."""

_LEADER_WIDTH = 24
"""Characters that a leader needs at least; with less room, none is computed."""

_MOST_TRIALS = 20_000
"""Number of trials of the listed runs up to which leaders are computed, since all are read."""


@declare("runs", examples=("benchmaker runs", "benchmaker runs --limit 5 --json"))
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(1),
    default=20,
    help="Maximum number of runs. Default: 20.",
)
@click.option("--all", "every", is_flag=True, help="List all runs.")
def command(context: Context, *, limit: int, every: bool) -> None:
    """List stored runs, newest first.

    Times are local; in JSON, they are UTC. A wide window has the leading model of each run,
    with its score, if the listed runs have 20,000 trials at most.
    """
    from benchmaker.cli.database import existing_store, nothing_yet
    from benchmaker.report.runs.state import listed_run, shown_states

    store = existing_store(context)
    if store is None:
        if not context.use_json:
            raise nothing_yet(context)
        say_json({"runs": []})
        return
    with store:
        listed = store.runs(limit=None if every else limit)
        states = shown_states(store, listed)
        found = [_StoredRun(run, states[run.id]) for run in listed]
        if not context.use_json and _are_few(found) and _has_room(found, _LEADER_WIDTH):
            led = [one._replace(leader=_leader(store, one.run)) for one in found]
            widest = max((len(one.leader) for one in led), default=0)
            found = led if _has_room(found, widest) else found
    if context.use_json:
        say_json({"runs": [listed_run(one.run, one.state) for one in found]})
    else:
        _say(context, found, is_cut=not every and len(found) == limit)


class _StoredRun(NamedTuple):
    """A run, its state with the number of its trials that are done, and its leader if wanted."""

    run: "Run"
    state: "ShownState"
    leader: str = ""


def _are_few(found: "list[_StoredRun]") -> bool:
    return sum(one.run.planned for one in found) <= _MOST_TRIALS


def _has_room(found: "list[_StoredRun]", width: int) -> bool:
    """True if a column of that width fits beside the others."""
    from benchmaker.cli.output.table import window_width

    rows = [_HEADS, *map(_row, found)]
    others = [
        max(map(len, column))
        for head, *column in zip(*rows, strict=True)
        if head != "leader" and (head != "series" or _has_series(found))
    ]
    return sum(other + 2 for other in others) + width <= window_width()


def _leader(store: "Store", run: "Run") -> str:
    """The leading model with its figure: ``gpt-4o, accuracy 83.3%``."""
    from benchmaker.report.runs.leader import leader_of
    from benchmaker.report.tables.sanitize import truncate

    best = leader_of(store, [run.id], is_compared=False)
    if not best.model:
        return "no scores"
    tied = f", tied with {best.tied:,}" if best.tied else ""
    return f"{truncate(best.model, _LEADER_WIDTH)}, {best.noun} {best.figure}{tied}"


def _say(context: Context, found: "list[_StoredRun]", *, is_cut: bool) -> None:
    from benchmaker.cli.output.table import format_table
    from benchmaker.record.run import setup_noun

    if not found:
        say("No runs.")
        return
    lacking = {"" if _has_series(found) else "series", "" if found[0].leader else "leader"}
    columns = [at for at, head in enumerate(_HEADS) if head not in lacking]
    rows = [[_row(one)[at] for at in columns] for one in found]
    heads = [_HEADS[at] for at in columns]
    first = [heads.index(head) for head in _FIRST if head in heads]
    figures = [heads.index("models"), heads.index("trials")]
    heads[figures[0]] = f"{setup_noun([one.run for one in found])}s"
    for line in format_table(heads, rows, right=figures, gives_way=first):
        say(line)
    if is_cut:
        tell(f"Showing the newest {len(found):,}. Show all: {context.line('runs', '--all')}")


def _has_series(found: "list[_StoredRun]") -> bool:
    return any(one.run.series_id for one in found)


def _row(one: _StoredRun) -> list[str]:
    run, done = one.run, one.state.done
    imported = f", imported from {run.imported_from}" if run.imported_from else ""
    return [
        run.id,
        run.series_id or "none",
        _start_time(run, done),
        one.state.word if run.budget_end is None else f"{one.state.word} at its budget",
        f"{len(run.models):,}",
        run.profile,
        f"{done:,}" if done == run.planned else f"{done:,} of {run.planned:,}",
        one.leader,
        f"{run.suite_name}{imported}",
    ]


def _start_time(run: "Run", done: int) -> str:
    """When; a run of a series that was stopped before its turn has not begun."""
    is_waiting = not run.started_at and not done and run.state != "finished"
    return "not begun" if is_waiting else local_time(run.started_at)


def local_time(stamp: str) -> str:
    """A UTC time as the clock on the wall shows it: ``2026-11-20 14:02``."""
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stamp or "not reported"

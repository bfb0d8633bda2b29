"""The grid of a series of agent trials: tasks and attempts by systems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from benchmaker.arenas.agentic.series.series_results import known_tokens_of
from benchmaker.record.agent_trial import TrialMeter, TrialOutcome
from benchmaker.report.tables import numbers
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.live.series_state import (
    OPEN,
    AgentSeriesState,
    TrialPlace,
    outcome_kind,
)

OUTCOMES: Final = (*(it.value for it in TrialOutcome), OPEN)
"""The outcomes in filters of the grid."""

_CELLS, _FEWEST, _MOST = 240, 10, 50
"""Cells of a page, and the fewest and most rows."""

_WORDS: Final = {"run": "running", "none": "interrupted"}


class GridLook(NamedTuple):
    """The selected part of a grid: one outcome, one system, and the position of its first row."""

    outcome: str = ""
    system: str = ""
    start: int = 0


class GridCell(NamedTuple):
    """A trial in the grid; ``number`` is None before its start, ``is_match`` that of the filter.

    ``kind`` is the mark and the class: ok, bad, infra, run, none, or q for trials without a start.
    """

    id: str
    kind: str
    word: str
    number: int | None = None
    cost: str = ""
    tokens: str = ""
    tries: str = ""
    is_match: bool = True


class GridRow(NamedTuple):
    """An attempt of all systems at a task."""

    id: str
    task: str
    attempt: int
    cells: tuple[GridCell, ...]


@dataclass(frozen=True, slots=True)
class SeriesGrid:
    """A page of rows; ``systems`` are the columns, ``total`` counts the rows of all pages."""

    systems: tuple[str, ...]
    rows: tuple[GridRow, ...]
    start: int
    total: int
    size: int

    @property
    def shape(self) -> tuple[str, ...]:
        """The identity of its rows, columns and pages; without a change, cells can be replaced."""
        return (str(self.start), str(self.total), *self.systems, *(it.id for it in self.rows))

    @property
    def previous_start(self) -> int | None:
        """The first row of the previous page."""
        return max(0, self.start - self.size) if self.start else None

    @property
    def next_start(self) -> int | None:
        """The first row of the next page."""
        return self.start + self.size if self.start + self.size < self.total else None


def series_grid(state: AgentSeriesState, look: GridLook) -> SeriesGrid:
    """Return the selected part of the grid."""
    columns = [
        (at, it.id) for at, it in enumerate(state.plan.systems) if look.system in ("", it.id)
    ]
    size = max(_FEWEST, min(_MOST, _CELLS // max(1, len(columns))))
    places = list(_places(state, look, [name for _, name in columns]))
    start = look.start if look.start < len(places) else 0
    rows = tuple(
        GridRow(
            f"r{at}a{attempt}",
            task,
            attempt,
            tuple(
                _cell(state, f"t{at}a{attempt}s{column}", TrialPlace(task, name, attempt), look)
                for column, name in columns
            ),
        )
        for at, task, attempt in places[start : start + size]
    )
    return SeriesGrid(tuple(name for _, name in columns), rows, start, len(places), size)


def _places(
    state: AgentSeriesState, look: GridLook, systems: list[str]
) -> Iterator[tuple[int, str, int]]:
    """The rows with a trial of the selected outcome: place of the task, its id, the attempt."""
    for at, task in enumerate(state.plan.tasks):
        for attempt in range(1, state.plan.attempts + 1):
            places = (TrialPlace(task.id, name, attempt) for name in systems)
            if not look.outcome or any(_outcome(state, it) == look.outcome for it in places):
                yield at, task.id, attempt


def _outcome(state: AgentSeriesState, place: TrialPlace) -> str:
    it = state.trials.get(place)
    return OPEN if it is None else str(it.trial.outcome or OPEN)


def _cell(state: AgentSeriesState, name: str, place: TrialPlace, look: GridLook) -> GridCell:
    is_match = not look.outcome or _outcome(state, place) == look.outcome
    it = state.trials.get(place)
    if it is None:
        word = "queued" if state.is_held else "not run"
        return GridCell(name, "q", word, is_match=is_match)
    kind, word = trial_mark(state, it)
    meter = it.trial.meter_of_tries
    has_model = bool(it.trial.model)
    return GridCell(
        id=name,
        kind=kind,
        word=word,
        number=it.number,
        cost=cost_text(meter) if has_model else "",
        tokens=tokens_text(meter) if has_model else "",
        tries=f"{it.trial.tries} tries" if it.trial.tries > 1 else "",
        is_match=is_match,
    )


def trial_mark(state: AgentSeriesState, it: NumberedTrial) -> tuple[str, str]:
    """The mark of a trial, and its outcome or state in words."""
    outcome = it.trial.outcome
    kind = "run" if state.is_running(it.trial) else outcome_kind(outcome)
    return kind, _WORDS[kind] if outcome is None else outcome_words(outcome)


def outcome_words(outcome: str) -> str:
    """An outcome as people read it.

    >>> outcome_words("agent_crashed")
    'agent crashed'
    """
    return str(outcome).replace("_", " ")


def cost_text(meter: TrialMeter) -> str:
    """The known cost; with a plus if that of a request is unknown."""
    if meter.unknown_costs and not meter.cost_usd:
        return "cost unknown"
    return numbers.money(meter.cost_usd) + ("+" if meter.unknown_costs else "")


def tokens_text(meter: TrialMeter) -> str:
    """The known tokens; with a plus if those of a request are unknown."""
    tokens = known_tokens_of(meter)
    if tokens is None:
        return "tokens not reported"
    return f"{numbers.tokens(tokens)}{'+' if meter.unknown_usages else ''} tokens"

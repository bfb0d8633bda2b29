"""The trials of a series in lists and files: those of ``agents show --json`` with their numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmaker.arenas.agentic.series.series_results import AgentTrialRow
from benchmaker.web.listing import Column
from benchmaker.web.live.series_state import OPEN, AgentSeriesState, TrialPlace

_KINDS = (
    "input_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "output_tokens",
    "reasoning_tokens",
)
_AT_GATEWAY = ("refusals", "cut_replies", "unknown_usages", "unknown_costs", "differs_from_log")


@dataclass(frozen=True, slots=True)
class TrialLine:
    """A trial with its number."""

    number: int
    row: AgentTrialRow

    def to_dict(self) -> dict[str, Any]:
        """The number, and the trial as plain data."""
        return {"number": self.number, **self.row.to_dict()}


def trial_lines(
    state: AgentSeriesState, *, outcome: str = "", system: str = "", task: str = ""
) -> Iterator[TrialLine]:
    """The trials of a series with this outcome, system and task, in the order of the plan."""
    for row in state.result.trials:
        if outcome not in ("", row.outcome or OPEN):
            continue
        if system in ("", row.system) and task in ("", row.task):
            place = TrialPlace(row.task, row.system, row.attempt)
            yield TrialLine(state.trials[place].number, row)


def _of_row(name: str, *, is_number: bool = False) -> Column[TrialLine]:
    return Column(name, name, lambda it: getattr(it.row, name), is_number)


def _of_usage(name: str) -> Column[TrialLine]:
    return Column(name, name, lambda it: it.row.usage[name], is_number=True)


def _at_gateway(name: str) -> Column[TrialLine]:
    return Column(name, name, lambda it: it.row.gateway and getattr(it.row.gateway, name))


TRIAL_COLUMNS: tuple[Column[TrialLine], ...] = (
    Column("number", "number", lambda it: it.number, is_number=True),
    *map(_of_row, ("task", "system", "attempt", "tries", "outcome", "reward")),
    *map(_of_usage, _KINDS),
    *map(_of_row, ("cost_usd", "requests")),
    *map(_at_gateway, _AT_GATEWAY),
    *map(
        _of_row,
        ("isolation", "network", "submission_id", "detail", "flags", "started_at", "finished_at"),
    ),
)
"""The columns of files."""

"""Rows of the list of series of agent trials: a series with the figures of its systems."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan
from benchmaker.arenas.agentic.series.series_results import (
    AgentSeriesResult,
    SeriesWord,
    SystemFigures,
    series_result,
)
from benchmaker.record.agent_trial import AgentSeries
from benchmaker.store import Store
from benchmaker.web.listing import Column


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A series in a list."""

    series: AgentSeries
    plan: AgentSeriesPlan
    result: AgentSeriesResult
    word: SeriesWord

    @property
    def finished_count(self) -> int:
        """The number of trials with an outcome that counts."""
        return sum(
            it.outcome is not None and not it.outcome.is_infrastructure for it in self.result.trials
        )

    @property
    def cost_usd(self) -> float | None:
        """The cost of all trials; None without a model, or if that of one is unknown."""
        costs = [it.cost_usd for it in self.result.systems if it.model]
        known = [it for it in costs if it is not None]
        return sum(known) if costs and len(known) == len(costs) else None


def series_row(store: Store, series: AgentSeries) -> SeriesRow:
    """The row of a series."""
    plan = AgentSeriesPlan.of(series)
    result = series_result(store, series)
    return SeriesRow(series, plan, result, result.state)


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system of a series in files."""

    of: SeriesRow
    system: SystemFigures


def system_rows(rows: Iterator[SeriesRow]) -> Iterator[SystemRow]:
    """A row for each system of each series."""
    for row in rows:
        for system in row.result.systems:
            yield SystemRow(row, system)


COLUMNS: tuple[Column[SystemRow], ...] = (
    Column("series", "Series", lambda row: row.of.series.id),
    Column("created_at", "Created", lambda row: row.of.series.created_at),
    Column("finished_at", "Finished", lambda row: row.of.series.finished_at),
    Column("state", "State", lambda row: row.of.word),
    Column("tasks", "Tasks", lambda row: len(row.of.plan.tasks), True),
    Column("attempts", "Attempts", lambda row: row.of.plan.attempts, True),
    Column("system", "System", lambda row: row.system.system),
    Column("planned", "Planned", lambda row: row.system.planned, True),
    Column("trials", "Trials", lambda row: row.system.trials, True),
    Column("solved", "Solved", lambda row: row.system.solved, True),
    Column("success", "Success", lambda row: row.system.success, True),
    Column("low", "Low", lambda row: row.system.low, True),
    Column("high", "High", lambda row: row.system.high, True),
    Column("cost_usd", "Cost", lambda row: row.system.cost_usd, True),
)

"""The parts of the page of a series of agent trials, which a stream replaces one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from benchmaker.arenas.agentic.series.series_results import SystemFigures
from benchmaker.report.result_tables.agent_systems import AGENT_SYSTEMS
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import PageCell, PageHead, Surface
from benchmaker.web.agentic.series_grid import GridLook, SeriesGrid, outcome_words, series_grid
from benchmaker.web.live.series_state import OPEN, AgentSeriesState, outcome_kind
from benchmaker.web.query import View
from benchmaker.web.rendering import fragment

_INTERVAL: Final = "success_ci95"
_NAMES: Final = ("notice", "tiles", "progress", "systems")
MARKS: Final = {
    "ok": "solved",
    "bad": "not solved",
    "infra": "failed (infrastructure)",
    "run": "running",
    "q": "not started",
}
"""The groups of trials in the bar of progress, with their words."""


class FigureRow(NamedTuple):
    """The figures of a system, with a drawing of its share and the text of the interval."""

    name: str
    cells: list[PageCell]
    drawing: Markup
    interval: str


@dataclass(frozen=True, slots=True)
class SeriesPieces:
    """The parts of a page and the cells of its grid by their names in the page."""

    grid: SeriesGrid
    parts: dict[str, str]
    cells: dict[str, str]
    draw_grid: Callable[[], str]

    def changes_since(self, before: "SeriesPieces | None") -> str:
        """Return what differs from the last state of the page; all of the grid for other rows."""
        if before is None:
            return "".join((*self.parts.values(), self.draw_grid()))
        fresh = [it for name, it in self.parts.items() if before.parts[name] != it]
        if self.grid.shape != before.grid.shape:
            return "".join((*fresh, self.draw_grid()))
        cells = [it for name, it in self.cells.items() if before.cells[name] != it]
        return "".join((*fresh, *cells))


def series_pieces(
    state: AgentSeriesState, look: GridLook, view: View, hide: Callable[[str], str]
) -> SeriesPieces:
    """Return the parts of a page as a stream sends them."""
    grid = series_grid(state, look)
    content = page_content(state, grid, view, hide) | {"oob": True}
    return SeriesPieces(
        grid,
        {name: fragment(f"agent_series/{name}", **content) for name in _NAMES},
        {
            it.id: fragment("agent_series/cell", it=it, oob=True)
            for row in grid.rows
            for it in row.cells
        },
        lambda: fragment("agent_series/grid", **content),
    )


def page_content(
    state: AgentSeriesState, grid: SeriesGrid, view: View, hide: Callable[[str], str]
) -> dict[str, Any]:
    """Return the values of the templates of the page."""
    counts = trial_counts(state)
    return {
        "state": state,
        "grid": grid,
        "view": view,
        "hide": hide,
        "counts": counts,
        "marks": MARKS,
        "bars": _bars(counts, state.plan.trial_count),
        "heads": _heads(state),
        "figures": [_figure_row(it, state, hide) for it in state.result.systems],
        "budget": _budget_text(state),
        "oob": False,
    }


def trial_counts(state: AgentSeriesState) -> dict[str, int]:
    """The number of trials by mark; all together are those of the plan."""
    counts = dict.fromkeys(MARKS, 0)
    for it in state.trials.values():
        if state.is_running(it.trial):
            counts["run"] += 1
        elif it.trial.outcome is not None:
            counts[outcome_kind(it.trial.outcome)] += 1
    counts["q"] = state.plan.trial_count - sum(counts.values())
    return counts


def outcome_choices(state: AgentSeriesState) -> list[tuple[str, str]]:
    """The outcomes of a series with their words and numbers."""
    counts = state.outcomes()
    words = {OPEN: "not finished"}
    return [
        (outcome, f"{words.get(outcome, outcome_words(outcome))} ({number:,})")
        for outcome, number in sorted(counts.items())
        if number
    ]


def _bars(counts: dict[str, int], planned: int) -> list[tuple[str, float, float]]:
    """The bar of progress: for each mark where it begins and how wide it is, in percent."""
    bars, at = [], 0.0
    for kind in ("ok", "bad", "infra"):
        width = 100 * counts[kind] / planned
        if width:
            bars.append((kind, at, width))
        at += width
    return bars


def _heads(state: AgentSeriesState) -> list[PageHead]:
    heads = AGENT_SYSTEMS.page_heads(state.result, Surface.PAGE)
    return [it for it in heads if it.name != _INTERVAL]


def _figure_row(
    row: SystemFigures, state: AgentSeriesState, hide: Callable[[str], str]
) -> FigureRow:
    cells = AGENT_SYSTEMS.page_cells(row, state.result, Surface.PAGE)
    interval = next(it.text for it in cells if it.name == _INTERVAL)
    shown = [it for it in cells if it.name != _INTERVAL]
    return FigureRow(hide(row.system), shown, _drawing(row), interval)


def _drawing(row: SystemFigures) -> Markup:
    """A track, a band for the interval, a tick for the share; the text beside says the same."""
    parts = ['<rect class="bgbar" width="100%" y="3" height="10" rx="2"/>']
    if row.low is not None and row.high is not None:
        parts.append(
            f'<rect class="band" x="{row.low:.2%}" width="{max(row.high - row.low, 0.004):.2%}" '
            'y="3" height="10"/>'
        )
    if row.success is not None:
        at = f"{row.success:.2%}"
        parts.append(f'<line class="tick" x1="{at}" x2="{at}" y1="0" y2="16"/>')
    body = "".join(parts)
    return Markup(f'<svg class="plot m1" height="16" aria-hidden="true">{body}</svg>')  # noqa: S704  our own drawing


def _budget_text(state: AgentSeriesState) -> str:
    """The cost of judges, and the budget of the series, or that of each trial, in words."""
    result = state.result
    budget = _budget_of(state, (result.judge_usd or 0.0) + (result.judge_most_unknown_usd or 0.0))
    return f"judges {result.judge_cost}; {budget}" if result.judge_cost else budget


def _budget_of(state: AgentSeriesState, judge_usd: float) -> str:
    plan, spending = state.plan, state.spending
    if plan.budget_usd is not None:
        budget = f"of a budget of {numbers.money(plan.budget_usd)}"
        used = "at least " if spending.unknown_costs else ""
        used += numbers.money(spending.cost_usd + judge_usd)
        return f"{used} {budget}" if judge_usd else budget
    if plan.trial_budget_usd is not None:
        return f"at most {numbers.money(plan.trial_budget_usd)} for each trial"
    return "no budget"

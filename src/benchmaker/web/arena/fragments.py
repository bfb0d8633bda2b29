"""The pieces of the live page, each by its name in the page, so that a stream can replace it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchmaker.analysis import summarise
from benchmaker.analysis.metric import FigureName
from benchmaker.arenas.standard.result import summary_of
from benchmaker.providers.live_text import LiveTexts
from benchmaker.record import Run
from benchmaker.record.run_command import CommandState, ControlAction, RunCommand
from benchmaker.report.plots.plots import colours, key_svg
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.sentences.figure_words import WORDS, figure_text
from benchmaker.report.sentences.outcomes import GROUPS
from benchmaker.store import Store
from benchmaker.web.arena.grid import (
    CaseModelGrid,
    GridCell,
    GridRow,
    Look,
    answer_at,
    cell_without_trial,
    grid_cell,
    grid_of,
    stopped_ranks,
    writing_of,
)
from benchmaker.web.live.events import LiveChange
from benchmaker.web.live.state import LiveState
from benchmaker.web.rendering import fragment
from benchmaker.web.results.failed_models import FailedModels, failed_models
from benchmaker.web.workbench import Workbench

_LATEST = 6_000
"""Characters shown of an answer: the end of one that is being written, else the beginning."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """A model's current metric, from 0 to 1, with its interval if there is one.

    ``column`` is the model's place in the run, which is its column in the grid.
    """

    model: str
    column: int
    figure: FigureName
    value: float | None = None
    ci95: tuple[float, float] | None = None
    cases: int = 0

    @property
    def id(self) -> str:
        """Its name in the page, made of a number alone."""
        return f"figure{self.column}"

    @property
    def noun(self) -> str:
        """The name of the figure."""
        return WORDS[self.figure].noun

    @property
    def text(self) -> str:
        """The figure as text."""
        return figure_text(self.value, self.figure)


@dataclass(frozen=True, slots=True)
class ModelHead:
    """A model as a column's head."""

    name: str
    colour: str
    key: Markup


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Parts of a page by name; ``cells`` are the changed ones."""

    look: Look
    parts: dict[str, str]
    cells: dict[str, str]
    writing: dict[str, str]

    def changes_since(self, before: "Pieces | None") -> str:
        """Return the differences from the page's last state, and all changed cells.

        A cell whose request failed returns to the queue.
        """
        known = {} if before is None else before.parts | before.writing
        now = self.parts | self.writing
        gone = (
            (before.writing.keys() if before else set())
            - self.writing.keys()
            - self.cells.keys()
            - self.parts.keys()
        )
        back = [cell_of(self.look, _queued_cell(name)) for name in sorted(gone)]
        fresh = [it for name, it in now.items() if known.get(name) != it]
        return "".join((*self.cells.values(), *back, *fresh))


def heads(run: Run) -> list[ModelHead]:
    """The models of a run in the order of their columns."""
    names = colours(len(run.models))
    return [
        ModelHead(model, colour, Markup(key_svg(colour)))  # noqa: S704  our own drawing
        for model, colour in zip(run.models, names, strict=True)
    ]


def displayed_run(look: Look, state: LiveState) -> Run:
    """The run that a page looks at: the chosen one, else the current."""
    chosen = state.target.run(look.run) if look.run is not None else None
    return chosen or state.target.current_run


def so_far(store: Store, run: Run) -> list[SoFar]:
    """The models' figures of one run so far, in the order of their columns."""
    summary = summarise(store.columns([run.id]), (run,))
    name, found = summary.figure_name, {one.model: one for one in summary.models}
    return [
        SoFar(model, column, name, summary.figure(one), summary.interval(one), one.n_cases)
        for column, model in enumerate(run.models)
        for one in [found[model]]
    ]


def progress_segments(counts: Mapping[str, int], planned: int) -> list[tuple[str, float, float]]:
    """The bar of progress: for each group where it begins and how wide it is, in percent."""
    bars: list[tuple[str, float, float]] = []
    at = 0.0
    for group in GROUPS:
        width = 100 * counts.get(group, 0) / planned if planned else 0.0
        if width:
            bars.append((group, at, width))
        at += width
    return bars


def page_parts(bench: Workbench, look: Look, state: LiveState, *, oob: bool) -> dict[str, str]:
    """Everything of the page that is not a cell, drawn."""
    run = displayed_run(look, state)
    counts = state.outcomes.get(run.number, {})
    stopped = bench.store.stopped_models((run,)) if state.stopped else ()
    content = {
        "look": look,
        "now": state,
        "run": run,
        "counts": counts,
        "groups": GROUPS,
        "bars": progress_segments(counts, run.planned),
        "done": sum(counts.values()),
        "awaiting": state.awaits.get(run.number, 0),
        "unfinished": state.begun.get(run.number, 0),
        "idle": sum(one.left for one in stopped),
        "works": bench.settings.works,
        "failed": _failed_models(bench, state),
        "budget": run.options.get("max_cost_usd"),
        "queried": _queried_models(state),
        "command": _last_command(bench, state),
        "oob": oob,
        "hide": bench.redactor.text,
    }
    names = ("actions", "control", "notice", "tiles", "progress", "turns")
    made = {name: fragment(f"arena/{name}", **content) for name in names}
    for it in so_far(bench.store, run):
        made[it.id] = fragment("arena/figure", it=it, run=run, oob=oob)
    return made


def _queried_models(state: LiveState) -> tuple[str, ...]:
    """The models of which a setup is still queried, by the names that commands take."""
    run, stopped = state.target.current_run, {one.model for one in state.stopped}
    setups = (run.setup(name) for name in run.models if name not in stopped)
    return tuple(dict.fromkeys(setup.model for setup in setups))


def _last_command(bench: Workbench, state: LiveState) -> str:
    """The effect of the last command, or why it was refused; empty once it is over."""
    last = state.command
    if last is None or _is_over(last, state):
        return ""
    words = {
        CommandState.PENDING: f"{last.option.removeprefix('--')}, not applied yet",
        CommandState.REFUSED: f"refused: {last.result}",
    }
    return bench.redactor.text(words.get(last.state, last.result))


def _is_over(command: RunCommand, state: LiveState) -> bool:
    """True if the run is finished, was resumed since the command, or has another budget now."""
    was_resumed = state.job is not None and state.job.created_at > command.created_at
    budget = state.target.current_run.options.get("max_cost_usd")
    is_budget = command.action is ControlAction.MAX_COST and command.state is CommandState.APPLIED
    return state.target.is_finished or was_resumed or (is_budget and command.value != budget)


def _failed_models(bench: Workbench, state: LiveState) -> FailedModels | None:
    """Return the models with failed requests of a target that no worker has."""
    if state.is_live or not (state.infrastructure or state.stopped):
        return None
    target = state.target
    summary = summary_of(bench.store, target.runs, bench.store.columns(target.run_ids))
    return failed_models(ReportPage(summary, bench.redactor), summary)


def cell_of(look: Look, it: GridCell, *, oob: bool = True) -> str:
    """One cell, drawn."""
    return fragment("arena/cell", look=look, it=it, oob=oob)


def changed_pieces(
    bench: Workbench,
    look: Look,
    rows: Sequence[GridRow],
    change: LiveChange,
    heard: LiveTexts | None,
) -> Pieces:
    """Return the effect of a change on pages with this view."""
    run = displayed_run(look, change.state)
    places = {row.position for row in rows}
    cells = {
        (cell := grid_cell(one, run)).id: cell_of(look, cell)
        for one in change.cells
        if one.run == run.number and one.position in places
    }
    writing = {
        one.id: cell_of(look, one) for one in writing_of(run, rows, heard) if one.id not in cells
    }
    parts = page_parts(bench, look, change.state, oob=True)
    if change.state.stopped:
        parts |= _cells_not_run(bench.store, look, rows, run, {*cells, *writing})
    if look.at is not None:
        parts["said-so-far"] = partial_answer(bench, look, run, heard, oob=True)
    return Pieces(look, parts, cells, writing)


def _cells_not_run(
    store: Store, look: Look, rows: Sequence[GridRow], run: Run, busy: set[str]
) -> dict[str, str]:
    """Return the cells of stopped models that have no trial, by their names in the page."""
    stopped = stopped_ranks(store, run)
    if not rows or not stopped:
        return {}
    stored = store.change_feed.cells_between(run.id, rows[0].position, rows[-1].position)
    known = {(cell.position, cell.rank) for cell in stored}
    empty = (
        cell_without_trial(row.position, rank, stopped)
        for row in rows
        for rank in sorted(stopped)
        if (row.position, rank) not in known
    )
    return {one.id: cell_of(look, one) for one in empty if one.id not in busy}


def _queued_cell(name: str) -> GridCell:
    position, _, rank = name[1:].partition("m")
    return GridCell(int(position), int(rank), "queued")


def partial_answer(
    bench: Workbench, look: Look, run: Run, heard: LiveTexts | None, *, oob: bool
) -> str:
    """The chosen cell's answer."""
    if look.at is None:
        return ""
    answer = answer_at(bench.store, run, look.at, heard)
    text = bench.redactor.text(answer.text) if answer else ""
    is_writing = answer is not None and answer.shown.kind == "writing"
    cut = max(0, len(text) - _LATEST)
    shown_text = text[-_LATEST:] if is_writing else text[:_LATEST]
    return fragment(
        "arena/answer",
        answer=answer,
        text=shown_text,
        cut=cut,
        is_writing=is_writing,
        run=run,
        look=look,
        oob=oob,
    )


def whole_grid(bench: Workbench, look: Look, run: Run, heard: LiveTexts | None) -> CaseModelGrid:
    """Return the page's part of the grid in its current state."""
    return grid_of(bench.store, run, look.start, heard)

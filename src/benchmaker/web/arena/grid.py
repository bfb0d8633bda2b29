"""The live grid: cases by models of one run, fifty cases a page."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple
from urllib.parse import urlencode

from benchmaker.engine.trials.plan import count_selected, select_cases
from benchmaker.engine.trials.setup_cases import case_of_setup
from benchmaker.errors import StoreError
from benchmaker.providers.live_text import AnswerKey, LiveTexts
from benchmaker.record import Outcome, Run, Trial, group_of
from benchmaker.report.runs.page import sign_of
from benchmaker.report.sentences.outcomes import GROUPS, failure_text, outcome_name
from benchmaker.report.tables import numbers
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.runs.change_feed import Cell

ROWS = 50


class CellAddress(NamedTuple):
    """A cell that was chosen: the place of its case, and its model's."""

    position: int
    rank: int

    @classmethod
    def read(cls, text: str) -> "CellAddress | None":
        """Return the position in an address; None if there is none."""
        position, _, rank = text.partition(".")
        is_place = position.isdecimal() and rank.isdecimal() and len(text) < 20  # noqa: PLR2004
        return cls(int(position), int(rank)) if is_place else None

    def __str__(self) -> str:
        return f"{self.position}.{self.rank}"


@dataclass(frozen=True, slots=True)
class Look:
    """The view of one page: a target, one of its runs (None: the current one), a range of cases."""

    target: str
    run: int | None = None
    start: int = 0
    at: CellAddress | None = None

    def link(self, **changes: object) -> str:
        """The address of this page with something changed."""
        return f"/arena/{self.target}{self._words(changes)}"

    def part(self, name: str, **changes: object) -> str:
        """The address of a part of this page."""
        return f"/arena/{self.target}/{name}{self._words(changes)}"

    def _words(self, changes: Mapping[str, object]) -> str:
        words = {"run": self.run, "start": self.start or None, "at": self.at, **changes}
        kept = {name: str(value) for name, value in words.items() if value is not None}
        return f"?{urlencode(kept)}" if kept else ""


class GridRow(NamedTuple):
    """A case of the page: its place in the suite, and its name."""

    position: int
    case_id: str


@dataclass(frozen=True, slots=True)
class GridCell:
    """One cell as displayed.

    ``kind`` is queued, not_run, writing, retrying, judging, scoring, or a group of outcomes.
    """

    position: int
    rank: int
    kind: str
    value: str = ""
    score: float | None = None
    word: str = ""
    note: str = ""

    @property
    def id(self) -> str:
        """Its name in the page, made of numbers alone."""
        return f"c{self.position}m{self.rank}"

    @property
    def sign(self) -> str:
        """The icon next to it; right and wrong answers have different ones."""
        if self.kind != "ok" or self.score is None:
            return self.kind
        return sign_of(Outcome.SCORED, self.score / 100)


@dataclass(frozen=True, slots=True)
class CaseModelGrid:
    """A page of the grid; ``total`` cases in all, shown from ``start`` on.

    ``stopped`` holds the ranks of models that are no longer queried.
    """

    run: Run
    rows: tuple[GridRow, ...]
    cells: Mapping[tuple[int, int], GridCell]
    start: int
    total: int
    stopped: frozenset[int] = frozenset()

    @property
    def next_start(self) -> int | None:
        """The start of the next page."""
        after = self.start + ROWS
        return after if after < self.total else None

    @property
    def previous_start(self) -> int | None:
        """The start of the previous page."""
        return max(0, self.start - ROWS) if self.start else None

    def cell(self, position: int, rank: int) -> GridCell:
        """Return one cell; without a trial a queued one, or one that will not run."""
        known = self.cells.get((position, rank))
        return known or cell_without_trial(
            position, rank, self.stopped | self._not_repeated(position)
        )

    def _not_repeated(self, position: int) -> frozenset[int]:
        """The ranks of the models with which the run does not repeat a case."""
        selection, models = self.run.selection, self.run.models
        name = next((row.case_id for row in self.rows if row.position == position), "")
        left = (rank for rank, it in enumerate(models) if not selection.includes(it, name))
        return frozenset(left if selection.ids_by_setup is not None else ())


def cell_without_trial(position: int, rank: int, stopped: frozenset[int]) -> GridCell:
    """Return a cell without a trial: queued, unless its model was stopped."""
    return GridCell(position, rank, "not_run" if rank in stopped else "queued")


def stopped_ranks(store: Store, run: Run) -> frozenset[int]:
    """Return the ranks of the models that were stopped by a failure in this run."""
    return frozenset(run.models.index(one.model) for one in store.stopped_models((run,)))


def grid_rows(store: Store, run: Run, start: int) -> tuple[GridRow, ...]:
    """The cases of one page."""
    suite = store.suite(run.suite_hash)
    page = islice(select_cases(suite.cases, run.selection, suite.vars), start, start + ROWS)
    return tuple(GridRow(position, case.id) for position, case in page)


def grid_of(store: Store, run: Run, start: int, heard: LiveTexts | None = None) -> CaseModelGrid:
    """Return one page of a run's grid in its current state."""
    rows = grid_rows(store, run, start)
    suite: Suite = store.suite(run.suite_hash)
    cells: dict[tuple[int, int], GridCell] = {}
    if rows:
        stored = store.change_feed.cells_between(run.id, rows[0].position, rows[-1].position)
        cells = {(cell.position, cell.rank): grid_cell(cell, run) for cell in stored}
    for writing in writing_of(run, rows, heard):
        cells.setdefault((writing.position, writing.rank), writing)
    number = count_selected(suite.cases, run.selection, suite.vars)
    return CaseModelGrid(run, rows, cells, start, number, stopped_ranks(store, run))


def writing_of(run: Run, rows: Sequence[GridRow], heard: LiveTexts | None) -> list[GridCell]:
    """Return the cells with answers being written or retried, in this process."""
    if heard is None:
        return []
    ranks = {model: rank for rank, model in enumerate(run.models)}
    places = {row.case_id: row.position for row in rows}
    return [
        _in_flight(places[one.case_id], ranks[one.model], heard, one)
        for one in heard.answer_keys()
        if one.run == run.number and one.case_id in places and one.model in ranks
    ]


def _in_flight(position: int, rank: int, heard: LiveTexts, place: AnswerKey) -> GridCell:
    waiting = heard.retry_pause(place)
    if waiting is None:
        return GridCell(position, rank, "writing", note=_length(heard, place))
    word = f"retry {waiting.number} of {waiting.most}"
    left_s = max(0, math.ceil(waiting.until - time.monotonic()))
    note = f"in {left_s} s" if left_s else "now"
    return GridCell(position, rank, "retrying", word=word, note=note)


def _length(heard: LiveTexts, place: AnswerKey) -> str:
    text = heard.text(place)
    return f"{len(text):,} characters" if text else ""


def grid_cell(cell: Cell, run: Run) -> GridCell:
    """Return a trial of a run as a cell.

    A trial without a score is ``judging`` if a judge is queried, ``scoring`` if a page is rendered
    without a judge.
    """
    is_truncated = cell.outcome is Outcome.TRUNCATED and cell.score is not None
    kind = "ok" if is_truncated else group_of(cell.outcome)
    tried = f"after {cell.attempts} requests" if cell.attempts > 1 else ""
    if cell.awaits:
        return GridCell(cell.position, cell.rank, "judging" if run.judge_model else "scoring")
    if kind == "infra":
        word = failure_text(cell.outcome, cell.error_type, cell.error)
        return GridCell(cell.position, cell.rank, kind, word=word, note=tried)
    if cell.score is None:
        word = GROUPS["none"] if kind == "ok" else outcome_name(cell.outcome)
        kind = "none" if kind == "ok" else kind
        return GridCell(cell.position, cell.rank, kind, word=word, note=tried)
    word = "" if cell.outcome is Outcome.SCORED else outcome_name(cell.outcome)
    return GridCell(
        cell.position, cell.rank, kind, numbers.score(cell.score), 100 * cell.score, word, tried
    )


@dataclass(frozen=True, slots=True)
class CellDetail:
    """The selected cell in full: the question, and the answer so far.

    ``text`` is an answer, or the beginning of one that is being written.
    """

    case_id: str
    model: str
    prompt: str
    expected: str | None
    shown: GridCell
    trial: Trial | None = None
    text: str = ""


def answer_at(
    store: Store, run: Run, at: CellAddress, heard: LiveTexts | None
) -> CellDetail | None:
    """Return the cell at a position of a run; None if it does not exist."""
    if at.rank >= len(run.models):
        return None
    try:
        case = store.case(run.suite_hash, at.position)
    except StoreError:
        return None
    model = run.models[at.rank]
    stored = store.change_feed.cells_between(run.id, at.position, at.position)
    cell = next((one for one in stored if one.rank == at.rank), None)
    place = AnswerKey(run.number, case.id, model)
    turns = case_of_setup(store, run, model, case).conversation(run.system_prompt)
    prompt = turns[-1].content if turns else ""
    if cell is not None:
        trial = store.trial(run.id, model, case.id)
        text = trial.completion.text if trial.completion else ""
        return CellDetail(
            case.id, model, prompt, case.expectation, grid_cell(cell, run), trial, text
        )
    written = heard.text(place) if heard is not None else None
    made = cell_without_trial(at.position, at.rank, stopped_ranks(store, run))
    if heard is not None and (written is not None or heard.retry_pause(place)):
        made = _in_flight(at.position, at.rank, heard, place)
    return CellDetail(case.id, model, prompt, case.expectation, made, text=written or "")

"""Screenshots of a run's pages as they are made, for pages that show answers unnamed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypedDict

from benchmaker.record import Trial, TrialKey
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.store.runs.change_feed import Cell
from benchmaker.web.code.rows import blind_cell
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.rendering import fragment


class NewShots(TypedDict):
    """The screenshots of an answer, as a piece of a page; ``at`` is the answer's place there."""

    at: str
    html: str


@dataclass(slots=True)
class ShotStream:
    """The answers of a run that were prepared or scored after a place in the store.

    ``numbers`` are the prompts that are shown, ``widths`` those of the screenshots. ``prepared``
    and ``scored`` are the places up to which answers were returned.
    """

    subject: CodeRun
    voter: str
    numbers: Sequence[int]
    widths: Sequence[int]
    prepared: int
    scored: int

    @classmethod
    def after(
        cls,
        place: int,
        subject: CodeRun,
        voter: str,
        *,
        numbers: Sequence[int],
        widths: Sequence[int],
    ) -> Self:
        """Return the stream of everything after a place."""
        return cls(subject, voter, numbers, widths, prepared=place, scored=place)

    def read(self) -> list[NewShots]:
        """Return what is new since the last call, at most 64 prepared answers."""
        return [*self._screenshots(), *self._answers_without_render()]

    def _screenshots(self) -> Iterator[NewShots]:
        found = self.subject.store.renders.pages_after(self.subject.run.id, self.prepared)
        self.prepared = found[-1].number if found else self.prepared
        cases = {self.subject.prompt(number).id for number in self.numbers}
        for it in found:
            if it.trial.case_id in cases:
                yield self._shots_of(it.prepared, it.trial)

    def _answers_without_render(self) -> Iterator[NewShots]:
        """Answers that were scored and have no render: without a page, or after a failure."""
        changes = self.subject.store.change_feed.changes_after([self.subject.run.id], self.scored)
        self.scored = changes.upto
        for cell in changes.cells:
            if cell.awaits or cell.position + 1 not in self.numbers:
                continue
            trial = self._trial_of(cell)
            made = self.subject.store.renders.find_prepared(trial.key)
            if made is None or made.rendering is None:
                yield self._shots_of(made, trial.key, trial)

    def _trial_of(self, cell: Cell) -> Trial:
        case_id = self.subject.prompt(cell.position + 1).id
        return self.subject.store.trial(
            self.subject.run.id, self.subject.run.models[cell.rank], case_id
        )

    def _shots_of(
        self, made: PreparedAnswer | None, key: TrialKey, trial: Trial | None = None
    ) -> NewShots:
        order = self.subject.blind_order(key.case_id, self.voter)
        place = (self.subject.number(key.case_id), order.index(key.model) + 1)
        cell = blind_cell(made, place, self.widths, trial)
        return NewShots(at=cell.at, html=fragment("code/new_shots", cell=cell))

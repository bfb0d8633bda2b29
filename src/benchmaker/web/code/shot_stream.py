"""Screenshots of a run's pages as they are made, for pages that show answers unnamed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from benchmaker.store.runs.renders import StoredPage
from benchmaker.web.code.rows import blind_cell
from benchmaker.web.code.subject import CodeRun
from benchmaker.web.rendering import fragment


class NewShots(TypedDict):
    """The screenshots of an answer, as a piece of a page; ``at`` is the answer's place there."""

    at: str
    html: str


@dataclass(slots=True)
class ShotStream:
    """The answers of a run that were prepared after a place, each once.

    ``numbers`` are the prompts that are shown, ``widths`` those of the screenshots.
    """

    subject: CodeRun
    voter: str
    numbers: Sequence[int]
    widths: Sequence[int]
    after: int

    def read(self) -> list[NewShots]:
        """Return the screenshots made since the last call, at most 64 answers."""
        found = self.subject.store.renders.pages_after(self.subject.run.id, self.after)
        self.after = found[-1].number if found else self.after
        numbers = {self.subject.prompt(number).id: number for number in self.numbers}
        return [
            self._shots_of(it, numbers[it.trial.case_id])
            for it in found
            if it.trial.case_id in numbers
        ]

    def _shots_of(self, it: StoredPage, number: int) -> NewShots:
        order = self.subject.blind_order(it.trial.case_id, self.voter)
        place = (number, order.index(it.trial.model) + 1)
        cell = blind_cell(it.prepared, place, self.widths)
        return NewShots(at=cell.at, html=fragment("code/new_shots", cell=cell))

"""The list of trials in the terminal: a row for each, a failed one with its reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmaker.record import Trial
from benchmaker.report.sentences import missing_figures
from benchmaker.report.sentences.outcomes import NO_ANSWER, outcome_text
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.report.tables.width import cell_width

_EXPECTED: Final = 16
_ANSWER: Final = 60
_LEAST_ANSWER: Final = 12
_GAP: Final = 2
_ANSWER_HEAD: Final = "Answer"


@dataclass(frozen=True, slots=True)
class ListedTrial:
    """A trial, with the number of its run in a series."""

    trial: Trial
    run_number: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The trial as in files."""
        return trial_row(self.trial, self.run_number)


@dataclass(frozen=True, slots=True)
class TrialList:
    """Trials, the noun for their models or setups, and the width of their answers in columns."""

    rows: tuple[ListedTrial, ...]
    noun: str = "model"
    answer_width: int = _ANSWER

    @classmethod
    def of(cls, rows: Sequence[ListedTrial], width: int, noun: str = "model") -> "TrialList":
        """The list for a terminal: answers take the rest of its width, within limits."""
        whole = cls(tuple(rows), noun)
        table = TRIALS.table(whole)
        others = [
            max(map(cell_width, cells))
            for column, *cells in zip(
                table.columns, *table.rows, [one.lines for one in table.columns], strict=True
            )
            if column.head != _ANSWER_HEAD
        ]
        rest = width - sum(others) - _GAP * len(others)
        return cls(whole.rows, noun, max(_LEAST_ANSWER, min(_ANSWER, rest)))


def _expected_text(row: ListedTrial, _: TrialList) -> str:
    """The beginning of the expected answer."""
    score = row.trial.score
    expected = score.expectation if score else None
    return "none" if expected is None else _beginning(expected, _EXPECTED)


def _answer(row: ListedTrial, made: TrialList) -> str:
    """The beginning of the answer."""
    if row.trial.completion is None:
        return NO_ANSWER
    return _beginning(row.trial.text, made.answer_width) or "(empty)"


def _beginning(text: str, width: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(sanitise(text[: width * 4], lines=True).split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"


def _score(row: ListedTrial, _: TrialList) -> str:
    return missing_figures.optional_score(row.trial.score.score if row.trial.score else None)


TRIALS: TableDeclaration[TrialList, ListedTrial] = TableDeclaration(
    "trials",
    (
        TableColumn(
            name="case_id",
            title="Case",
            text=lambda row, _: sanitise(row.trial.case_id),
            is_right=False,
        ),
        TableColumn(
            name="setup",
            title=lambda made: made.noun.capitalize(),
            text=lambda row, _: sanitise(row.trial.model),
            is_right=False,
        ),
        TableColumn(
            name="outcome",
            title="Outcome",
            text=lambda row, _: outcome_text(row.trial),
            is_right=False,
        ),
        TableColumn(
            name="run",
            title="Run",
            text=lambda row, _: "" if row.run_number is None else f"{row.run_number:,}",
            is_shown=lambda made, _: any(row.run_number is not None for row in made.rows),
        ),
        TableColumn(name="score", title="Score", text=_score),
        TableColumn(
            name="expected",
            title="Expected",
            text=_expected_text,
            is_right=False,
            is_shown=lambda made, _: any(
                row.trial.score and row.trial.score.expectation is not None for row in made.rows
            ),
            gives_way=1,
        ),
        TableColumn(name="output", title=_ANSWER_HEAD, text=_answer, is_right=False, gives_way=2),
    ),
    rows=lambda made: made.rows,
)
"""Case, model, outcome with its reason, and score; then the expected answer and the answer."""

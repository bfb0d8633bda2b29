"""One line for each prompt of a run: what became of each model's page."""

from typing import NamedTuple

from benchmaker.record import Score
from benchmaker.report.code_words import checks_of, state_of
from benchmaker.spec import Case
from benchmaker.web.code.subject import CodeRun


class PageCell(NamedTuple):
    """One model's page for one prompt: where it is shown, how it ended, what it was given.

    ``state`` is the outcome of the render, ``no code`` or ``not rendered``; ``score`` from 0 to 1.
    """

    model: str
    href: str
    state: str
    kind: str
    score: float | None
    checks: str


class PromptRow(NamedTuple):
    """A prompt with its pages, in the order of the run's models."""

    number: int
    case: Case
    cells: tuple[PageCell, ...]


_KINDS = {"rendered": "ok", "blank": "bad", "no code": "bad", "not rendered": "none"}


def prompt_rows(subject: CodeRun) -> tuple[PromptRow, ...]:
    """A line for each prompt."""
    scores = {
        (trial.case_id, trial.model): trial.score for trial in subject.store.trials(subject.run.id)
    }
    return tuple(
        PromptRow(
            number,
            case,
            tuple(
                _cell(subject, number, rank, case.id, scores)
                for rank in range(len(subject.run.models))
            ),
        )
        for number, case in enumerate(subject.prompts, 1)
    )


def _cell(
    subject: CodeRun,
    number: int,
    rank: int,
    case_id: str,
    scores: dict[tuple[str, str], Score | None],
) -> PageCell:
    model = subject.run.models[rank]
    state = state_of(subject.prepared.get((case_id, model)))
    score = scores.get((case_id, model))
    return PageCell(
        model,
        f"/code/{subject.run.id}/{number}/{rank + 1}",
        state,
        _KINDS.get(state, "bad"),
        score.score if score else None,
        checks_of(subject.prepared.get((case_id, model))),
    )

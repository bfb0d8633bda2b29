"""One line for each prompt of a run: the outcome of each model's page."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.arenas.code.totals import has_no_page, total_of
from benchmaker.record import AWAITING_JUDGE, Score, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.sentences.code_words import checks_of, state_of
from benchmaker.report.tables import numbers
from benchmaker.scoring.judged.code_judge import NOT_RENDERED
from benchmaker.spec import Case
from benchmaker.web.code.subject import CodeRun, letter_of
from benchmaker.web.code.thumbnails import Thumbnail, thumbnail_of

BEING_RENDERED = "being rendered"
BEING_WRITTEN = "being written"


class PageCell(NamedTuple):
    """One model's page for one prompt: its link, outcome and scores.

    ``href`` is empty until there is an answer. ``state`` is the outcome of the render, ``no code``,
    ``not rendered``, ``being rendered``, ``being written``, or the outcome of the trial; ``score``
    is the total from 0 to 100, or the reason for none, empty while there is no page to score;
    ``reason`` tells why there is no page or no render, empty if the page was rendered.
    """

    model: str
    href: str
    state: str
    kind: str
    score: str
    checks: str
    thumbnail: Thumbnail | None
    reason: str = ""


class PromptRow(NamedTuple):
    """A prompt with its pages, in the order of the run's models."""

    number: int
    case: Case
    cells: tuple[PageCell, ...]


_KINDS = {
    "rendered": "ok",
    "blank": "bad",
    "no code": "bad",
    "not rendered": "none",
    BEING_RENDERED: "none",
    BEING_WRITTEN: "none",
    "not run": "none",
    "unknown": "none",
}


class BlindCell(NamedTuple):
    """An unnamed page: its place, its letter, and its screenshots, or the word for none.

    ``at`` is the number of its prompt, a hyphen, and its own number. ``reason`` tells why there is
    no page or no render; empty if there is one, or will be.
    """

    at: str
    letter: str
    state: str
    thumbnails: tuple[Thumbnail, ...]
    reason: str = ""


class BlindRow(NamedTuple):
    """A prompt with its unnamed pages, in an order of its own."""

    number: int
    case: Case
    is_paired: bool
    cells: tuple[BlindCell, ...]


def blind_rows(subject: CodeRun, voter: str, width: int) -> tuple[BlindRow, ...]:
    """Return a line for each prompt that does not reveal which page is whose."""
    return tuple(
        BlindRow(
            number,
            case,
            subject.is_paired(case.id),
            blind_cells(subject, number, voter, (width,)),
        )
        for number, case in enumerate(subject.prompts, 1)
    )


def blind_cells(
    subject: CodeRun, number: int, voter: str, widths: Sequence[int]
) -> tuple[BlindCell, ...]:
    """Return the unnamed pages of a prompt, with screenshots of these widths."""
    case_id = subject.prompt(number).id
    trials = {it.model: it for it in _trials(subject, case_id)}
    return tuple(
        blind_cell(
            subject.prepared_pages.get((case_id, model)),
            (number, n),
            widths,
            trials.get(model),
        )
        for n, model in enumerate(subject.blind_order(case_id, voter), 1)
    )


def blind_cell(
    made: PreparedAnswer | None,
    place: tuple[int, int],
    widths: Sequence[int],
    trial: Trial | None = None,
) -> BlindCell:
    """Return an unnamed page, by the number of its prompt and its own.

    Its state does not tell an empty page from a full one, for those who are going to vote. The
    reason of a failed request is left out, since it can name the model.
    """
    number, n = place
    reason = _reason(made, trial)
    found = (thumbnail_of(made.report, width) for width in widths) if made else ()
    is_page = _is_awaited(trial) if made is None else not made.artifact.reason
    is_waiting = is_page and not reason and not _is_rendered_again(trial)
    state = "no screenshot" if is_waiting else _state(made, trial)
    shown = tuple(dict.fromkeys(it for it in found if it))
    return BlindCell(f"{number}-{n}", letter_of(n), state, shown, reason)


def prompt_rows(subject: CodeRun, width: int, *, is_over: bool = True) -> tuple[PromptRow, ...]:
    """A line for each prompt, with screenshots of that width; ``is_over`` if no more will come."""
    trials = {(it.case_id, it.model): it for it in _trials(subject)}
    return tuple(
        PromptRow(
            number,
            case,
            tuple(
                _cell(
                    subject,
                    number,
                    rank,
                    trials.get((case.id, subject.run.models[rank])),
                    width=width,
                    is_over=is_over,
                )
                for rank in range(len(subject.run.models))
            ),
        )
        for number, case in enumerate(subject.prompts, 1)
    )


def _trials(subject: CodeRun, case_id: str | None = None) -> Iterator[Trial]:
    """The trials of a run; while a job that renders again is queued, as that job will mark them."""
    is_queued = subject.is_retry_queued
    every = subject.trials(case_id).values() if case_id else subject.store.trials(subject.run.id)
    for trial in every:
        is_failed = trial.score is not None and NOT_RENDERED in trial.score.flags
        yield (
            replace(trial, flags=(*trial.flags, AWAITING_JUDGE))
            if (is_queued and is_failed)
            else trial
        )


def _reason(made: PreparedAnswer | None, trial: Trial | None) -> str:
    """Why an answer has no render, or no page at all; empty if it has, or if nobody knows yet."""
    if _is_rendered_again(trial):
        return ""
    score = trial.score if trial else None
    if score is not None and (NOT_RENDERED in score.flags or has_no_page(score)):
        return score.notes
    return made.artifact.reason if made else ""


def _state(made: PreparedAnswer | None, trial: Trial | None, *, is_over: bool = True) -> str:
    """The state of a page, while it is made and afterwards."""
    if _is_rendered_again(trial):
        return BEING_RENDERED
    if made is None and not is_over and _is_awaited(trial):
        return BEING_WRITTEN if trial is None else BEING_RENDERED
    return state_of(made, trial)


def _is_awaited(trial: Trial | None) -> bool:
    """True if an answer, or the render of its page, may still come."""
    return trial is None or AWAITING_JUDGE in trial.flags


def _is_rendered_again(trial: Trial | None) -> bool:
    """True if the render failed and is about to be repeated."""
    if trial is None or trial.score is None:
        return False
    return AWAITING_JUDGE in trial.flags and NOT_RENDERED in trial.score.flags


def has_failed_render(trial: Trial) -> bool:
    """True if the render failed, and is not about to be repeated."""
    is_failed = trial.score is not None and NOT_RENDERED in trial.score.flags
    return is_failed and AWAITING_JUDGE not in trial.flags


def _request_error(trial: Trial | None) -> str:
    return trial.error or "" if trial is not None and trial.completion is None else ""


def _total(score: Score | None, *, is_stopped: bool) -> str:
    """The total, or why there is none; empty before there is anything to score.

    ``is_stopped`` is true for a rendered page that no judge will score until the run is resumed.
    """
    if score is None:
        return "not judged" if is_stopped else ""
    total = total_of(score)
    return "not judged" if total is None else numbers.score(total / 100)


def _cell(
    subject: CodeRun,
    number: int,
    rank: int,
    trial: Trial | None,
    *,
    width: int,
    is_over: bool,
) -> PageCell:
    model = subject.run.models[rank]
    made = subject.prepared_pages.get((subject.prompt(number).id, model))
    score = trial.score if trial else None
    state = _state(made, trial, is_over=is_over)
    is_failed = trial is not None and trial.completion is None
    return PageCell(
        model,
        f"/code/{subject.run.id}/{number}/{rank + 1}" if trial else "",
        state,
        "none" if is_failed else _KINDS.get(state, "bad"),
        _total(score, is_stopped=is_over and bool(made and made.report)),
        checks_of(made, score),
        thumbnail_of(made.report if made else None, width),
        _reason(made, trial) or _request_error(trial),
    )

"""A store without evaluations: the words of its pages, and the evaluation they can start."""

from typing import Final, NamedTuple

from benchmaker.arenas.agentic.evaluation.evaluate import EvaluationOptions, evaluate_submissions
from benchmaker.errors import PrerequisiteError
from benchmaker.report.sentences.board_words import no_board_reason
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, OPENING
from benchmaker.store import Store
from benchmaker.store.home import Home
from benchmaker.web.agentic.background_work import compute_in_background, is_under_way
from benchmaker.web.workbench import Workbench

_KEY: Final = ("evaluate",)


class NoBoard(NamedTuple):
    """Why there is no board: the sentence, and the submissions that an evaluation would score."""

    reason: str
    with_task: int
    is_evaluating: bool


def no_board(bench: Workbench) -> NoBoard | None:
    """Return the reason for a store without evaluations; None if it has some, or nothing stored.

    While an evaluation runs, there is no board either.
    """
    store = bench.store
    is_evaluating = is_under_way(bench, _KEY)
    if store.submission_pages.has_figures() and not is_evaluating:
        return None
    stored, with_task = _counts(store)
    if not stored:
        return None
    return NoBoard(capitalise(no_board_reason(stored, with_task)), with_task, is_evaluating)


def _counts(store: Store) -> tuple[int, int]:
    """Return the numbers of stored submissions, and of those to a task."""
    with_task = sum(store.submission_pages.counts_by_task().values())
    return store.agentic.count_submissions(), with_task


def start_evaluation(bench: Workbench) -> None:
    """Evaluate everything stored in the background, unless an evaluation is running.

    Raises:
        StoreError: the store is unusable; Conflict if another process evaluates.
    """
    compute_in_background(bench, _KEY, lambda: _evaluate(bench))


def _evaluate(bench: Workbench) -> bool:
    settings = bench.settings
    options = EvaluationOptions(
        profile=BUILT_IN[OPENING],
        place=Home(bench.home, settings.store_url),
        clock=settings.clock,
    )

    def end_with_server(step: str, done: int) -> None:
        if bench.is_leaving:
            raise PrerequisiteError(f"the server stopped at {done:,} {step}.")

    evaluate_submissions(bench.store, options, bench.store.submissions(), None, end_with_server)
    return True

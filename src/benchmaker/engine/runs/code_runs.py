"""Runs of the Code Arena: those that have generated pages, or whose suite scores pages."""

from collections.abc import Sequence

from benchmaker.engine.judges.judge_makers import asking_scorers, load_scorers
from benchmaker.errors import SpecError
from benchmaker.spec import ScorerSpec, Suite
from benchmaker.store import Store

CODE_JUDGE = "code_judge"
"""The id of the scorer of generated pages."""


def scores_pages(suite: Suite) -> bool:
    """Return True if the suite or one of its cases has the scorer of pages; it must be checked."""
    return any(one.id == CODE_JUDGE for one in asking_scorers(suite, None))


def is_code_run(store: Store, run_ids: Sequence[str]) -> bool:
    """Return True if a run or series has generated pages, or its suite scores pages."""
    if any(store.code_pages.has_pages(run_id) for run_id in run_ids):
        return True
    return scores_pages(load_scorers(store.suite(store.run(run_ids[0]).suite_hash)))


def refuse_outside_code_arena(store: Store, run_ids: Sequence[str]) -> None:
    """Raise SpecError if a run or series is not of the Code Arena."""
    if not is_code_run(store, run_ids):
        raise SpecError(
            f"run {run_ids[0]} is not a run of the Code Arena.",
            hint="Choose a run of benchmaker code run. To score these answers as pages, set "
            "scorer: code_judge in the suite: benchmaker rescore RUN --suite edited.yaml",
        )


def refuse_page_scorer(
    store: Store, run_ids: Sequence[str], scorer: ScorerSpec | str | None
) -> None:
    """Raise SpecError if the scorer of pages is to score a run that is not of the Code Arena."""
    scorer_id = scorer.id if isinstance(scorer, ScorerSpec) else scorer
    if scorer_id == CODE_JUDGE:
        refuse_outside_code_arena(store, run_ids)

"""Runs rated by blind votes, as ``code rate`` rates them."""

from collections.abc import Sequence

from benchmaker.analysis.ratings.vote_ratings import Standings, standings
from benchmaker.arenas.code.totals import totals_of
from benchmaker.errors import SpecError
from benchmaker.store import Store

MOST_RUNS = 50
"""Maximum number of runs rated together."""


def newest_code_runs(store: Store) -> tuple[str, ...]:
    """The ids of the newest runs with generated pages."""
    return tuple(row.run.id for row in store.code_pages.page(limit=MOST_RUNS).rows)


def standings_of(store: Store, run_ids: Sequence[str]) -> Standings:
    """Rate models by the votes on the pages of these runs, with judge and checks.

    Raises:
        SpecError: too many runs.
    """
    if len(run_ids) > MOST_RUNS:
        raise SpecError(f"{len(run_ids)} runs are too many.", hint=f"Name at most {MOST_RUNS}.")
    votes = store.votes.read(run_ids, with_undone=True)
    return standings(votes, totals_of(store, run_ids))

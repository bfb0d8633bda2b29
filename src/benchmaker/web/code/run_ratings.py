"""Runs rated by blind votes, as ``code rate`` rates them."""

from collections.abc import Sequence

from benchmaker.analysis.ratings.vote_ratings import STYLE_FEATURES, Standings, standings
from benchmaker.arenas.code.totals import styles_of, totals_of
from benchmaker.errors import SpecError
from benchmaker.record.vote import VoteCategory
from benchmaker.store import Store

MOST_RUNS = 50
"""Maximum number of runs rated together."""


def newest_code_runs(store: Store) -> tuple[str, ...]:
    """The ids of the newest runs with generated pages."""
    return tuple(row.run.id for row in store.code_pages.page(limit=MOST_RUNS).rows)


def standings_of(
    store: Store,
    run_ids: Sequence[str],
    *,
    category: VoteCategory | None = None,
    style: Sequence[str] = (),
) -> Standings:
    """Rate models by the votes on the pages of these runs, with judge, checks and probe.

    ``category`` and ``style`` are as in :func:`benchmaker.analysis.ratings.vote_ratings.standings`.

    Raises:
        SpecError: too many runs, or an unknown feature of style.
    """
    unknown = [name for name in style if name not in STYLE_FEATURES]
    if unknown:
        raise SpecError(
            f"unknown feature of style {unknown[0][:40]!r}.",
            hint=f"Choose from {', '.join(STYLE_FEATURES)}.",
        )
    if len(run_ids) > MOST_RUNS:
        raise SpecError(f"{len(run_ids)} runs are too many.", hint=f"Name at most {MOST_RUNS}.")
    votes = store.votes.read(run_ids, with_undone=True)
    styles = styles_of(store, run_ids) if style else {}
    totals = totals_of(store, run_ids)
    prompts = store.votes.prompts(run_ids)
    return standings(votes, totals, category=category, style=style, styles=styles, prompts=prompts)

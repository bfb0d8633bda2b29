import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle

from benchmaker.analysis.composite.percentiles import places
from benchmaker.arenas.agentic import classic

GROUPED = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(st.none(), st.sampled_from([0.0, 12.5, 50.0, 99.99])),
        st.booleans(),
    ),
    max_size=60,
)


def columns(rows):
    scores = np.array([math.nan if s is None else s for _, s, _ in rows], float)
    return scores, np.array([g for g, _, _ in rows], int), np.array([r for _, _, r in rows], bool)


@given(GROUPED)
def test_ranks_and_percentiles_equal_those_of_scipy_in_every_group(rows):
    scores, groups, ranked = columns(rows)
    found = places(scores, groups, 4, is_ranked=ranked)
    for group in range(4):
        own = np.flatnonzero((groups == group) & ranked & ~np.isnan(scores))
        if not len(own):
            continue
        assert found.rank[own].tolist() == oracle.rankdata(-scores[own], method="min").tolist()
        expected = [oracle.percentileofscore(scores[own], s, kind="mean") for s in scores[own]]
        assert found.percentile[own] == pytest.approx(expected)
        assert set(found.n[own].tolist()) == {len(own)}


@given(GROUPED)
def test_a_row_without_a_rank_moves_nobody(rows):
    scores, groups, ranked = columns(rows)
    found = places(scores, groups, 4, is_ranked=ranked)
    assert (found.rank[~ranked] == 0).all()
    assert np.isnan(found.percentile[~ranked]).all()
    alone = places(scores[ranked], groups[ranked], 4)
    assert found.rank[ranked].tolist() == alone.rank.tolist()


@given(GROUPED)
def test_published_places_are_those_of_the_published_functions(rows):
    scores, groups, _ = columns(rows)
    found = places(scores, groups, 4, percentile="published")
    for group in range(4):
        own = np.flatnonzero((groups == group) & ~np.isnan(scores))
        listed = [
            {"overall_score": float(scores[i]), "evaluated_at": "", "row": int(i)} for i in own
        ]
        for one in classic.calculate_rankings(listed):
            assert found.rank[one["row"]] == one["overall_ranking"]
            assert found.percentile[one["row"]] == one["percentile"]

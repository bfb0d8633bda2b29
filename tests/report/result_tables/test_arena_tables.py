"""The declared tables of the arenas: files hold every figure that people see."""

import csv
import io

import pytest

from benchmaker.analysis.boards.fronts import Fronts
from benchmaker.analysis.composite.system_baselines import system_baselines
from benchmaker.analysis.ratings.vote_ratings import PageKey, PageTotals, standings
from benchmaker.arenas.agentic.boards.trending import system_trends
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.evaluation.profile_comparison import compared_profiles
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.settling.stored_boards import BoardMaker, bias_body, bias_of
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.report.result_tables.agent_trends import AGENT_TRENDS, TREND_WINDOWS, TrendsView
from benchmaker.report.result_tables.baselines import (
    BASELINE_FIGURES,
    BASELINES,
    EARLIER_BASELINES,
    SYSTEM_BASELINES,
    SYSTEM_FIGURES,
)
from benchmaker.report.result_tables.bias import BIAS_TESTS, RESIDUALS
from benchmaker.report.result_tables.fronts import COST_OF_SUCCESS, FRONT, FRONTS
from benchmaker.report.result_tables.scoring_profiles import MOVES, PROFILES, QUALITIES, WEIGHTS
from benchmaker.report.result_tables.votes import HEAD_TO_HEAD, VOTES
from benchmaker.report.tables.declaration import Surface
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.analysis.ratings.test_vote_ratings import vote
from tests.analysis.submissions import a_row

WEEK_US = 7 * 86_400_000_000
PAIRED = {"best", "worst", "low", "high"}


def submissions():
    return [
        a_row(
            n,
            system="abcd"[n % 4],
            tool="abcd"[n % 4],
            task_id=f"t{n % 3}",
            finished_us=(n % 9) * WEEK_US + n,
            success=n % 5 > 0,
            correctness=(n * 7 % 10) / 10,
        )
        for n in range(120)
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A result for each table."""
    rows = submissions()
    columns = collect_columns(rows)
    maker = BoardMaker(columns, ProfileRanking(BUILT_IN["robust"]))
    work = ProfileAtWork(BUILT_IN["robust"])
    with Store.open(tmp_path_factory.mktemp("tables") / "store.db") as store:
        for part in (rows[:60], rows[60:]):
            changed = store.agentic.put_metrics((row, work.input_hash(row)) for row in part)
            settle_tasks(store, work, changed)
        snapshots = store.agentic.snapshots(work.profile, "t0")
        trends = system_trends(store, "robust", value="correctness").trends
        profiles, _ = compared_profiles(store, BUILT_IN["classic"], BUILT_IN["robust"])
    votes = [
        vote("alpha", "beta", ("a", "b", "tie", "both_bad")[n % 4], case=f"p{n % 3}")
        for n in range(24)
    ]
    bias = bias_body(bias_of(maker), maker)
    fronts = Fronts.of(columns).to_dict() | {"profile": "robust/1"}
    usual = system_baselines([row for row in rows if row.system == "a"])
    trend_view = TrendsView(trends, "correctness")
    return {
        VOTES: standings(votes, {PageKey("run", "p1", "alpha"): PageTotals(40.0, 75.0)}),
        HEAD_TO_HEAD: standings(votes),
        RESIDUALS: bias,
        BIAS_TESTS: bias,
        FRONT: fronts,
        COST_OF_SUCCESS: fronts,
        FRONTS: fronts,
        BASELINES: snapshots[-1:],
        EARLIER_BASELINES: snapshots,
        BASELINE_FIGURES: snapshots[-1:],
        SYSTEM_BASELINES: usual,
        SYSTEM_FIGURES: usual,
        AGENT_TRENDS: trend_view,
        TREND_WINDOWS: trend_view,
        PROFILES: [(BUILT_IN["classic"], "active")],
        WEIGHTS: BUILT_IN["classic"],
        QUALITIES: profiles,
        MOVES: profiles,
    }


def test_a_csv_has_a_row_for_each_row_under_the_declared_keys(made):
    for table, result in made.items():
        stream = io.StringIO(newline="")
        table.write_csv(result, stream)
        heads, *lines = csv.reader(io.StringIO(stream.getvalue(), newline=""))
        assert tuple(heads) == table.keys
        assert len(lines) == len(table.rows(result))


def test_texts_have_the_heads_of_the_columns_that_are_shown(made):
    for table, result in made.items():
        drawn = table.table(result)
        shown = table.shown(result, Surface.TERMINAL)
        assert [one.head for one in drawn.columns] == [one.head(result).head for one in shown]
        assert len(drawn.rows) == len(table.rows(result))


@pytest.mark.parametrize(
    ("parts", "whole"),
    [((FRONT, COST_OF_SUCCESS), FRONTS), ((SYSTEM_BASELINES,), SYSTEM_FIGURES)],
    ids=("fronts", "system"),
)
def test_the_table_for_files_has_the_columns_of_the_others(parts, whole):
    assert {key for part in parts for key in part.keys} <= set(whole.keys)


def test_the_figures_of_votes_are_those_of_their_document(made):
    standings_ = made[VOTES]
    for record, model in zip(
        VOTES.records(standings_), standings_.to_dict()["models"], strict=True
    ):
        ranked = model["ranked"]
        assert record["rating"] == ranked["score"]
        assert {key: record[key] for key in PAIRED} == {key: ranked[key] for key in PAIRED}
        assert (record["votes"], record["judged"]) == (model["votes"], model["judged"])

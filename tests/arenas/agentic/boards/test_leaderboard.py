import polars as pl
import pytest

import benchmaker
from benchmaker.analysis.boards.gaming import STRATEGIES, evaluate_gaming
from benchmaker.arenas.agentic.boards.trending import system_trends, version_markers
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.evaluation.profile_comparison import compared_profiles
from benchmaker.arenas.agentic.evaluation.profiles import (
    keep_profile,
    kept_profiles,
    known_profiles,
    listed_profiles,
    profile_named,
    profiles_by_id,
    put_profile,
    settle_boards,
    with_boards,
)
from benchmaker.arenas.agentic.settling.board_keys import BoardKey
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.arenas.agentic.unknown_names import unknown_in_board
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.record.submissions.submission import Submission, System
from benchmaker.spec.tasks.agentic_profile import BUILT_IN, AgenticProfile
from benchmaker.store import Store
from benchmaker.store.agentic.tasks import StoredTask
from tests.analysis.submissions import a_row, random_rows

DAY_US = 86_400_000_000
MINE = AgenticProfile(name="mine", description="Only correctness.", policy="best")


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as opened:
        yield opened


def put(store, rows, *documents):
    for document in documents or (BUILT_IN["classic"],):
        at_work = ProfileAtWork(document)
        store.agentic.put_metrics((row, at_work.input_hash(row)) for row in rows)
        settle_tasks(store, at_work, store.agentic.metric_tasks())
        settle_boards(store, document)


def test_the_profiles_that_have_boards_are_known_by_them(store):
    assert [one.name for one in with_boards(store)] == ["robust"]
    put(store, [a_row(n, system=f"s{n % 4}") for n in range(8)], BUILT_IN["classic"])
    assert [one.name for one in with_boards(store)] == ["classic"]


def test_a_name_is_unknown_if_no_submission_has_it(store):
    put(store, [a_row(n, system=f"s{n % 4}") for n in range(8)])
    for filters in ({"task": "t1"}, {"task": "t1", "system": "s3"}, {}):
        assert unknown_in_board(store, BoardKey.of(value="overall", filters=filters)) is None
    found = unknown_in_board(store, BoardKey.of(value="overall", filters={"system": "s9"}))
    assert found == ("system", "s9", {"s0", "s1", "s2", "s3"})


def test_a_task_without_submissions_is_no_unknown_task(store):
    key = BoardKey.of(value="overall", filters={"task": "t0"})
    assert unknown_in_board(store, key) == ("task", "t0", frozenset())
    store.agentic.put_task(StoredTask("t0", "a digest", {"prompt": "Mend it."}))
    assert unknown_in_board(store, key) is None


def test_the_store_the_rows_and_a_frame_give_the_same_board(store, tmp_path):
    rows = [a_row(n, system=f"s{n % 4}", tool=f"s{n % 4}") for n in range(40)]
    put(store, rows)
    frame = pl.DataFrame(
        {
            name: [getattr(row, name) for row in rows]
            for name in (
                "submission_id", "task_id", "system", "tool", "model", "category", "difficulty",
                "finished_us", "total_tokens", "fresh_tokens", "tool_calls", "iterations",
                "seconds", "cost",
                "correctness", "required_passed", "success", "evidence_level", "outcome",
            )
        }
    )  # fmt: skip

    made = benchmaker.leaderboard(rows)

    assert made.rows[0].rank == 1
    for other in (
        benchmaker.leaderboard(home=tmp_path),
        benchmaker.leaderboard(store),
        benchmaker.leaderboard(frame),
        benchmaker.leaderboard(collect_columns(rows)),
    ):
        assert other.to_dict() == made.to_dict()


def test_the_json_has_the_promised_fields():
    rows = [a_row(n, system=f"s{n % 3}") for n in range(30)]
    data = benchmaker.leaderboard(rows, profile="robust").to_dict()

    assert data["scale"] == "0-100"
    assert data["profile"] == "robust/2"
    promised = {"system", "tool", "model", "rank", "rank_interval", "score", "n", "attempts"}
    assert promised | {"evidence_level"} <= set(data["rows"][0])


def test_filters_and_policies_narrow_the_board():
    rows = random_rows(1, 200)
    whole = benchmaker.leaderboard(rows, value="resolved")
    task = benchmaker.leaderboard(rows, value="resolved", task="t1", policy="first")

    assert task.leaderboard.submissions == sum(row.task_id == "t1" for row in rows)
    assert task.leaderboard.submissions < whole.leaderboard.submissions
    assert task.leaderboard.policy == "first"
    assert all(row.n <= 1 for row in task.rows)


def test_evidence_names_the_weakest_level_that_is_ranked():
    rows = [
        a_row(n, system=f"s{n % 3}", evidence_level=("verified", "imported")[n >= 15])
        for n in range(60)
    ]
    strict = benchmaker.leaderboard(rows, evidence="verified")
    both = benchmaker.leaderboard(rows, evidence=("imported", "verified"))

    assert any(row.hollow and row.rank is None for row in strict.rows)
    assert not any(row.hollow for row in both.rows)


@pytest.mark.parametrize(
    "words",
    [{"policy": "luck"}, {"evidence": "rumour"}, {"profile": "robsut"}, {"value": "tokenz"}],
)
def test_unknown_words_are_refused_with_what_is_known(words):
    with pytest.raises(SpecError) as raised:
        benchmaker.leaderboard([], **words)
    assert raised.value.hint


def test_a_profile_in_shadow_is_computed_and_not_shown(store):
    put(store, [a_row(n, system=f"s{n % 3}") for n in range(30)])
    put_profile(store, MINE, "shadow")
    put(store, [], MINE)

    assert store.agentic.board(MINE.id, "system/overall/all/everything")["submissions"] == 30
    assert store.agentic.flags(f"board:{MINE.id}") == ()
    with pytest.raises(SpecError, match="is a shadow profile"):
        benchmaker.leaderboard(store, profile="mine")

    put_profile(store, MINE, "active")
    assert benchmaker.leaderboard(store, profile="mine").leaderboard.policy == "best"
    assert known_profiles(store)["mine"] == (MINE, "active")

    put_profile(store, MINE, "dropped")
    assert set(known_profiles(store)) == set(BUILT_IN)


def test_a_bundled_profile_is_never_in_shadow(store):
    with pytest.raises(SpecError, match="is built in"):
        put_profile(store, BUILT_IN["robust"], "shadow")


def test_the_document_of_every_profile_that_evaluates_is_kept(store):
    first = MINE.model_copy(update={"policy": "first"})
    for one in (MINE, first, BUILT_IN["robust"]):
        keep_profile(store, one)
        keep_profile(store, one)

    assert kept_profiles(store) == {MINE.id: MINE, first.id: first}
    assert profile_named(store, MINE.id) == MINE
    assert profile_named(store, "mine") == first
    assert listed_profiles(store)["mine"] == (first, "kept")
    assert set(known_profiles(store)) == set(BUILT_IN)
    put_profile(store, MINE, "active")
    assert profile_named(store, "mine") == MINE
    assert profiles_by_id(store)[first.id] == first


def test_two_documents_of_one_version_are_refused(store):
    first = MINE.model_copy(update={"version": "1"})
    keep_profile(store, first)
    with pytest.raises(SpecError, match="different content") as raised:
        keep_profile(store, first.model_copy(update={"policy": "last"}))
    assert "Change the version" in raised.value.hint


def test_a_profile_is_found_by_name_or_file(store, tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("name: own\nversion: '3'\npolicy: first\n")

    assert profile_named(store, "robust").id == "robust/2"
    assert profile_named(None, str(path)).id == "own/3"
    with pytest.raises(SpecError, match="unknown profile") as raised:
        profile_named(store, "clasic")
    assert "classic" in raised.value.hint


def real_rows():
    """Three systems at three tasks, most of them successful, with every figure."""
    return [
        a_row(
            n,
            task_id=f"t{n % 3}",
            system=f"s{n % 3 + n // 45}",
            success=n % 5 != 0,
            required_passed=n % 5 != 0,
            correctness=0.4 if n % 5 == 0 else 1.0,
        )
        for n in range(90)
    ]


def test_robust_keeps_every_strategy_below_the_median_and_classic_does_not():
    ranked = {name: ProfileRanking(BUILT_IN[name]) for name in ("classic", "robust")}
    found = {
        name: {
            strategy: all(one.is_kept_below for one in made if one.strategy == strategy)
            for strategy in STRATEGIES
        }
        for name, ranking in ranked.items()
        for made in [evaluate_gaming(real_rows(), ranking.composites)]
    }

    assert found["robust"] == dict.fromkeys(STRATEGIES, True)
    assert not all(found["classic"].values())


def test_profiles_are_compared_on_what_is_stored(store):
    put(store, real_rows())
    made, submissions = compared_profiles(store, BUILT_IN["classic"], BUILT_IN["robust"])

    assert submissions == 90
    assert (made.a.profile, made.b.profile) == ("classic/1", "robust/2")
    assert made.b.kept_below == made.b.gamed == (4 + 8) * 3
    assert made.tau is not None
    assert made.overlap is not None


def a_submission(number, version, day):
    return Submission(
        id=f"s{number}",
        system=System(harness="tool", harness_version=version, model="m"),
        finished_at=f"2026-01-{day:02}T00:00:00.000Z",
    )


def test_the_first_submission_of_a_version_is_its_marker():
    given = [a_submission(1, "2.0", 9), a_submission(2, "1.0", 2), a_submission(3, "2.0", 5)]
    found = version_markers(given)

    assert [[marker.text for marker in own] for own in found.values()] == [
        ["version 1.0", "version 2.0"]
    ]
    assert version_markers(given[:1]) == {}


def test_systems_are_followed_and_a_shift_is_found(store):
    rows = [
        a_row(
            n,
            task_id=f"t{n % 4}",
            finished_us=n * DAY_US // 4,
            success=n >= 40,
            required_passed=n >= 40,
            correctness=float(n >= 40),
        )
        for n in range(80)
    ]
    put(store, rows)
    made = system_trends(store, "robust", value="success", days=5)

    (trend,) = made.trends
    assert trend.change.is_alarm
    assert trend.change.after > trend.change.before
    assert made.to_dict()["systems"][0]["system"] == "a"
    with pytest.raises(SpecError, match="no system"):
        system_trends(store, systems=("b",))


def test_below_twenty_matched_submissions_no_change_is_looked_for(store):
    put(store, [a_row(n, finished_us=n * DAY_US) for n in range(10)])
    (trend,) = system_trends(store).trends

    assert trend.change is None
    assert "20 are needed" in trend.change_reason


def test_a_board_says_why_totals_of_tokens_are_left_out():
    rows = [a_row(n, fresh_tokens=None) for n in range(20)]
    words = "tokens of 20 submissions are excluded: total_tokens does not separate fresh tokens"
    assert words in str(benchmaker.leaderboard(rows, profile="robust").leaderboard.notes)
    whole = benchmaker.leaderboard([a_row(n) for n in range(20)], profile="robust").leaderboard
    assert "excluded" not in str(whole.notes)

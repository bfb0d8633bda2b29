"""A submission is deleted, and everything comes to rest as if it had never been there."""

import pytest

from benchmaker import evaluate
from benchmaker.arenas.agentic import delete_submission, leaderboard, reviews
from benchmaker.arenas.agentic.settling.stored_boards import INDEX
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.submissions.submission import TimeSpent, TokenUsage
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, many, rest, the_id, write_submissions

GONE = the_id(3)


def evaluated(home, submissions, *others):
    """A data folder with these submissions under classic, and under other profiles."""
    home.mkdir(parents=True, exist_ok=True)
    evaluate(write_submissions(home / "given.jsonl", submissions), home=home, profile="classic")
    for profile in others:
        evaluate(home=home, profile=profile)
    return home


def boards(home, profile):
    with Store.open(home / "benchmaker.db") as store:
        index = store.agentic.board(profile, INDEX)
        return {name: store.agentic.board(profile, name) for name in index["names"]}


def test_what_is_left_is_as_if_it_had_never_been_there(tmp_path):
    given = many(24)
    home = evaluated(tmp_path / "with", given, "robust")
    other = evaluated(tmp_path / "without", [one for one in given if one.id != GONE], "robust")

    made = delete_submission(GONE, home=home)

    assert made.settled == ("classic/1", "robust/2")
    assert made.boards > 0
    for profile in ("classic/1", "robust/2"):
        assert rest(home, profile) == rest(other, profile)
        named = boards(other, profile)
        assert {name: boards(home, profile)[name] for name in named} == named


def test_frozen_baselines_stay_and_a_new_one_follows(tmp_path):
    home = evaluated(tmp_path, [a_submission(number) for number in range(8)])

    delete_submission(GONE, home=home)

    with Store.open(home / "benchmaker.db") as store:
        kept = store.agentic.snapshots("classic/1", "t")
        newest = store.agentic.snapshot("classic/1", "t")
    assert [one.n for one in kept][-2:] == [8, 7]
    assert newest.number == kept[-1].number
    assert leaderboard(home=home).leaderboard.submissions == 7


def test_what_went_with_it_is_counted(tmp_path):
    home = evaluated(tmp_path, [a_submission(number) for number in range(8)])

    made = delete_submission(GONE[:24], home=home)

    assert made.submission_id == GONE
    assert made.task_id == "t"
    once = ["revisions", "figures", "notices", "evaluations"]
    assert [made.removed[name] for name in once] == [1, 1, 1, 1]
    assert made.to_dict()["deleted"] == [GONE]


def test_the_last_submission_to_a_task_takes_it_from_the_boards(tmp_path):
    given = [*(a_submission(number) for number in range(6)), a_submission(9, task="alone")]
    home = evaluated(tmp_path, given)

    delete_submission(the_id(9), home=home)

    assert leaderboard(home=home, task="alone").rows == ()
    assert leaderboard(home=home).leaderboard.submissions == 6


def test_one_that_no_task_was_known_of_goes_alone(tmp_path):
    home = evaluated(tmp_path, [a_submission(1), a_submission(2, task=None)])

    made = delete_submission(the_id(2), home=home)

    assert (made.task_id, made.settled, made.boards) == (None, (), 0)


def test_a_deleted_submission_that_comes_again_is_evaluated_again(tmp_path):
    given = [a_submission(number) for number in range(6)]
    home = evaluated(tmp_path, given)
    before = rest(home, "classic/1")

    delete_submission(GONE, home=home)
    evaluate(home / "given.jsonl", home=home, profile="classic")

    assert rest(home, "classic/1") == before


def test_its_review_goes_with_it(tmp_path):
    strange = a_submission(
        99, usage=TokenUsage(), total_tokens=12, tool_calls=1, time=TimeSpent(wall_s=1.0)
    )
    given = [*(a_submission(number) for number in range(8)), strange]
    home = evaluated(tmp_path, given)
    assert the_id(99) in {one.submission_id for one in reviews(home=home)}

    delete_submission(the_id(99), home=home)

    assert the_id(99) not in {one.submission_id for one in reviews(home=home)}


def test_nobody_deletes_while_another_evaluates(tmp_path):
    home = evaluated(tmp_path, [a_submission(1)])
    with Store.open(home / "benchmaker.db") as store:
        store.acquire_lease("evaluation", holder="other", ttl_s=60, pid=1, host="elsewhere")
        with pytest.raises(Conflict):
            delete_submission(the_id(1), home=home, wait_s=0.0)
        assert store.submission(the_id(1))


def test_an_unknown_submission_is_refused(tmp_path):
    home = evaluated(tmp_path, [a_submission(1)])
    with pytest.raises(SpecError, match="no submission 'nobody'"):
        delete_submission("nobody", home=home)

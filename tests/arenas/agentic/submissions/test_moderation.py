"""What people hand in who are no admins of a moderated team, and a moderator's word on it."""

import os
import shutil

import pytest

from benchmaker import evaluate
from benchmaker.arenas.agentic import leaderboard, reprice, verify_all
from benchmaker.arenas.agentic.submissions.moderation import moderate, moderation_rows
from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.errors import Conflict, SpecError
from benchmaker.record.submissions.evaluation import ModerationState
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission, rest, the_id, write_submissions
from tests.arenas.agentic.verify.made import a_task, written
from tests.on_postgresql import VARIABLE

CLASSIC = BUILT_IN["classic"]
NEW = the_id(50)
WAIT_S = 300


def evaluated(folder):
    """Eight submissions that count."""
    given = [a_submission(number) for number in range(8)]
    evaluate(write_submissions(folder / "given.jsonl", given), home=folder, profile="classic")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of evaluated submissions, for copies."""
    return evaluated(tmp_path_factory.mktemp("made"))


@pytest.fixture
def home(request, tmp_path):
    """A folder of evaluated submissions of one's own."""
    if VARIABLE in os.environ:  # what is in a database is not in the folder
        return evaluated(tmp_path)
    return shutil.copytree(request.getfixturevalue("made"), tmp_path, dirs_exist_ok=True)


@pytest.fixture
def store(home):
    with Store.open(home / "benchmaker.db") as opened:
        yield opened


@pytest.fixture
def desk(store, home):
    made = IntakeQueue(lambda: store, home, address=home / "benchmaker.db")
    yield made
    made.leave()


def hand_in(desk, home, *submissions, guest="max", **more):
    path = write_submissions(home / "sent.jsonl", submissions)
    handed = desk.submit(path, profile=CLASSIC, guest=guest, **more)
    return handed.found.kept, handed.rows(WAIT_S)


def boards(home):
    board = leaderboard(home=home, profile="classic").to_dict()
    return board | leaderboard(home=home, profile="classic", value="success", task="t").to_dict()


def everything(home):
    return rest(home, CLASSIC.id), boards(home)


def test_what_waits_changes_no_figure_of_anybody(home, desk):
    before = everything(home)
    kept, rows = hand_in(desk, home, a_submission(50), a_submission(51))
    assert (set(kept.values()), rows) == ({"waiting"}, ())
    for profile in ("classic", "robust"):
        ids = {row.submission_id for row in evaluate(home=home, profile=profile).rows}
        assert NEW not in ids
    reprice(home=home)
    assert everything(home) == before


def test_accepted_it_is_as_if_it_had_been_handed_in_without_a_word(home, desk, tmp_path):
    hand_in(desk, home, a_submission(50))
    made = moderate(NEW[:22], "accepted", actor="ada", home=home)
    assert made.settled == ("classic/1",)
    other = tmp_path / "other"
    given = [*(a_submission(number) for number in range(8)), a_submission(50)]
    other.mkdir()
    evaluate(write_submissions(other / "given.jsonl", given[:8]), home=other, profile="classic")
    evaluate(write_submissions(other / "given.jsonl", given[8:]), home=other, profile="classic")
    assert everything(home) == everything(other)


def test_rejected_it_never_counts_and_stays_listed(home, desk, store):
    before = everything(home)
    hand_in(desk, home, a_submission(50))
    moderate(NEW, "rejected", note="too good", actor="ada", home=home)
    assert hand_in(desk, home, a_submission(50))[0] == {NEW: "unchanged"}
    assert everything(home) == before
    (row,) = moderation_rows(store, ModerationState.REJECTED)
    told = row.to_dict()
    assert (told["submission_id"], told["note"], told["actor"]) == (NEW, "too good", "ada")
    assert told["figures"]["total_tokens"] == a_submission(50).total_tokens


def test_what_was_accepted_may_be_rejected_after_all_and_everything_settles(home, desk, store):
    before, board = rest(home, CLASSIC.id)[0], boards(home)
    hand_in(desk, home, a_submission(50))
    moderate(NEW, "accepted", home=home)
    made = moderate(NEW, "rejected", note="seen too late", home=home)
    assert made.settled == ("classic/1",)
    assert (rest(home, CLASSIC.id)[0], boards(home)) == (before, board)
    states = [str(it.state) for it in store.agentic.moderation_steps(NEW)]
    assert states == ["waiting", "accepted", "rejected"]


def test_a_revision_of_what_counts_waits_while_the_accepted_one_counts(home, desk, store):
    hand_in(desk, home, a_submission(50))
    moderate(NEW, "accepted", home=home)
    before = everything(home)
    assert hand_in(desk, home, a_submission(50, tool_calls=1))[0] == {NEW: "waiting"}
    evaluate(home=home, profile="classic")
    assert everything(home) == before
    moderate(NEW, "accepted", home=home)
    assert store.agentic.metrics_of(NEW).tool_calls == 1


def test_nobody_gets_round_it_with_somebody_elses_id(home, desk, store):
    before = everything(home)
    assert hand_in(desk, home, a_submission(3, tool_calls=999))[0] == {the_id(3): "waiting"}
    assert everything(home) == before
    assert store.submission(the_id(3)).tool_calls == a_submission(3).tool_calls


def test_another_task_makes_another_submission_that_waits_too(home, desk, store):
    hand_in(desk, home, a_submission(50))
    moderate(NEW, "accepted", home=home)
    kept, _ = hand_in(desk, home, a_submission(50), task="u")
    assert list(kept.values()) == ["waiting"]
    assert "u" not in store.agentic.metric_tasks()


def test_those_who_need_no_word_hand_in_as_before(home, desk):
    kept, rows = hand_in(desk, home, a_submission(50), guest=None)
    assert kept == {NEW: "new"}
    assert [row.submission_id for row in rows] == [NEW]


def test_what_another_process_takes_up_leaves_it_alone(home, desk, store):
    desk._took_s = 60.0
    hand_in(desk, home, a_submission(50))
    _, rows = hand_in(desk, home, a_submission(51), guest=None)
    assert [row.submission_id for row in rows] == [the_id(51)]
    assert store.agentic.metrics_of(NEW) is None
    desk.look_back()


def test_a_rejection_says_why(home, desk):
    hand_in(desk, home, a_submission(50))
    with pytest.raises(SpecError, match="needs a reason"):
        moderate(NEW, "rejected", note=" ", home=home)
    with pytest.raises(SpecError, match="accepted or rejected"):
        moderate(NEW, "waiting", home=home)


def test_what_does_not_wait_is_not_decided(home, desk):
    with pytest.raises(SpecError, match="no 'cli-"):
        moderate(the_id(1), "accepted", home=home)
    hand_in(desk, home, a_submission(50), a_submission(51))
    with pytest.raises(SpecError, match="may be any of"):
        moderate("cli-", "accepted", home=home)
    moderate(NEW, "accepted", home=home)
    with pytest.raises(Conflict, match="already counts"):
        moderate(NEW, "accepted", home=home)


def test_a_moderator_may_verify_it_first(home, desk, store, tmp_path):
    reads = {"type": "file_content", "path": "a.txt", "contains": ["right"]}
    task = a_task(tmp_path / "task", reads).folder
    hand_in(desk, home, a_submission(50, task="a-task"))
    written(tmp_path / "work" / NEW, {"a.txt": "right"})
    made = verify_all(tmp_path / "work", task=task, home=home)
    assert set(made.made) == {NEW}
    assert store.agentic.metrics_of(NEW) is None
    moderate(NEW, "accepted", home=home)
    assert str(store.agentic.metrics_of(NEW).evidence_level) == "verified"

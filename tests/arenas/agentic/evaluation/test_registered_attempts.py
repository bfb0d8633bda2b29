"""Attempts that are registered before the work, their results, and what boards make of them."""

import os
import shutil

import pytest

from benchmaker import evaluate
from benchmaker.arenas.agentic import delete_submission, leaderboard, submit
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking
from benchmaker.arenas.agentic.evaluation.registered_attempts import (
    attempt_of,
    attempt_statuses,
    bound_by,
    register,
)
from benchmaker.arenas.agentic.settling.stored_boards import write_boards
from benchmaker.arenas.agentic.submissions.moderation import moderate
from benchmaker.arenas.agentic.submissions.queue import IntakeQueue
from benchmaker.errors import Conflict, SpecError, StoreError
from benchmaker.record.submissions.submission import OutcomeOf, Status, System
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Store
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus
from tests.arenas.agentic.handed import a_submission, rest, the_id, write_submissions
from tests.on_postgresql import VARIABLE

CLASSIC = BUILT_IN["classic"]
MINE = System(harness="cli", model="m9")
LATE = {"started_at": "2099-01-01T00:00:00.000Z", "finished_at": "2099-01-01T00:01:00.000Z"}
SOLVED = OutcomeOf(status=Status.COMPLETED, success=True)


def evaluated(folder):
    """Thirty submissions of three systems."""
    given = [a_submission(number) for number in range(30)]
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
    made = IntakeQueue(lambda: store, home)
    yield made
    made.leave()


def mine(number, **more):
    return a_submission(number, **({"system": MINE, "outcome": SOLVED} | LATE | more))


def hand_in(desk, home, submission, **more):
    path = write_submissions(home / "sent.jsonl", [submission])
    return desk.submit(path, profile=CLASSIC, **more).rows(300)


def hand_in_all(desk, home, names, *, first=50, **more):
    """One for each attempt; all are evaluated once the last is, for which alone is waited."""
    *before, (number, name) = enumerate(names, start=first)
    for earlier, of in before:
        path = write_submissions(home / "sent.jsonl", [mine(earlier, **more)])
        desk.submit(path, profile=CLASSIC, attempt=of, waits=False)
    hand_in(desk, home, mine(number, **more), attempt=name)


def row_of(home, value="success", **more):
    rows = leaderboard(home=home, value=value, profile="classic", **more).rows
    return next((row for row in rows if row.system == MINE.name), None)


def test_each_has_its_place_and_is_listed_with_what_came_of_it(desk, home, store):
    ids = [it.id for it in register(store, "t", MINE, count=3, by="max")]
    hand_in(desk, home, mine(50), attempt=ids[1])
    found = [it.to_dict() for it in attempt_statuses(store, task="t", system=MINE.name)]
    assert [(it["attempt"], it["number"], it["of"]) for it in found] == [
        (ids[0], 1, 3), (ids[1], 2, 3), (ids[2], 3, 3),
    ]  # fmt: skip
    assert [it["submission_id"] for it in found] == [None, the_id(50), None]
    assert {it["without_result"] for it in found} == {2}
    assert attempt_of(store, store.submission(the_id(50))).attempt.id == ids[1]
    assert attempt_statuses(store, task="u") == ()


def test_what_is_left_out_counts_as_failed_and_the_scores_stay(desk, home, store):
    ids = [it.id for it in register(store, "t", MINE, count=10, by="max")]
    hand_in_all(desk, home, ids[:6])
    row, overall = row_of(home), row_of(home, "overall")
    assert (row.score, row.n, row.attempts) == (60.0, 10, 10)
    assert (row.registered, row.without_result) == (10, 4)
    assert (overall.n, overall.attempts, overall.without_result) == (6, 10, 4)
    total = leaderboard(home=home, profile="classic").leaderboard
    assert (total.submissions, total.not_evaluated) == (36, 0)


def test_the_score_of_what_was_handed_in_is_as_without_registering(desk, home, store, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    given = [*(a_submission(number) for number in range(30)), *(mine(50 + n) for n in range(6))]
    evaluate(write_submissions(other / "given.jsonl", given), home=other, profile="classic")
    ids = [it.id for it in register(store, "t", MINE, count=10)]
    hand_in_all(desk, home, ids[:6])
    assert row_of(home, "overall").score == row_of(other, "overall").score
    assert rest(home, CLASSIC.id)[0] == rest(other, CLASSIC.id)[0]
    others = [
        row for row in leaderboard(home=home, profile="classic").rows if row.system != MINE.name
    ]
    same = [
        row for row in leaderboard(home=other, profile="classic").rows if row.system != MINE.name
    ]
    assert [(it.score, it.n) for it in others] == [(it.score, it.n) for it in same]


def test_leaving_failures_out_never_ranks_above_handing_them_in(desk, home, store):
    ids = [it.id for it in register(store, "t", MINE, count=8)]
    hand_in_all(desk, home, ids[:6])
    left_out = row_of(home)
    failed = OutcomeOf(status=Status.FAILED, success=False)
    hand_in_all(desk, home, ids[6:], first=60, outcome=failed)
    handed_in = row_of(home)
    assert (left_out.score, left_out.rank) == (handed_in.score, handed_in.rank)
    assert (left_out.without_result, handed_in.without_result) == (2, 0)
    assert handed_in.registered == 8


def test_failures_at_another_task_count_there(desk, home, store):
    at_t = register(store, "t", MINE, count=5)
    register(store, "u", MINE, count=5)
    hand_in_all(desk, home, [it.id for it in at_t])
    assert (row_of(home).score, row_of(home).tasks) == (50.0, 2)


def test_where_nobody_hands_anything_in_nothing_changes(home, store):
    before = leaderboard(home=home, value="success").to_dict()
    register(store, "t", System(harness="cli", model="m1"), count=50, by="a rival")
    assert write_boards(store, ProfileRanking(CLASSIC)) == 0
    assert leaderboard(home=home, value="success", tool="cli").rows
    assert leaderboard(home=home, value="success").to_dict() == before


def test_what_waits_for_a_moderator_or_was_deleted_is_no_result(desk, home, store):
    ids = [it.id for it in register(store, "t", MINE, count=2, by="max")]
    hand_in(desk, home, mine(50), attempt=ids[0])
    hand_in(desk, home, mine(51), attempt=ids[1], guest="max")
    assert [it.has_result for it in attempt_statuses(store)] == [True, False]
    moderate(the_id(51), "accepted", home=home)
    assert (row_of(home).registered, row_of(home).without_result) == (2, 0)
    delete_submission(the_id(51), home=home)
    assert (row_of(home).registered, row_of(home).without_result) == (2, 1)
    assert len(attempt_statuses(store)) == 2


def test_an_attempt_has_one_result_of_its_own_task_and_system(desk, home, store):
    first, second = (it.id for it in register(store, "t", MINE, count=2))
    hand_in(desk, home, mine(50), attempt=first)
    hand_in(desk, home, mine(50), attempt=first)
    with pytest.raises(Conflict, match="already has a submission"):
        hand_in(desk, home, mine(51), attempt=first)
    with pytest.raises(Conflict, match="already belongs to another attempt"):
        hand_in(desk, home, mine(50), attempt=second)
    with pytest.raises(SpecError, match="is one of cli · m9 at t, and this is cli · m0 at t"):
        hand_in(desk, home, a_submission(60, **LATE), attempt=second)
    with pytest.raises(SpecError, match="no attempt 'a-none'"):
        hand_in(desk, home, mine(52), attempt="a-none")
    kept = {it.id for it in store.submissions()}
    assert not kept & {the_id(51), the_id(52), the_id(60)}


def test_of_two_handed_in_for_one_attempt_at_once_one_is_kept(store):
    (it,) = register(store, "t", MINE)
    stored = []

    def put(store, given):
        with pytest.raises(Conflict, match="already has a submission"):
            bound_by(put, it.id)(store, NewSubmission(mine(51)))
        stored.append(given.submission.id)
        return PutStatus.NEW

    assert bound_by(put, it.id)(store, NewSubmission(mine(50))) is PutStatus.NEW
    assert stored == [the_id(50)]
    (one,) = attempt_statuses(store)
    assert one.attempt.submission_id == the_id(50)


def on_a_full_disk(_store, _given):
    raise StoreError("the disk is full.")


def test_an_attempt_whose_result_could_not_be_stored_is_free_again(store):
    (it,) = register(store, "t", MINE)

    for number in (50, 51):
        with pytest.raises(StoreError):
            bound_by(on_a_full_disk, it.id)(store, NewSubmission(mine(number)))
    (one,) = attempt_statuses(store)
    assert one.attempt.submission_id is None


def test_a_result_that_is_sent_again_in_vain_stays_one(desk, home, store):
    (it,) = register(store, "t", MINE)
    hand_in(desk, home, mine(50), attempt=it.id)

    with pytest.raises(StoreError):
        bound_by(on_a_full_disk, it.id)(store, NewSubmission(mine(50)))
    (one,) = attempt_statuses(store)
    assert one.has_result


def test_what_began_before_it_was_registered_is_refused(desk, home, store):
    (it,) = register(store, "t", MINE)
    early = a_submission(50, system=MINE)
    with pytest.raises(SpecError, match="started before"):
        hand_in(desk, home, early, attempt=it.id)


def test_the_command_hands_in_for_an_attempt_too(home, store):
    (it,) = register(store, "t", MINE)
    path = write_submissions(home / "one.jsonl", [mine(50)])
    submit(path, task="t", attempt=it.id, home=home)
    (one,) = attempt_statuses(store)
    assert one.has_result
    (other,) = register(store, "u", MINE)
    with pytest.raises(SpecError, match="at u"):
        submit(path, task="t", attempt=other.id, home=home)


@pytest.mark.parametrize("count", [0, 101])
def test_so_many_are_registered_at_once(store, count):
    with pytest.raises(SpecError, match="at once"):
        register(store, "t", MINE, count=count)
    with pytest.raises(SpecError, match="not a valid name of a tool"):
        register(store, "t", System(harness="a · b"))

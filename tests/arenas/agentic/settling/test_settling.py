from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.evaluation.computed_evaluations import evaluation_of
from benchmaker.arenas.agentic.evaluation.profile import ProfileAtWork
from benchmaker.arenas.agentic.evaluation.profiles import profiles_by_id
from benchmaker.arenas.agentic.settling.settling import settle_tasks
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import EvidenceLevel
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.store import Message, Store
from tests.arenas.agentic.current_evaluations import evaluations_of_task

FAMILIES = st.sampled_from(["classic", "robust"])
TASKS = {"t": "debugging", "u": "debugging", "v": None}

figure = st.none() | st.integers(1, 10_000).map(float)


@st.composite
def rows(draw):
    """Up to 26 submissions to three tasks, two of one category."""
    count = draw(st.integers(1, 26))
    made = []
    for number in range(count):
        task = draw(st.sampled_from(sorted(TASKS)))
        made.append(
            Metrics(
                submission_id=f"s{number}",
                task_id=task,
                system="a",
                category=TASKS[task],
                finished_us=draw(st.integers(0, 5)),
                total_tokens=draw(figure),
                fresh_tokens=draw(figure),
                tool_calls=draw(figure),
                seconds=draw(figure),
                cost=draw(figure),
                correctness=1.0,
                success=draw(st.booleans()),
                evidence_level=draw(st.sampled_from(list(EvidenceLevel))),
            )
        )
    return made


def rest(store: Store, profile: str) -> tuple:
    """The snapshots and scores that count, whatever way led to them."""
    rooms = store.agentic
    snapshots = {task: rooms.snapshot(profile, task) for task in rooms.metric_tasks()}
    scores = {
        one.submission_id: (one.snapshot, one.overall_score, one.reason)
        for task in rooms.metric_tasks()
        for one in evaluations_of_task(store, profiles_by_id(store)[profile], task)
    }
    return {task: one.hash for task, one in snapshots.items()}, scores


@cache
def template() -> bytes:
    """An empty store: making one takes longer than filling it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        Store.open(path).close()
        return path.read_bytes()


def empty(path: Path) -> Path:
    path.write_bytes(template())
    path.chmod(0o600)
    return path


def worked(at_work: ProfileAtWork, given: list[Metrics], batches: list[int]) -> tuple:
    """Where all comes to rest after these batches."""
    with TemporaryDirectory() as folder, Store.open(empty(Path(folder) / "store.db")) as store:
        at = 0
        for size in [*batches, len(given)]:
            part = given[at : at + size]
            at += size
            changed = store.agentic.put_metrics((row, at_work.input_hash(row)) for row in part)
            settle_tasks(store, at_work, changed)
        return rest(store, at_work.profile)


@settings(max_examples=10, deadline=None)
@given(FAMILIES, rows(), st.data())
def test_order_and_batches_change_nothing_in_the_end(family, given_rows, data):
    at_work = ProfileAtWork(BUILT_IN[family])
    other = data.draw(st.permutations(given_rows))
    batches = data.draw(st.lists(st.integers(1, 10), max_size=2))

    assert worked(at_work, given_rows, []) == worked(at_work, other, batches)


def test_a_second_pass_finds_nothing_to_do(tmp_path):
    at_work = ProfileAtWork(BUILT_IN["robust"])
    with Store.open(tmp_path / "store.db") as store:
        changed = store.agentic.put_metrics([(a_row(1), "1"), (a_row(2), "2")])
        store.agentic.put_metrics([(row, at_work.input_hash(row)) for row in (a_row(1), a_row(2))])

        first = settle_tasks(store, at_work, changed, announce=notice)
        second = settle_tasks(store, at_work, changed, announce=notice)

        assert first.arrived == 2
        assert second == (0, 0, ())
        assert len(store.pending_messages()) == 2


def test_a_row_keeps_its_score_on_arrival(tmp_path):
    at_work = ProfileAtWork(BUILT_IN["classic"])
    with Store.open(tmp_path / "store.db") as store:
        for number in range(6):
            row = a_row(number, total_tokens=1_000.0 * (number + 1), tool_calls=3.0)
            changed = store.agentic.put_metrics([(row, at_work.input_hash(row))])
            settle_tasks(store, at_work, changed)

        rooms = store.agentic
        now = evaluation_of(store, "s0", BUILT_IN["classic"])
        arrival = rooms.evaluation("s0", "classic/1")
        assert now.snapshot == rooms.snapshot("classic/1", "t").hash
        assert arrival.snapshot != now.snapshot
        assert rooms.snapshot("classic/1", "t").number == 3


@settings(max_examples=10, deadline=None)
@given(FAMILIES, rows(), st.lists(st.integers(1, 10), max_size=3))
def test_each_submission_has_one_evaluation_written_and_every_other_is_computed(
    family, given_rows, batches
):
    """Every evaluation under every baseline is what the profile makes of the figures."""
    profile = BUILT_IN[family]
    at_work = ProfileAtWork(profile)
    with TemporaryDirectory() as folder, Store.open(empty(Path(folder) / "store.db")) as store:
        at = 0
        for size in [*batches, len(given_rows)]:
            part, at = given_rows[at : at + size], at + size
            changed = store.agentic.put_metrics((row, at_work.input_hash(row)) for row in part)
            settle_tasks(store, at_work, changed)

        rooms = store.agentic
        stored = Counter(one.submission_id for one in rooms.evaluations(profile.id))
        assert stored == Counter(row.submission_id for row in given_rows)
        for row in given_rows:
            arrival = rooms.evaluation(row.submission_id, profile.id)
            for snapshot in rooms.snapshots(profile.id, row.task_id):
                found = evaluation_of(store, row.submission_id, profile, snapshot=snapshot.hash)
                assert found == at_work.evaluate(row, snapshot)
                if snapshot.hash == arrival.snapshot:
                    assert plain(found) == plain(arrival)


def plain(one):
    """An evaluation as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(one))


def a_row(number: int, **figures) -> Metrics:
    return Metrics(submission_id=f"s{number}", task_id="t", system="a", **figures)


def notice(one) -> Message:
    return Message(topic="evaluated", dedupe_key=one.submission_id)

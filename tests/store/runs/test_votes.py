import pytest
from msgspec.structs import replace

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.vote import Vote, VoteOutcome
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.runs import votes
from tests.store.filled import MODELS, a_run, a_trial, add_run

RUN = a_trial(0).run_id
A, B = sorted(MODELS)[:2]


def a_vote(vote_id="v1", **fields):
    defaults = {
        "run_id": RUN, "case_id": "c", "model_a": A, "model_b": B, "left": B,
        "outcome": VoteOutcome.A, "viewports_seen": (375,), "ms_on_page": 5,
    }  # fmt: skip
    return Vote(id=vote_id, **{**defaults, **fields})


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        add_run(opened)
        yield opened


def test_a_vote_is_read_back_with_its_time(store):
    kept = store.votes.add(a_vote())
    assert kept.at
    assert store.votes.read([RUN]) == (kept,)


def test_a_person_has_one_vote_on_a_pair(store):
    store.votes.add(a_vote())
    with pytest.raises(Conflict, match="already voted"):
        store.votes.add(a_vote("v2"))
    store.votes.add(a_vote("v3", actor="ann"))
    store.votes.add(a_vote("v4", case_id="d"))
    assert len(store.votes.read([RUN])) == 3


def test_the_database_itself_keeps_to_one_vote_on_a_pair(store):
    """Two at the same moment see no standing vote, and only one of them is kept."""
    store.votes.add(a_vote())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(votes, "_current_vote", lambda *_: None)
        with pytest.raises(Conflict, match="just received a vote"):
            store.votes.add(a_vote("v2"))
    assert len(store.votes.read([RUN])) == 1


@pytest.mark.postgresql("no other test has its statements")
def test_a_vote_can_be_changed_and_the_old_one_stays_on_record(store):
    store.votes.add(a_vote())
    changed = store.votes.add(a_vote("v2", outcome=VoteOutcome.TIE), changes=True)
    assert store.votes.read([RUN]) == (changed,)
    everything = store.votes.read([RUN], with_undone=True)
    assert [it.counts for it in everything] == [False, True]


def test_a_vote_that_was_taken_back_makes_room(store):
    store.votes.add(a_vote())
    undone = store.votes.undo("v1", actor="local")
    assert not undone.counts
    assert store.votes.undo("v1", actor="local") == undone
    store.votes.add(a_vote("v2"))


@pytest.mark.postgresql("no other test has its statements")
def test_nobody_takes_back_the_vote_of_another(store):
    store.votes.add(a_vote())
    with pytest.raises(StoreError, match="no vote"):
        store.votes.undo("v1", actor="ann")


def test_ids_are_unique(store):
    store.votes.add(a_vote())
    with pytest.raises(Conflict, match="already"):
        store.votes.add(a_vote(case_id="d"))


@pytest.mark.postgresql("no other test has its statements")
def test_votes_are_found_by_case_and_by_person(store):
    first = store.votes.add(a_vote())
    store.votes.add(a_vote("v2", case_id="d", actor="ann"))
    assert store.votes.read([RUN], case_id="c") == (first,)
    assert store.votes.read([RUN], actor="local") == (first,)
    assert store.votes.read(["none"]) == ()


def test_votes_go_with_their_run(store):
    kept = store.votes.add(a_vote())
    assert replace(kept, at="") == a_vote()
    store.delete_run(RUN)
    assert store.check().counts["votes"] == 0


def test_a_prompt_is_the_messages_of_a_case_whatever_its_suite(store):
    """Cases p and q of one suite say the same, as does another id elsewhere; p of a third not."""
    first = Suite("first", [{"id": it, "prompt": "Say it."} for it in "pq"], scorer="exact")
    second = Suite("second", [{"id": "z", "prompt": "Say it."}], system_prompt="Be brief.")
    third = Suite("third", [{"id": "p", "prompt": "Say more."}], scorer="exact")
    pairs = [("r1", first, "p"), ("r1", first, "q"), ("r2", first, "p"), ("r3", second, "z"),
             ("r4", third, "p")]  # fmt: skip
    for run, suite, case in pairs:
        store.put_suite(suite)
        if run not in {it.id for it in store.runs()}:
            store.add_run(a_run(suite, run))
        store.votes.add(a_vote(f"{run}{case}", run_id=run, case_id=case))
    found = store.votes.prompts([run for run, _, _ in pairs])
    assert list(found) == [(run, case) for run, _, case in pairs]
    assert len(set(found.values())) == 2
    assert found["r4", "p"] not in {found[it] for it in found if it != ("r4", "p")}
    assert store.votes.prompts([RUN]) == {}


def test_cases_of_variables_alone_are_told_apart_by_suite_and_id(store):
    asked = [{"id": it, "vars": {"thing": "clock"}} for it in "pq"]
    texts = {"one": "Draw a {{ thing }}.", "two": "Sell a {{ thing }}."}
    suites = [Suite(it, asked, scorer="exact", prompts=[text]) for it, text in texts.items()]
    for suite in suites:
        store.put_suite(suite)
        store.add_run(a_run(suite, suite.name))
        for case in "pq":
            store.votes.add(a_vote(f"{suite.name}{case}", run_id=suite.name, case_id=case))
    assert len(set(store.votes.prompts(["one", "two"]).values())) == 4

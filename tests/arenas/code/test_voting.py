"""Votes as they are given: once, at a human pace, taken back only for a while."""

from pathlib import Path

import pytest

import benchmaker
from benchmaker.arenas.code.duels import drawn
from benchmaker.arenas.code.totals import page_totals, totals_of
from benchmaker.arenas.code.voting import MOST_A_MINUTE, UNDO_S, cast, standing_vote, take_back
from benchmaker.errors import Conflict, SpecError, StoreError
from benchmaker.record import Score
from benchmaker.store import Store
from benchmaker.store.votes import read_votes

CASES = MOST_A_MINUTE + 1


class Time:
    """A clock that a test sets."""

    now = 1_800_000_000.0

    def __call__(self) -> float:
        """The seconds since 1970."""
        return self.now


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def store(tmp_path: Path, time):
    suite = tmp_path / "suite.yaml"
    lines = [f"  - {{id: p{i}, prompt: p, expected: a}}\n" for i in range(CASES)]
    suite.write_text("name: pages\nscorer: exact\ncases:\n" + "".join(lines))
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(
        f'{{"id": "p{i}", "model": "{model}", "output": "a"}}\n'
        for i in range(CASES) for model in ("one", "two")
    ))  # fmt: skip
    benchmaker.run(suite, recorded=answers, home=tmp_path)
    with Store.open(tmp_path / "benchmaker.db", clock=time) as opened:
        yield opened


def duel(store, case="p0", voter="ann"):
    return drawn(store.runs(limit=1)[0].id, case, ("one", "two"), voter=voter)


def test_a_person_has_one_vote_on_a_pair(store):
    given = cast(store, duel(store), "left", voter="ann", viewports_seen=(375,))
    assert given.winner == duel(store).left
    with pytest.raises(Conflict, match="your vote already"):
        cast(store, duel(store), "tie", voter="ann")
    cast(store, duel(store, voter="bob"), "tie", voter="bob")
    assert len(read_votes(store.database, [given.run_id])) == 2


def test_a_vote_is_taken_back_within_seconds_and_can_then_be_given_anew(store, time):
    given = cast(store, duel(store), "left", voter="ann")
    with pytest.raises(StoreError):
        take_back(store, given, voter="bob")
    time.now += UNDO_S
    take_back(store, given, voter="ann")
    assert standing_vote(store, duel(store), voter="ann") is None
    again = cast(store, duel(store), "right", voter="ann")
    assert standing_vote(store, duel(store), voter="ann") == again


def test_a_vote_is_final_after_a_while(store, time):
    given = cast(store, duel(store), "left", voter="ann")
    time.now += UNDO_S + 6
    with pytest.raises(SpecError, match="can be taken back for 10 s"):
        take_back(store, given, voter="ann")


def test_more_votes_than_anybody_can_give_are_refused(store, time):
    for at in range(MOST_A_MINUTE):
        cast(store, duel(store, f"p{at}"), "tie", voter="ann")
    with pytest.raises(Conflict, match="within a minute"):
        cast(store, duel(store, f"p{MOST_A_MINUTE}"), "tie", voter="ann")
    cast(store, duel(store, "p0", "bob"), "tie", voter="bob")
    time.now += 61
    cast(store, duel(store, f"p{MOST_A_MINUTE}"), "tie", voter="ann")


def test_totals_are_those_of_the_scores_and_missing_ones_stay_missing(store):
    run = store.runs(limit=1)[0]
    assert len(totals_of(store, [run.id])) == 2 * CASES
    assert page_totals(None) == (None, None)
    detail = {"without_judge": 40.0, "total": 55.0}
    assert page_totals(Score.of(0.4, detail=detail)) == (None, 40.0)
    assert page_totals(Score.of(0.55, detail={**detail, "judges": []})) == (55.0, 40.0)
    assert page_totals(Score.of(0.0)) == (0.0, 0.0)
    assert page_totals(Score.of(0.0), is_judged=False) == (None, 0.0)

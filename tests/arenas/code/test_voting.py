"""Votes as they are given: once, at a human pace, taken back only for a while."""

from pathlib import Path

import pytest

import benchmaker
from benchmaker.analysis.ratings.vote_ratings import PageTotals
from benchmaker.arenas.code.duels import draw_pair
from benchmaker.arenas.code.totals import page_totals, totals_of
from benchmaker.arenas.code.voting import MOST_A_MINUTE, UNDO_S, cast, current_vote, take_back
from benchmaker.errors import Conflict, SpecError, StoreError
from benchmaker.record import Artifact, ArtifactKind, CheckResult
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.arenas.code_scores import criterion_lines
from benchmaker.store import Store
from tests.scoring.judged.test_code_judge import JUDGES, changed, scored

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
    return draw_pair(store.runs(limit=1)[0].id, case, ("one", "two"), voter=voter)


def test_a_person_has_one_vote_on_a_pair(store):
    given = cast(store, duel(store), "left", voter="ann", viewports_seen=(375,))
    assert given.winner == duel(store).left
    with pytest.raises(Conflict, match="already voted"):
        cast(store, duel(store), "tie", voter="ann")
    cast(store, duel(store, voter="bob"), "tie", voter="bob")
    assert len(store.votes.read([given.run_id])) == 2


def test_a_vote_is_taken_back_within_seconds_and_can_then_be_given_anew(store, time):
    given = cast(store, duel(store), "left", voter="ann")
    with pytest.raises(StoreError):
        take_back(store, given, voter="bob")
    time.now += UNDO_S
    take_back(store, given, voter="ann")
    assert current_vote(store, duel(store), voter="ann") is None
    again = cast(store, duel(store), "right", voter="ann")
    assert current_vote(store, duel(store), voter="ann") == again


def test_a_vote_is_final_after_a_while(store, time):
    given = cast(store, duel(store), "left", voter="ann")
    time.now += UNDO_S + 6
    with pytest.raises(SpecError, match="can be undone only within 10 s"):
        take_back(store, given, voter="ann")


def test_more_votes_than_anybody_can_give_are_refused(store, time):
    for at in range(MOST_A_MINUTE):
        cast(store, duel(store, f"p{at}"), "tie", voter="ann")
    with pytest.raises(Conflict, match="within a minute"):
        cast(store, duel(store, f"p{MOST_A_MINUTE}"), "tie", voter="ann")
    cast(store, duel(store, "p0", "bob"), "tie", voter="bob")
    time.now += 61
    cast(store, duel(store, f"p{MOST_A_MINUTE}"), "tie", voter="ann")


def test_votes_on_other_runs_and_withdrawn_ones_count_towards_the_limit(store, time, tmp_path):
    benchmaker.run(tmp_path / "suite.yaml", recorded=tmp_path / "answers.jsonl", home=tmp_path)
    second, first = (run.id for run in store.runs(limit=2))
    pairs = [draw_pair(run, "p0", ("one", "two"), voter="ann") for run in (first, second)]
    for at in range(MOST_A_MINUTE):
        take_back(store, cast(store, pairs[at % 2], "tie", voter="ann"), voter="ann")
    with pytest.raises(Conflict, match="within a minute"):
        cast(store, pairs[0], "tie", voter="ann")
    time.now += 61
    cast(store, pairs[0], "tie", voter="ann")


def test_pages_of_other_scorers_have_neither_total_nor_checks(store):
    run = store.runs(limit=1)[0]
    found = totals_of(store, [run.id])
    assert len(found) == 2 * CASES
    nothing = PageTotals(judge=None, checks=None)
    assert set(found.values()) == {nothing}
    assert page_totals(None) == nothing


def test_a_judged_page_has_both_totals_and_an_unjudged_one_its_checks_alone():
    half = (
        CheckResult(index=1, text="x", passed=True),
        CheckResult(index=2, text="y", passed=False, message="no"),
    )
    judged, _ = scored(changed(checks=half), models=JUDGES)
    assert page_totals(judged)[:2] == (pytest.approx(100 * judged.score), 25)
    alone, _ = scored(changed(checks=half))
    assert page_totals(alone)[:2] == (None, 25)
    values = {line.name: line.values[0] for line in criterion_lines([alone])}
    both = (20 * values["Functionality"] + 10 * values["Responsiveness"]) / 30
    assert page_totals(alone).probe == pytest.approx(both)
    failed, _ = scored(changed(checks=half), lambda *_: "no reply", models=JUDGES)
    assert page_totals(failed)[:2] == (None, 25)
    assert [page_totals(it).failed for it in (judged, alone, failed)] == ["", "", "judge"]


def test_an_answer_without_code_has_nothing_of_what_was_asked_of_it():
    empty = PreparedAnswer(artifact=Artifact(kind=ArtifactKind.NONE, reason="no code"))
    assert page_totals(scored(empty, models=JUDGES)[0]) == (0, 0, None, False, "")
    assert page_totals(scored(empty)[0]) == (None, 0, None, False, "")


def test_the_lines_of_a_judged_page_add_up_to_its_total():
    judged, _ = scored(changed(page_errors=("boom",)), models=JUDGES)
    *criteria, total, checks = criterion_lines([judged])
    added = sum(float(it.weight) * it.values[0] for it in criteria) / 100
    assert total.name == "Total"
    assert total.values == (pytest.approx(added),) == (pytest.approx(100 * judged.score),)
    assert checks.values == (0,)


def test_an_unjudged_page_has_no_total_and_says_what_was_not_judged():
    alone, _ = scored()
    lines = {it.name: it.texts for it in criterion_lines([alone])}
    assert lines == {
        "Visual accuracy": ("not judged",),
        "Code quality": ("not judged",),
        "Functionality": ("100.0",),
        "Responsiveness": ("100.0",),
        "Checks passed": ("0.0",),
    }

"""Suites of improved pages keep what the scores of both pages depend on."""

import pytest

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.arenas.code.prompt_suite import suite_of_stored_page
from benchmaker.providers.scripted import Scripted
from benchmaker.record import TrialKey
from benchmaker.store import Store

SHOWN = ScorerSpec(id="code_judge", vision=True, repeats=2)
CASES = [
    Case(id="of suite", prompt="A page."),
    Case(id="own", prompt="Another page.", scorer=ScorerSpec(id="code_judge", quick=True)),
]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def run_id(home):
    suite = Suite("pages", CASES, scorer=SHOWN, judge_prompt="Look at the colours.")
    made = benchmaker.run(
        suite,
        provider=Scripted(lambda _: "No page yet.", models=["m"]),
        home=home,
        options=RunOptions(judge={"models": []}),
    )
    return made.run_ids[0]


def improved(home, run_id, case_id):
    with Store.open(home / "benchmaker.db") as store:
        return suite_of_stored_page(store, TrialKey(run_id, "m", case_id), "Now write it.")


def test_the_judge_sees_both_pages_alike(home, run_id):
    suite = improved(home, run_id, "of suite")
    assert suite.scorer == SHOWN
    assert suite.judge_prompt == "Look at the colours."


def test_a_case_keeps_its_own_scorer(home, run_id):
    assert improved(home, run_id, "own").scorer == ScorerSpec(id="code_judge", quick=True)


def test_what_a_later_judging_showed_counts(home, run_id):
    seen = ScorerSpec(id="code_judge", vision=False, repeats=2)
    benchmaker.rescore(run_id, scorer=seen, home=home, options=RunOptions(judge={"models": []}))
    assert improved(home, run_id, "of suite").scorer == seen

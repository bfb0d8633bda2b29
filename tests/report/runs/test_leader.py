"""The leader of runs in lists: its verdict states how many cases it is based on."""

import json

from benchmaker import Case, Suite, run
from benchmaker.analysis import compare
from benchmaker.report.result_tables.comparisons import PairsView
from benchmaker.report.result_tables.overview import Overview
from benchmaker.report.runs.leader import leader_of
from benchmaker.report.runs.text import summary_text
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE


def _recorded(home, right: dict[str, str]):
    """A run with recorded answers: 1 is right, 0 wrong, a blank a timeout."""
    cases = [Case(id=f"c{n}", prompt=f"{n}?", expected="yes") for n in range(12)]
    lines = [
        {"model": name, "id": f"c{n}", "output": "yes" if mark == "1" else "no"}
        if mark != " "
        else {"model": name, "id": f"c{n}", "outcome": "timeout", "error": "timed out"}
        for name, marks in right.items()
        for n, mark in enumerate(marks)
    ]
    answers = home / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, lines)))
    return run(Suite("yes", cases, scorer="exact"), recorded=answers, home=home)


def _leader(home, result):
    with Store.open(home / STORE_FILE) as store:
        return leader_of(store, result.run_ids)


def test_a_verdict_in_which_the_best_does_not_lead_states_its_cases(tmp_path):
    made = _recorded(tmp_path, {"alpha": "111111110011", "beta": "01111111    "})
    leader = _leader(tmp_path, made)
    assert leader.model == "beta"
    assert "over 8 of 12 cases" in leader.verdict


def test_equal_scores_in_the_common_cases_are_no_difference_over_these(tmp_path):
    made = _recorded(tmp_path, {"alpha": "111111110000", "beta": "11111111    "})
    leader = _leader(tmp_path, made)
    assert leader.model == "beta"
    assert leader.verdict.endswith(", over 8 of 12 cases.")


def test_a_case_scored_for_one_model_counts_as_scored_in_the_title_and_beside_differences(tmp_path):
    made = _recorded(tmp_path, {"alpha": " 11111111110", "beta": "1 1111110111"})
    pairs = PairsView(compare(made.columns(), made.runs), "alpha")
    assert "2 models, 12 cases scored" in summary_text(made.summary)
    assert Overview(made.summary, pairs).difference_cases == "over 10 of 12 cases"
    missing = _recorded(tmp_path, {"alpha": " 11111111110", "beta": " 11111110111"})
    assert "2 models, 11 of 12 cases scored" in summary_text(missing.summary)

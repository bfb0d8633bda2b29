"""What ``rank`` says of a model without a score, and a gate of a mean close to its threshold."""

import json

import pytest


@pytest.fixture
def run(cli, tmp_path):
    """Runs a suite of recorded answers; of each model, the cases from 0 on that it gets right."""

    def call(n_cases, right, *words, silent=(), code=0):
        cases = [{"id": f"c{at}", "prompt": f"{at}?", "expected": str(at)} for at in range(n_cases)]
        suite, answers = tmp_path / "suite.json", tmp_path / "answers.jsonl"
        suite.write_text(json.dumps({"name": "plain", "scorer": "exact", "cases": cases}))
        lines = [
            {"model": model, "id": f"c{at}", "output": str(at) if at < wins else "no"}
            for model, wins in right.items()
            for at in range(n_cases)
        ]
        lines += [
            {"model": model, "id": f"c{at}", "outcome": "timeout", "error": "no answer came"}
            for model in silent
            for at in range(n_cases)
        ]
        answers.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return cli("run", suite, "--recorded", answers, *words, "--json", code=code)

    return call


@pytest.mark.parametrize("form", [(), ("--markdown",)])
def test_rank_names_a_model_of_which_nothing_is_scored(cli, run, form):
    run(12, {"aurora": 9, "basalt": 4}, silent=("cobalt", "dune"), code=4)
    said = cli("rank", *form).stdout
    assert "Not ranked (no scores): cobalt, dune." in " ".join(said.split())
    data = cli("rank", "--json").data
    assert "not ranked (no scores): cobalt, dune" in data["warnings"]
    assert [one["model"] for one in data["models"]] == ["aurora", "basalt"]


def test_rank_names_nobody_where_all_are_scored(cli, run):
    run(12, {"aurora": 9, "basalt": 4})
    assert "Not ranked" not in cli("rank").stdout


def test_a_mean_at_the_threshold_is_not_to_be_told_by_a_number_of_cases(run):
    ran = run(20, {"m": 16}, "--threshold", 80.5, "--gate", "sure", code=5)
    assert ran.data["gate"]["models"][0]["more_cases"] > 20 * 100
    told = "too close to the threshold to decide the gate with a realistic number of cases."
    assert told in ran.stderr
    assert "more cases" not in ran.stderr


def test_a_realistic_number_of_further_cases_is_said(run):
    ran = run(20, {"m": 16}, "--threshold", 70, "--gate", "sure", code=5)
    more = ran.data["gate"]["models"][0]["more_cases"]
    assert f"To decide the gate, you need about {more} more cases like these." in ran.stderr

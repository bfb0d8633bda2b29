"""The pass rate: the share of answers that reached the threshold of their checks."""

import json
import xml.etree.ElementTree as ET

import pytest

WORDS = ("one", "two", "three", "four")
CHECKS = [{"type": "contains", "value": word} for word in WORDS]
MOST = {"weak": 2, "strong": 4, "even": 3}
"""Models out of rank order: the answer to case k has k mod 5 words, at most so many."""
CASES = 20


def held(model, at):
    return min(at % 5, MOST[model])


def share(model, threshold, cases=CASES):
    """The share of cases in which the words reach the threshold, counted plainly."""
    return sum(held(model, at) / 4 >= threshold for at in range(cases)) / cases


@pytest.fixture
def words(tmp_path, monkeypatch):
    """Write a suite with more keys, and answers of three models; return their options."""
    monkeypatch.chdir(tmp_path)
    answers = [
        {"id": f"c{at}", "model": model, "output": " ".join(WORDS[: held(model, at)]) or "none"}
        for model in MOST
        for at in range(CASES)
    ]
    text = "\n".join(map(json.dumps, answers))
    (tmp_path / "answers.jsonl").write_text(text, encoding="utf-8")

    def write(own=lambda _: {}, **more):
        cases = [{"id": f"c{at}", "prompt": f"{at}?", **own(at)} for at in range(CASES)]
        suite = {"name": "words", "checks": CHECKS, "cases": cases, **more}
        (tmp_path / "suite.json").write_text(json.dumps(suite), encoding="utf-8")
        return "run", "suite.json", "--recorded", "answers.jsonl"

    return write


def models(cli):
    return cli("results", "latest", "--json").data["models"]


def rates(cli):
    return {one["model"]: one["metrics"]["pass_rate"] for one in models(cli)}


@pytest.mark.parametrize("threshold", [0.5, 0.75])
def test_it_is_the_share_of_answers_that_reach_the_threshold(cli, words, threshold):
    cli(*words(threshold=threshold))
    found = {model: rate["mean"] for model, rate in rates(cli).items()}
    assert found == {model: pytest.approx(share(model, threshold)) for model in MOST}


def test_without_a_threshold_there_is_none(cli, words):
    cli(*words())
    assert all("metrics" not in one or not one["metrics"] for one in models(cli))


def test_cases_without_a_threshold_do_not_count(cli, words):
    cli(*words(own=lambda at: {"threshold": 0.5} if at < CASES // 2 else {}))
    found = {model: (rate["n"], rate["mean"]) for model, rate in rates(cli).items()}
    half = CASES // 2
    assert found == {model: (half, pytest.approx(share(model, 0.5, half))) for model in MOST}


def test_models_are_compared_by_it(cli, words):
    cli(*words(threshold=0.75))
    pairs = cli("compare", "latest", "--metric", "pass_rate", "--json").data["pairs"]
    found = {(one["model_a"], one["model_b"]): one["diff"] for one in pairs}
    assert len(found) == 3
    assert found == {(a, b): pytest.approx(share(a, 0.75) - share(b, 0.75)) for a, b in found}


def test_failures_in_junit_are_the_answers_that_do_not_pass(cli, words):
    cli(*words(threshold=0.75))
    root = ET.fromstring(cli("export", "latest", "--format", "junit").stdout)  # noqa: S314  ours
    failed = {one.get("name"): int(one.get("failures")) for one in root.iter("testsuite")}
    assert failed == {model: CASES - round(CASES * share(model, 0.75)) for model in MOST}


def test_a_threshold_of_a_run_is_decided_by_it(cli, words):
    gate = ("--model", "strong", "--gate-metric", "pass_rate", "--threshold")
    assert share("strong", 0.75) == 0.4
    cli(*words(threshold=0.75), *gate, "40", code=0)
    cli(*words(threshold=0.75), *gate, "41", code=1)


def test_the_threshold_of_a_run_needs_one_of_the_suite(cli, words):
    refused = cli(*words(), "--gate-metric", "pass_rate", "--threshold", "40", code=2)
    assert "unknown metric 'pass_rate'" in refused.stderr


def test_no_check_can_take_its_name(cli, words):
    named = [{**CHECKS[0], "metric": "pass_rate"}]
    refused = cli(*words(checks=named), code=2)
    assert "'pass_rate' is a metric of tables; choose another name" in refused.stderr

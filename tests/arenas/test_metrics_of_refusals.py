"""An answer that the suite's policy scores 0 counts as 0 in every metric of its checks."""

import pytest

from benchmaker import Suite, compare, power, rank, rescore, run, trend
from benchmaker.analysis.summary.gate import Gate
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason
from benchmaker.report.result_tables.named_metrics import named_means
from benchmaker.report.tables.trial_rows import trial_row
from benchmaker.scoring.score import explain

CASES, PLAIN = 20, 2
ANSWERS = {"refuser": (7, 7), "honest": (13, 0)}
"""The numbers of right and of refused answers; the others are empty, or a wrong text."""

FACTS = {"type": "contains", "value": "yes", "metric": "facts"}
TONE = {"type": "contains", "value": "bad", "not": True, "metric": "tone", "weight": 0}
INSIDE = {"type": "set", "checks": [{"type": "contains", "value": "yes", "metric": "inner"}]}


def _answer(asked):
    number = int(asked.messages[-1].content)
    right, refused = ANSWERS[asked.model]
    if number < right:
        return Completion(text="yes")
    if number < right + refused:
        return Completion(text="no, I refuse", finish=FinishReason.REFUSAL)
    return Completion(text="" if asked.model == "refuser" else "no")


def _run(home, **settings):
    """Twenty cases with the checks, and two whose only check has no metric."""
    checked = [
        {"id": f"c{n}", "prompt": str(n), "checks": [FACTS, TONE, INSIDE]} for n in range(CASES)
    ]
    plain = [
        {"id": f"p{n}", "prompt": str(CASES + n), "checks": [{"type": "contains", "value": "yes"}]}
        for n in range(PLAIN)
    ]
    suite = Suite("s", [*checked, *plain], profile="robust", **settings)
    answers = Scripted(_answer, models=tuple(ANSWERS))
    return run(suite, provider=answers, home=home)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return _run(tmp_path_factory.mktemp("refusals"))


def _figures(result):
    return {(one.model, one.metric): (one.figures.mean, one.figures.n) for one in _named(result)}


def _named(result):
    return named_means(result.summary)


def test_refused_and_empty_answers_are_zeros_of_every_metric_of_their_checks(made):
    expected = {("refuser", name): (7 / CASES, CASES) for name in ("facts", "tone", "inner")}
    found = _figures(made)
    assert {key: found[key] for key in expected} == expected
    assert found["honest", "facts"] == (13 / CASES, CASES)
    assert found["honest", "tone"] == (1.0, CASES)


def test_a_policy_that_leaves_them_out_leaves_them_out_of_metrics(tmp_path):
    policies = {"refused": "leave_out", "empty": "zero"}
    found = _figures(_run(tmp_path, policies=policies))
    assert found["refuser", "facts"] == (7 / 13, 13)


@pytest.mark.parametrize("is_sure", [False, True])
def test_a_gate_by_a_metric_counts_refusals(made, is_sure):
    result = Gate(0.9, is_sure, "facts").decide(made.summary, made.columns)
    refuser = next(one for one in result.decisions if one.model == "refuser")
    assert (refuser.verdict.value, refuser.mean, refuser.n_cases) == ("fail", 0.35, CASES)


def test_comparisons_rankings_and_trends_count_refusals(made):
    (pair,) = compare(made, metric="facts").pairs
    assert (pair.n, abs(pair.diff)) == (CASES, pytest.approx(6 / CASES))
    assert rank(made, metric="facts").models[0].model == "honest"
    assert power(made, n=40, metric="facts").to_dict()["n"] == 40
    points = [one for model in trend([made, made], metric="facts").models for one in model.points]
    assert {round(one.mean, 6) for one in points} == {7 / CASES, 13 / CASES}


def test_the_rows_and_the_explanation_name_the_reason(made):
    trial = next(it for it in made.trials() if (it.model, it.case_id) == ("refuser", "c7"))
    row = trial_row(trial)
    reason = "refused: scored 0 by the suite's policy"
    assert row["passed"] is False
    assert [(one["passed"], one["score"], one["reason"]) for one in row["checks"]] == [
        (False, 0.0, reason)
    ] * 3
    assert explain(trial.score) == [reason]


def test_scoring_stored_answers_again_gives_the_same_metrics(made):
    assert _figures(rescore(made.runs[0].id, home=made.place.home)) == _figures(made)

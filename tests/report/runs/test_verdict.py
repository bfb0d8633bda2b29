"""The result of real runs in sentences: the leader, the lead, its certainty, and the cost."""

from contextlib import suppress

import pytest

from benchmaker import Case, RunOptions, ScorerSpec, Suite, run
from benchmaker.analysis import compare
from benchmaker.errors import AnalysisError, ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.runs.text import summary_text
from benchmaker.report.runs.verdict import result_sentences

CASES = 30


@pytest.fixture
def ran(tmp_path):
    """Run models that answer so many of 30 cases right, each request at a cost."""

    def make(right, *, costs=None, failing=(), runs=1, scorer="exact"):
        def answer(request):
            number = int(request.case_id[1:])
            if (request.model, number) in failing:
                raise ProviderError("the server is down")
            text = "Paris" if number < right[request.model] else "Rome"
            return Completion(text=text, cost_usd=(costs or {}).get(request.model))

        cases = tuple(
            Case(id=f"c{at}", prompt=f"Capital {at}?", expected="Paris") for at in range(CASES)
        )
        suite = Suite(name="capitals", cases=cases, scorer=ScorerSpec(id=scorer))
        return run(
            suite,
            provider=Scripted(answer, models=tuple(right)),
            options=RunOptions(runs=runs),
            home=tmp_path / "home",
        )

    return make


def sentences(result):
    comparison = None
    with suppress(AnalysisError):
        comparison = compare(result.columns(), result.runs)
    return result_sentences(result.summary, comparison)


def test_one_model_has_its_figure_with_its_interval(ran):
    assert sentences(ran({"aurora": 24})) == [
        "aurora has an accuracy of 80.0%, 95% CI [62.7, 90.5]."
    ]


def test_one_model_has_its_cost_in_the_next_sentence(ran):
    said = sentences(ran({"aurora": 24}, costs={"aurora": 0.01}))
    assert said[1:] == ["Cost: aurora $0.30."]


def test_a_model_without_a_score_has_no_figure(ran):
    failing = {("aurora", at) for at in range(CASES)}
    assert sentences(ran({"aurora": 24}, failing=failing)) == ["No scores."]


def test_of_two_models_the_better_leads_by_points_with_an_interval_at_a_cost(ran):
    said = sentences(ran({"aurora": 28, "basalt": 18}, costs={"aurora": 0.02, "basalt": 0.001}))
    assert said == [
        "aurora beats basalt by 33.3 points (95% CI 18.2 to 51.2).",
        "Cost: aurora $0.60, basalt $0.03.",
    ]


def test_a_lead_that_chance_explains_is_not_significant(ran):
    (said,) = sentences(ran({"aurora": 19, "basalt": 18}))
    assert said.startswith("No significant difference: aurora leads basalt by 3.3 points (95% CI ")


def test_equal_scores_on_every_case_are_no_difference(ran):
    assert sentences(ran({"aurora": 18, "basalt": 18})) == [
        "No difference: aurora and basalt have the same score in every case."
    ]


def test_of_three_models_the_best_two_are_compared_and_the_other_pairs_counted(ran):
    costs = {"aurora": 0.02, "basalt": 0.001, "cobalt": 0.5}
    verdict, others, cost = sentences(ran({"basalt": 18, "cobalt": 3, "aurora": 28}, costs=costs))
    assert verdict.startswith("aurora beats basalt by 33.3 points (95% CI ")
    assert "Holm-adjusted over 3 pairs" in verdict
    assert others == "3 of 3 pairs differ significantly."
    assert cost == "Cost: aurora $0.60, basalt $0.03; all 3 models $15.63."


def test_the_cost_of_all_models_is_a_minimum_if_that_of_one_is_unknown(ran):
    right = {"aurora": 28, "basalt": 18, "cobalt": 3}
    *_, cost = sentences(ran(right, costs={"aurora": 0.02, "basalt": 0.001}))
    assert cost == "Cost: aurora $0.60, basalt $0.03; all 3 models at least $0.63."


def test_a_series_of_runs_is_compared_over_all_of_them(ran):
    result = ran({"aurora": 28, "basalt": 18}, costs={"aurora": 0.02}, runs=2)
    verdict, cost = sentences(result)
    assert verdict.startswith("aurora beats basalt by 33.3 points (95% CI ")
    assert cost == "Cost: aurora $1.20, basalt unknown."


def test_no_cost_is_named_where_none_is_known(ran):
    assert not any("Cost" in said for said in sentences(ran({"aurora": 28, "basalt": 18})))


def test_a_cost_that_lacks_trials_is_a_minimum(ran):
    result = ran({"aurora": 24}, costs={"aurora": 0.01}, failing={("aurora", 0)})
    assert sentences(result)[1] == "Cost: aurora at least $0.29 (29 of 30 trials known)."


def test_failures_are_counted_above_the_table_and_change_no_verdict(ran):
    result = ran({"aurora": 28, "basalt": 18}, failing={("basalt", 0), ("basalt", 29)})
    text = summary_text(result.summary, result=sentences(result))
    above = " ".join(text.partition("\n\n")[0].split())
    assert above.startswith("aurora beats basalt by ")
    assert "2 of 30 trials of basalt failed and are excluded from the mean: " in above
    assert "28/30" in text


def test_a_single_model_with_scores_is_compared_with_none(ran):
    failing = {("basalt", at) for at in range(CASES)}
    (said,) = result_sentences(ran({"aurora": 28, "basalt": 18}, failing=failing).summary, None)
    assert said == "Only aurora has scores: accuracy 93.3%, 95% CI [78.7, 98.2]."


def test_models_that_are_not_compared_have_a_leader_and_no_test(ran):
    summary = ran({"aurora": 28, "basalt": 18}).summary
    (said,) = result_sentences(summary, None)
    assert said == (
        "aurora has the highest accuracy, 93.3%, 95% CI [78.7, 98.2]. "
        "Differences between models are not tested."
    )
    (tied,) = result_sentences(ran({"basalt": 9, "cobalt": 9, "dolomite": 9}).summary, None)
    assert tied == "basalt and 2 other models share the highest accuracy, 30.0%."


@pytest.mark.parametrize("right", [{"aurora": 24}, {"aurora": 28, "basalt": 18, "cobalt": 3}])
@pytest.mark.parametrize("runs", [1, 2])
def test_at_most_two_lines_stand_below_the_table_at_80_columns(ran, right, runs):
    result = ran(right, costs={"aurora": 0.02}, runs=runs)
    text = summary_text(result.summary, result=sentences(result))
    above, table, *repeats, below = text.split("\n\n")
    assert repeats == ["Repeats: no case differs in score over 2 runs."] * (runs - 1)
    assert above.splitlines()[0].startswith("aurora ")
    assert table == summary_text(result.summary, detail="rows").rstrip("\n")
    assert len(below.splitlines()) <= 2
    assert max(map(len, text.splitlines())) <= 80


def test_too_few_differing_cases_are_named_below_the_verdict(tmp_path):
    cases = tuple(
        Case(id=f"c{at}", prompt=f"{at}?", expected="Paris", weight=1 + at % 2) for at in range(8)
    )
    suite = Suite(name="capitals", cases=cases, scorer=ScorerSpec(id="exact"))

    def answer(request):
        wrong = request.model == "basalt" and request.case_id in ("c0", "c1")
        return "Rome" if wrong else "Paris"

    made = Scripted(answer, models=("aurora", "basalt"))
    result = run(suite, provider=made, home=tmp_path / "home")
    said = sentences(result)
    assert said[1] == "2 of 8 cases differ; at least 6 must for a significant result."

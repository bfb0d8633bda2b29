import pytest

from benchmaker import estimate
from benchmaker.engine.runs.estimate import Span
from benchmaker.engine.runs.judge_estimate import JudgingPlan, judges_estimate
from benchmaker.providers.prices.rates import Rate, RateCard
from benchmaker.record import JudgeTotals
from benchmaker.spec import Case, JudgeSpec, ScorerSpec, Suite

CARD = RateCard(input=Rate(1.0), output=Rate(4.0))


def a_suite(number=4, expected="42", **scorer):
    cases = tuple(Case(id=f"c{n}", prompt="40 + 2?", expected=expected) for n in range(number))
    return Suite("sums", cases, scorer=ScorerSpec(id="llm_judge", **scorer))


def estimated(suite, *models, stored=None, asked=2, runs=3, **options):
    chosen = JudgeSpec.model_validate({"models": list(models or ("j",)), **options})
    cards = dict.fromkeys(models or ("j",), CARD)
    judged = JudgingPlan(suite=suite, chosen=chosen, cards=cards, stored=stored or {})
    return judges_estimate(judged, suite.cases, models=asked, runs=runs, max_tokens=100)


@pytest.mark.parametrize(
    ("scorer", "repeats", "questions"),
    [
        ({}, 1, 24),
        ({}, 3, 72),
        ({"criteria": [{"id": "a"}, {"id": "b"}]}, 1, 24),  # all criteria in one question
        ({"mode": "pairwise"}, 2, 96),  # both orders
    ],
)
def test_questions_are_trials_times_repeats_times_orders(scorer, repeats, questions):
    (one,) = estimated(a_suite(**scorer), repeats=repeats)
    assert one.requests == questions


@pytest.mark.parametrize(("repeats", "questions"), [(1, 24), (3, 72)])
def test_pages_have_a_question_per_trial_and_repeat_to_each_judge(repeats, questions):
    cases = tuple(Case(id=f"c{n}", prompt="A page.") for n in range(4))
    pages = Suite("pages", cases, scorer=ScorerSpec(id="code_judge"))
    parts = estimated(pages, "j", "k", repeats=repeats)
    assert [it.requests for it in parts] == [questions] * 2
    assert all(0 < it.cost_usd.low < it.cost_usd.high for it in parts)


def test_the_cost_of_pictures_is_unknown():
    pages = Suite(
        "pages", (Case(id="c", prompt="A."),), scorer=ScorerSpec(id="code_judge", vision=True)
    )
    (one,) = estimated(pages)
    assert (one.requests, one.cost_usd, one.reason) == (
        6, None, "number of tokens of pictures unknown",
    )  # fmt: skip


def test_each_run_is_judged_and_equal_answers_of_one_run_share_their_judgments():
    (one,) = estimated(a_suite(), asked=2, runs=3)
    (alone,) = estimated(a_suite(), asked=1, runs=3)
    assert one.cost_usd.low == alone.cost_usd.low
    assert one.cost_usd.high == 2 * alone.cost_usd.high
    (once,) = estimated(a_suite(), asked=1, runs=1)
    assert alone.cost_usd.low == pytest.approx(3 * once.cost_usd.low, abs=2e-6)
    assert alone.cost_usd.high == pytest.approx(3 * once.cost_usd.high, abs=2e-6)


def test_each_judge_of_a_panel_has_its_own_part():
    first, second = estimated(a_suite(), "j", "k")
    assert (first.model, second.model) == ("j", "k")
    assert first.requests == second.requests == 24
    assert first.cost_usd == second.cost_usd


def test_the_later_judges_of_a_cascade_are_asked_perhaps():
    first, second = estimated(a_suite(cascade=True), "j", "k")
    assert first.cost_usd.low > 0
    assert second.cost_usd.low == 0
    assert second.cost_usd.high == first.cost_usd.high


def test_what_a_judge_writes_for_a_case_is_asked_once():
    (one,) = estimated(a_suite(expected=None, reference="own"))
    assert one.requests == 24 + 4
    (listed,) = estimated(a_suite(mode="checklist"))
    assert listed.requests == 24 + 4


def test_replies_are_as_long_as_those_that_are_stored():
    known = JudgeTotals(
        judge="j", judgments=10, cached=0, failed=0, cost_usd=0.0, costs_unknown=0, latency_s=None,
        input_tokens=100, output_tokens=500,
    )  # fmt: skip
    (one,) = estimated(a_suite(), stored={"j": known})
    assert one.output_tokens == Span(50 * 12, 50 * 24)  # at least, where both answer alike
    assert one.basis == "replies as long as 10 stored ones"


def test_a_longer_question_and_a_reference_take_more():
    (bare,) = estimated(a_suite(expected=None))
    (beside,) = estimated(a_suite())
    assert beside.input_tokens.low > bare.input_tokens.low


def test_cases_that_ask_no_judge_take_nothing():
    exact = ScorerSpec(id="exact")
    cases = (Case(id="a", prompt="?", expected="1", scorer=exact), Case(id="b", prompt="?"))
    (one,) = estimated(Suite("mixed", cases, scorer=ScorerSpec(id="llm_judge")))
    assert one.requests == 6


def test_the_judges_count_in_the_whole_and_an_unknown_price_stays_unknown(tmp_path):
    suite = a_suite()
    plain = estimate(suite, models="openai/gpt-4o-mini", home=tmp_path)
    assert plain.judges == ()
    made = estimate(suite, models="openai/gpt-4o-mini", judge="openai/gpt-4o", home=tmp_path)
    assert made.cost_usd.high == pytest.approx(
        plain.cost_usd.high + made.judges[0].cost_usd.high, rel=1e-12
    )
    assert made.to_dict()["judges"][0]["model"] == "openai/gpt-4o"
    unknown = estimate(suite, models="openai/gpt-4o-mini", judge="ollama/x", home=tmp_path)
    assert unknown.unpriced_models == ("ollama/x",)
    assert unknown.to_dict()["cost_usd"] is None
    assert not (tmp_path / "benchmaker.db").exists()  # no store is made for it


def test_the_suites_own_judge_is_counted(tmp_path):
    judge = JudgeSpec.model_validate({"models": "openai/gpt-4o", "repeats": 2})
    suite = Suite("own", a_suite().cases, scorer=ScorerSpec(id="llm_judge"), judge=judge)
    made = estimate(suite, models="openai/gpt-4o-mini", home=tmp_path)
    assert made.judges[0].requests == 8

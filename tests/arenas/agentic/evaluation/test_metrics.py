"""A submission as the row of figures that is scored."""

import pytest
from msgspec.structs import replace

from benchmaker.arenas.agentic.evaluation.metrics import metrics_of, tokens_by_price
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.submissions.evaluation import Verification
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import FREE
from benchmaker.record.submissions.submission import (
    Cost,
    CriterionResult,
    EvidenceLevel,
    ModelUsage,
    OutcomeOf,
    Provenance,
    System,
    TimeSpent,
    TokenUsage,
)
from tests.arenas.agentic.handed import a_submission

PRICES = "prices: {own/model: {input: 2.0, output: 8.0}}"


def verification(*results, **given):
    return Verification(
        id="v1", submission_id="s", task_id="t", task_digest="d", isolation="namespace",
        results=results, **given,
    )  # fmt: skip


def criterion(result, *, required=False, weight=1.0):
    return CriterionResult(id=result, result=result, required=required, weight=weight)


def test_a_submission_without_a_task_has_no_figures():
    assert metrics_of(a_submission(1, task=None)) is None
    assert metrics_of(a_submission(1, task=None), task_id="x").task_id == "x"


def test_figures_that_are_not_known_stay_unknown():
    nothing = dict.fromkeys(("total_tokens", "tool_calls", "iterations", "finished_at"))
    bare = a_submission(1, usage=TokenUsage(), time=TimeSpent(), cost=Cost(), **nothing)
    row = metrics_of(bare)
    for name in ("total_tokens", "fresh_tokens", "tool_calls", "iterations", "seconds", "cost"):
        assert getattr(row, name) is None
    assert row.finished_us is None


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (TokenUsage(input_uncached=900, output=100), (1000, 1000, 0.5)),
        (TokenUsage(input_uncached=0, cache_read=900, output=100), (1000, 100, 0.5)),
        (TokenUsage(output=100), (None, None, None)),
        (TokenUsage(input_uncached=0, output=100), (None, None, None)),
        (TokenUsage(input_uncached=900), (None, None, None)),
        (TokenUsage(input_uncached=900, output=0), (None, None, None)),
        (TokenUsage(output=100, other=900), (1000, None, 0.5)),
        (TokenUsage(input_uncached=800, output=100, other=100), (1000, 1000, 0.5)),
    ],
)
def test_tokens_of_one_side_are_no_figure_of_both(usage, known):
    one = a_submission(1, usage=usage, total_tokens=usage.total, cost=Cost(computed_usd=0.5))
    row = metrics_of(one)
    assert (row.total_tokens, row.fresh_tokens, row.cost) == known


def test_a_total_that_is_told_counts_though_one_side_is_unknown():
    row = metrics_of(a_submission(1, usage=TokenUsage(output=100), total_tokens=1000))
    assert (row.total_tokens, row.fresh_tokens) == (1000, None)


def test_active_seconds_go_before_wall_and_reported_cost_before_computed():
    one = a_submission(
        1, time=TimeSpent(wall_s=90.0, active_s=40.0), cost=Cost(reported_usd=1.0, computed_usd=2.0)
    )
    assert (metrics_of(one).seconds, metrics_of(one).cost) == (40.0, 1.0)
    other = replace(one, time=TimeSpent(wall_s=90.0), cost=Cost(computed_usd=2.0))
    assert (metrics_of(other).seconds, metrics_of(other).cost) == (90.0, 2.0)


def test_the_tasks_category_goes_before_the_records():
    one = a_submission(1, category="debugging")
    assert metrics_of(one).category == "debugging"
    assert metrics_of(one, category="refactoring").category == "refactoring"


def test_what_was_verified_goes_before_the_records_verdict():
    one = a_submission(1)
    made = verification(criterion("pass", weight=3), criterion("fail", required=True))
    row = metrics_of(one, verification=made)
    assert (row.correctness, row.required_passed, row.success) == (0.75, False, False)
    assert (row.evidence_level, row.isolation) == (EvidenceLevel.VERIFIED, "namespace")


@pytest.mark.parametrize("result", ["error", "skipped"])
def test_an_open_criterion_leaves_the_records_verdict_under_its_own_evidence(result):
    row = metrics_of(a_submission(1), verification=verification(criterion(result)))
    assert (row.correctness, row.success, row.isolation) == (1.0, True, None)
    assert row.evidence_level is EvidenceLevel.IMPORTED


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (OutcomeOf(), (None, None, None)),
        (OutcomeOf(success=False), (0.0, None, False)),
        (OutcomeOf(reward=0.4), (0.4, None, False)),
        (OutcomeOf(reward=1.0), (1.0, None, True)),
        (OutcomeOf(reward=7.0, success=True), (1.0, None, True)),
        (OutcomeOf(criteria=(criterion("pass"), criterion("fail"))), (0.5, False, False)),
        (OutcomeOf(success=True, criteria=(criterion("fail"),)), (0.0, False, False)),
        (
            OutcomeOf(criteria=(criterion("pass", required=True), criterion("fail"))),
            (0.5, True, True),
        ),
        (OutcomeOf(success=False, criteria=(criterion("pass"),)), (1.0, True, False)),
        (
            OutcomeOf(success=True, criteria=(criterion("fail"), criterion("error"))),
            (0.0, False, False),
        ),
        (
            OutcomeOf(reward=0.7, criteria=(criterion("fail"), criterion("skipped"))),
            (0.7, False, False),
        ),
        (OutcomeOf(criteria=(criterion("pass"), criterion("skipped"))), (None, None, None)),
    ],
)
def test_the_records_own_verdict(outcome, expected):
    row = metrics_of(a_submission(1, outcome=outcome))
    assert (row.correctness, row.required_passed, row.success) == expected


def test_the_weakest_provenance_is_told():
    one = a_submission(
        1,
        provenance={
            "total_tokens": Provenance.MEASURED,
            "time.wall_s": Provenance.ESTIMATED,
            "llm_calls": Provenance.SELF_REPORTED,
        },
    )
    assert metrics_of(one).provenance is Provenance.ESTIMATED


@pytest.fixture
def pricer(tmp_path):
    (tmp_path / "prices.yaml").write_text(PRICES)
    return Pricer(Prices(tmp_path), now=0.0)


def priced(pricer, **given):
    usage = TokenUsage(input_uncached=1_000, output=500)
    return a_submission(
        1,
        usage_by_model=(ModelUsage(model="own/model", usage=usage, llm_calls=1),),
        cost=Cost(**{"computed_usd": 0.006, "rate_card": pricer.version} | given),
    )


def test_tokens_by_price_are_what_the_cost_would_have_bought(pricer):
    one = priced(pricer)
    assert tokens_by_price(one, pricer) == pytest.approx(3_000)
    assert metrics_of(one, pricer=pricer).cost_weighted == pytest.approx(3_000)
    assert metrics_of(one).cost_weighted is None


def test_tokens_by_price_are_not_known_without_one_model_and_these_prices(pricer):
    one = priced(pricer)
    assert tokens_by_price(priced(pricer, computed_usd=None), pricer) is None
    assert tokens_by_price(priced(pricer, rate_card="older"), pricer) is None
    two = (*one.usage_by_model, ModelUsage(model="other", usage=TokenUsage(), llm_calls=1))
    assert tokens_by_price(replace(one, usage_by_model=two), pricer) is None
    unknown = (ModelUsage(model="nobody-knows-it", usage=TokenUsage(), llm_calls=1),)
    assert tokens_by_price(replace(one, usage_by_model=unknown), pricer) is None


def test_a_session_with_a_refused_figure_is_refused_before_it_is_scored():
    row = metrics_of(a_submission(1, flags=("figures_refused", "odd")))
    assert row.flags == ("figures_refused",)
    assert row.faults == ("its log has a figure that is negative or not finite",)
    assert MetricColumns.of([row]).is_faulty.tolist() == [True]


def test_figures_of_0_in_an_older_store_are_missing():
    zero = Cost(reported_usd=0.0)
    row = metrics_of(a_submission(1, total_tokens=0, time=TimeSpent(wall_s=0.0), cost=zero))
    assert (row.total_tokens, row.seconds, row.cost) == (None, None, None)


def test_a_cost_of_0_is_flagged_as_free_where_the_prices_say_so(tmp_path):
    (tmp_path / "prices.yaml").write_text(
        "prices: {own/free: {input: 0.0, output: 0.0}, " + PRICES[9:]
    )
    pricer = Pricer(Prices(tmp_path), now=0)
    free = a_submission(
        1, cost=Cost(computed_usd=0.0), system=System(harness="cli", model="own/free")
    )
    assert metrics_of(free, pricer=pricer).flags == (FREE,)
    assert metrics_of(free).flags == ("zero_cost",)
    priced = replace(free, system=System(harness="cli", model="own/model"))
    assert metrics_of(priced, pricer=pricer).flags == ("zero_cost",)
    reported = replace(free, cost=Cost(reported_usd=0.0, computed_usd=0.4))
    assert metrics_of(reported, pricer=pricer).flags == ()


def test_a_figure_of_0_that_was_not_measured_says_so():
    one = a_submission(1, cost=Cost(reported_usd=0.0), time=TimeSpent(wall_s=0.0))
    row = metrics_of(one)
    columns = MetricColumns.of([row])
    why = "missing: 0 despite model calls, so not measured"
    assert row.absence("cost", tokens="fresh") == row.absence("seconds", tokens="fresh") == why
    assert columns.row(0).absence("cost", tokens="fresh") == why
    assert row.absence("tokens", tokens="fresh") == ""


def test_a_total_alone_says_that_it_does_not_tell_fresh_tokens_apart():
    row = metrics_of(a_submission(1, usage=TokenUsage(), total_tokens=26_325))
    assert row.valid_figure("tokens", tokens="fresh") is None
    assert "total_tokens does not separate fresh tokens" in row.absence("tokens", tokens="fresh")
    assert row.absence("tokens", tokens="total") == ""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.cli.progress.snapshot import ProgressAggregator, headline, spending
from benchmaker.engine.requests.progress import Meter
from benchmaker.record import AWAITING_JUDGE, Completion, Outcome, Run, Trial
from tests.engine.clocks import HandClock


def a_run(planned=100, models=("m",)):
    return Run(
        id="r1",
        suite_hash="h",
        suite_name="s",
        models=models,
        profile="classic",
        profile_version="1",
        planned=planned,
    )


def a_trial(outcome=Outcome.SCORED, cost=None, model="m"):
    completion = Completion(text="x", cost_usd=cost)
    return Trial(
        run_id="r1", case_id="c", model=model, position=0, outcome=outcome, completion=completion
    )


def a_meter(before=0, planned=100, models=("m",)):
    clock = HandClock()
    return Meter(a_run(planned, models), clock=clock, before=before), clock


def test_the_rate_counts_this_sitting_alone():
    meter, clock = a_meter(before=50)
    clock.advance(2)

    progress = meter.snapshot(20)

    assert progress.rate == 10
    assert progress.done == 70
    assert progress.seconds_left == 3


def test_the_time_left_is_the_judges_once_all_models_have_answered():
    meter, clock = a_meter(before=100)
    for _ in range(30):
        meter.count(replace(a_trial(), flags=(AWAITING_JUDGE,)))
    for _ in range(10):
        meter.count_judged(a_trial())
    clock.advance(5)

    progress = meter.snapshot(0)

    assert (progress.rate, progress.judged_rate, progress.awaiting) == (0, 2, 20)
    assert progress.seconds_left == 10


def test_trials_of_a_stopped_model_take_no_time():
    meter, clock = a_meter(models=("m", "gone"))
    for model in ("m",) * 10 + ("gone",) * 5:
        meter.count(a_trial(model=model))
    meter.stopped["gone"] = "its key was refused"
    clock.advance(1)

    progress = meter.snapshot(15)

    assert progress.left == 40
    assert progress.seconds_left == pytest.approx(40 / 15)
    assert progress.each == 50


def test_a_stopped_models_rows_of_earlier_sittings_are_taken_to_be_its_share():
    meter, _ = a_meter(before=60, models=("m", "gone"))
    meter.stopped["gone"] = "parked"

    assert meter.snapshot(0).left == 20


def test_a_resumed_stopped_model_takes_no_time():
    run, before = a_run(20, ("m", "gone")), {"m": 10, "gone": 3}
    meter = Meter(run, clock=HandClock(), before=13, before_of=before)
    meter.stopped["gone"] = "its key was refused"

    assert meter.snapshot(0).left == 0


def test_without_any_model_left_no_time_is_left():
    meter, clock = a_meter()
    meter.count(a_trial())
    meter.stopped["m"] = "parked"
    clock.advance(1)

    progress = meter.snapshot(1)

    assert (progress.left, progress.seconds_left, progress.each) == (0, 0, 0)


@given(
    st.integers(0, 100),
    st.integers(0, 100),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([0.0, 5e-324, 1e-9, 1.0]),
)
def test_a_clock_that_stands_still_divides_by_nothing(planned, durable, models, stopped, seconds):
    names = tuple(f"m{number}" for number in range(models))
    meter, clock = a_meter(planned=planned, models=names)
    meter.stopped.update(dict.fromkeys(names[:stopped], "parked"))
    clock.advance(seconds)
    progress = meter.snapshot(durable)
    moment = ProgressAggregator().snapshot(progress)
    assert progress.rate >= 0.0
    assert str(planned) in headline(moment)
    assert spending(moment) == ""


def test_time_left_is_unknown_before_the_first_row():
    meter, clock = a_meter()
    clock.advance(1)

    assert meter.snapshot(0).seconds_left is None


def test_no_time_has_passed_at_the_start():
    meter, _ = a_meter()

    assert meter.snapshot(0).rate == 0


def test_what_is_not_scored_is_a_failure():
    meter, _ = a_meter()
    for outcome in (Outcome.SCORED, Outcome.EMPTY, Outcome.EMPTY, Outcome.TIMEOUT):
        meter.count(a_trial(outcome))

    assert meter.snapshot(4).failures == {Outcome.EMPTY: 2, Outcome.TIMEOUT: 1}


def test_cost_is_unknown_until_one_is_known():
    meter, _ = a_meter()
    meter.count(a_trial())
    before = meter.snapshot(1).cost_usd
    meter.count(a_trial(cost=0.25))
    meter.count(a_trial(cost=0.5))

    assert before is None
    assert meter.snapshot(3).cost_usd == pytest.approx(0.75)


def test_a_snapshot_does_not_change_with_the_run():
    meter, _ = a_meter()
    earlier = meter.snapshot(0)
    meter.count(a_trial())

    assert not earlier.outcomes


def test_trials_whose_cost_is_not_known_are_counted():
    meter, _ = a_meter()
    for cost in (0.1, None, 0.2):
        meter.count(a_trial(cost=cost))

    progress = meter.snapshot(3)

    assert progress.costs_unknown == 1
    assert progress.cost_usd == pytest.approx(0.3)


def test_outcomes_are_those_of_cases_that_count():
    """As in tables of results, which leave out cases of weight 0."""
    meter, _ = a_meter()
    unscored = a_trial(Outcome.UNSCORED)
    for _ in range(2):
        meter.count(unscored)
    meter.count(replace(unscored, weight=0.0))
    meter.count(replace(unscored, weight=0.0, flags=(AWAITING_JUDGE,)))
    meter.count_judged(replace(unscored, weight=0.0))

    progress = meter.snapshot(4)

    assert (progress.failures, progress.done) == ({Outcome.UNSCORED: 2}, 4)

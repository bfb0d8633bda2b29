from benchmaker.cli.progress.snapshot import (
    ProgressAggregator,
    headline,
    join_parts,
    known_cost,
    rate_lines,
    spending,
    stopped_lines,
)
from benchmaker.engine.requests.rate_limiter import RateLimiterState, RemainingAllowance
from benchmaker.record import Outcome
from tests.cli.snapshots import a_moment, a_pace, a_snapshot

LIVE = {"openai": a_pace()}


def test_failures_are_counted_by_kind_the_most_frequent_first():
    outcomes = {Outcome.SCORED: 9, Outcome.EMPTY: 1, Outcome.PROVIDER_ERROR: 3}
    live = a_moment(outcomes=outcomes, limiters={"openai": a_pace()})
    assert "3 provider errors, 1 empty" in spending(live)
    assert spending(a_moment(outcomes=outcomes)) == "3 without an answer, 1 empty"


def test_retries_are_counted():
    assert spending(a_moment(retries=1)) == "1 retry"
    assert spending(a_moment(retries=2)) == "2 retries"


def test_a_series_says_which_run_it_is():
    assert headline(a_moment(number=2, runs=3)).startswith("run 2 of 3: 500 of 2,000")


def test_the_time_left_is_that_of_the_whole_series():
    # 1,500 trials are left of this run at 10 a second, and 2,000 of the next.
    told = headline(a_moment(number=1, runs=2, rate=10.0, seconds_left=150.0))
    assert told.endswith("about 5 min 50 s left")


def test_further_runs_take_no_time_for_models_that_are_no_longer_asked():
    told = headline(a_moment(number=1, runs=2, rate=10.0, seconds_left=150.0, each=1000))
    assert told.endswith("about 4 min 10 s left")


def test_at_the_end_no_time_is_left():
    assert "left" not in headline(a_moment(done=2000, seconds_left=0.0))
    assert "left" in headline(a_moment(done=2000, seconds_left=0.0, number=1, runs=2))


def test_while_judges_work_alone_it_is_their_rate_that_is_told():
    moment = a_moment(done=2000, left=0, rate=0.0, awaiting=30, judged_rate=1.5, seconds_left=20.0)
    assert headline(moment) == "1,970 of 2,000 judged · 1.5 answers judged/s · about 20 s left"
    assert not moment.has_ended
    assert "42 trials/s" in headline(a_moment(awaiting=30))


def test_at_the_end_of_judging_alone_its_rate_is_named():
    moment = a_moment(done=2000, left=0, rate=0.0, judged_rate=6.7, seconds_left=0.0)
    assert headline(moment) == "2,000 of 2,000 trials · 6.7 answers judged/s"
    nothing = a_moment(done=2000, left=0, rate=0.0, seconds_left=0.0)
    assert headline(nothing) == "2,000 of 2,000 trials"


def test_before_the_first_answers_are_scored_no_time_left_is_estimated():
    moment = a_moment(
        done=8, planned=8, left=0, rate=0.0, awaiting=8, has_judge=False, seconds_left=210.0
    )
    assert headline(moment) == "0 of 8 scored"


def test_without_a_judge_answers_are_scored_and_not_judged():
    told = {"awaiting": 30, "judged_rate": 1.5, "has_judge": False}
    moment = a_moment(done=2000, left=0, rate=0.0, **told)
    assert "1.5 answers scored/s" in headline(moment)
    assert spending(moment) == "30 waiting to be scored"


def test_a_slow_rate_is_one_per_minute():
    assert "25 trials/min" in headline(a_moment(rate=0.41))
    assert "1.2 trials/min" in headline(a_moment(rate=0.02))
    assert "1.5 trials/s" in headline(a_moment(rate=1.5))


def test_the_cost_begins_with_that_of_earlier_executions():
    earlier = ProgressAggregator(spent_usd=0.25)
    moment = earlier.snapshot(a_snapshot(cost_usd=None, costs_unknown=2, limiters=LIVE))
    assert known_cost(moment) == "cost at least $0.25"


def test_the_cost_of_recorded_answers_is_called_so():
    assert known_cost(a_moment(cost_usd=0.507)) == "recorded cost $0.507"
    assert known_cost(a_moment(costs_unknown=3)) == ""


def test_a_cost_of_which_a_part_is_not_known_is_a_least_cost():
    assert known_cost(a_moment(cost_usd=1.5, limiters=LIVE)) == "cost $1.50"
    assert (
        known_cost(a_moment(cost_usd=1.5, costs_unknown=1, limiters=LIVE)) == "cost at least $1.50"
    )


def test_a_cost_that_is_not_known_is_never_nothing():
    assert known_cost(a_moment(costs_unknown=3, limiters=LIVE)) == "cost unknown"
    assert known_cost(a_moment(cost_usd=0.0, costs_unknown=3, limiters=LIVE)) == "cost unknown"
    assert known_cost(a_moment(cost_usd=0.0, limiters=LIVE)) == "cost $0.00"
    assert known_cost(a_moment(limiters=LIVE)) == ""


def test_costs_of_a_series_add_up_and_failures_are_those_of_the_run_named():
    course = ProgressAggregator()
    outcomes = {Outcome.TIMEOUT: 2}
    first = {"cost_usd": 1.0, "retries": 2, "outcomes": outcomes, "number": 1, "runs": 2}
    course.snapshot(a_snapshot(run_id="a", **(first | {"cost_usd": 0.25})))
    course.snapshot(a_snapshot(run_id="a", **first))
    moment = course.snapshot(a_snapshot(run_id="b", **(first | {"number": 2, "costs_unknown": 1})))
    assert moment.cost_usd == 2.0
    assert moment.retries == 2
    assert moment.failures == {"timeout": 2}
    assert moment.costs_unknown == 1


def test_an_endpoint_is_slowed_once_it_has_less_than_it_had():
    course = ProgressAggregator()
    assert course.snapshot(a_snapshot(limiters={"a": a_pace(limit=5)})).slowed == {}
    moment = course.snapshot(a_snapshot(limiters={"a": a_pace(limit=4)}))
    assert list(rate_lines(moment.slowed)) == ["a: 2 of 4 in flight"]


def test_a_reason_stays_on_one_line():
    told = list(stopped_lines(a_snapshot(stopped={"m": "refused\n\x1b[2J" + "x" * 500})))
    assert len(told) == 1
    assert "\x1b" not in told[0]
    assert len(told[0]) < 300


def test_what_there_is_not_to_say_takes_no_room():
    assert join_parts(["a", "", "b"]) == "a · b"


def test_limits_that_the_endpoint_told_and_the_user_stated_are_in_the_line():
    left = RateLimiterState(
        2,
        5,
        None,
        0.0,
        (600.0, None),
        RemainingAllowance(12.4, 60.0),
        RemainingAllowance(8_200.0, 30_000.0),
    )
    assert list(
        rate_lines(ProgressAggregator().snapshot(a_snapshot(limiters={"a": left})).slowed)
    ) == [
        join_parts(
            [
                "a: 2 of 5 in flight",
                "limit 600 requests/min",
                "12 of 60 requests left",
                "8,200 of 30,000 tokens left",
            ]
        )
    ]

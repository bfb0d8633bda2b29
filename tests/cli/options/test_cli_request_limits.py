from benchmaker.cli.options.request_limits import patience_of, timeouts_of
from benchmaker.engine.requests.retry import Retry
from benchmaker.providers.network.transport import HttpLimits


def test_what_is_not_given_is_left_alone():
    assert patience_of({"timeout": None, "max_cost": None}) == {}


def test_a_total_alone_is_a_number_which_the_run_records():
    assert timeouts_of({"timeout": 30.0, "idle_timeout": None}) == 30.0


def test_other_limits_come_together():
    given = {"timeout": 30.0, "idle_timeout": 2.0, "connect_timeout": 1.0}
    assert timeouts_of(given) == HttpLimits(total_s=30.0, idle_s=2.0, connect_s=1.0)


def test_a_budget_of_nothing_is_a_budget():
    assert patience_of({"max_cost": 0.0, "retries": 0}) == {"max_cost_usd": 0.0, "retries": 0}


def test_a_wait_stands_among_the_limits():
    assert patience_of({"max_wait": 10.0})["limits"].retry == Retry(max_wait_s=10.0)

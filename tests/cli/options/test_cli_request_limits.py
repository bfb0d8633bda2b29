from pathlib import Path

import pytest

from benchmaker import RunOptions
from benchmaker.cli.context import Context
from benchmaker.cli.options.request_limits import timeouts_of
from benchmaker.cli.options.run_options import options_of
from benchmaker.engine.requests.retry import Retry
from benchmaker.providers.network.transport import HttpLimits


def chosen(**options):
    return options_of(Context.read(home=Path("home"), use_json=False, debug=False), options)


def test_what_is_not_given_is_left_alone():
    assert chosen(timeout=None, max_cost_usd=None).overrides().keys() <= {"dotenv", "store"}


def test_a_total_alone_is_a_number_which_the_run_records():
    assert timeouts_of({"timeout": 30.0, "idle_timeout": None}) == 30.0


def test_other_limits_come_together():
    given = {"timeout": 30.0, "idle_timeout": 2.0, "connect_timeout": 1.0}
    assert timeouts_of(given) == HttpLimits(total_s=30.0, idle_s=2.0, connect_s=1.0)


def test_a_budget_of_nothing_is_a_budget():
    assert (chosen(max_cost_usd=0.0).max_cost_usd, chosen(retries=0).retries) == (0.0, 0)


def test_a_wait_stands_among_the_limits():
    assert chosen(max_wait=10.0).limits.retry == Retry(max_wait_s=10.0)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        (
            {"temperature": "none", "max_tokens": 7},
            "parameters",
            {"temperature": None, "max_tokens": 7},
        ),
        ({"judges": ("a", "b"), "judge_repeats": 3}, "judge", {"models": ["a", "b"], "repeats": 3}),
        ({"no_judge": True}, "judge", {"models": []}),
        ({"workers": 2, "no_mapping": True}, "prepare", {"mapping": False, "workers": 2}),
        ({"stream": False}, "stream", False),
    ],
)
def test_options_of_a_command_make_up_those_of_a_run(given, name, value):
    assert getattr(chosen(**given), name) == value
    assert getattr(chosen(), name) == getattr(RunOptions(), name)

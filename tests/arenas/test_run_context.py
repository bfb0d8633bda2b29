import asyncio

import pytest

from benchmaker.arenas.standard.answers import Answers
from benchmaker.arenas.standard.run_context import RunContext
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.providers.scripted import Scripted
from benchmaker.store.home import Home


class Asked(Scripted):
    """Answers from a script, with limits as live models have them."""

    def __init__(self, total_s):
        super().__init__(lambda _: "42", models=("m",))
        self.limits = HttpLimits(total_s=total_s)


def limits_of(total_s, *, retries=None, limits=None):
    options = RunOptions(limits=limits, retries=retries)
    desk = RunContext(Home.of("home"), options, stop=asyncio.Event())
    answers = Answers(Asked(total_s), ("m",), None, {})
    return desk._limits(answers)


@pytest.mark.parametrize(
    ("total_s", "retries", "max_wait_s", "trial_s"),
    [
        (120.0, None, 300.0, 900.0),
        (120.0, None, 10.0, 900.0),
        (120.0, None, 3600.0, 10_800.0),
        (600.0, None, 300.0, 1800.0),
        (600.0, 4, 300.0, 3000.0),
    ],
)
def test_a_trial_has_time_for_what_its_requests_may_take(total_s, retries, max_wait_s, trial_s):
    given = RunLimits(retry=Retry(max_wait_s=max_wait_s))
    found = limits_of(total_s, retries=retries, limits=given)
    assert found.retry.trial_s == trial_s
    assert found.retry.max_wait_s == max_wait_s


def test_a_time_that_was_chosen_for_a_trial_stays():
    assert limits_of(600.0, limits=RunLimits(retry=Retry(trial_s=5.0))).retry.trial_s == 5.0


def test_answers_that_are_there_already_need_no_time():
    desk = RunContext(Home.of("home"), stop=asyncio.Event())
    answers = Answers(Scripted({}, models=("m",)), ("m",), 1, {})
    assert desk._limits(answers).retry == Retry()

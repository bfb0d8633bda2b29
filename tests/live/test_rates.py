"""Rate limits: each key is used to the full, no promise is broken, no key starves another."""

from collections import Counter

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from tests.live.catalogue import MOST
from tests.live.faulty import FaultyServer
from tests.live.runs import run_models
from tests.live.server.pace import Pace
from tests.live.server.question import hashed

RATE = 20.0
BURST = 20.0
ENDPOINTS = {"openai": "OPENAI", "groq": "GROQ", "together": "TOGETHER"}


def environ_of_three(server, key):
    variables = {}
    for name in ENDPOINTS.values():
        variables[f"{name}_API_KEY"] = f"{key}-{name}"
        variables[f"{name}_BASE_URL"] = server.openai_url
    return variables


def of_three_keys(key, home, *, cases, header):
    """A run of three models behind one limit each; with the seconds that each of them took."""
    pace = Pace(rate=RATE, burst=BURST, rate_header=header, latency_s=0.02)
    with FaultyServer(pace) as server:
        took = run_models(
            [f"{endpoint}/plain" for endpoint in ENDPOINTS],
            server,
            environ=environ_of_three(server, key),
            home=home,
            cases=cases,
            concurrency=30,
            limits=RunLimits(),
        )
        return took, [span_s(server, f"{key}-{name}") for name in ENDPOINTS.values()]


def span_s(server, key):
    """From the first request of a key to the end of its last answer."""
    entries = [entry for entry in server.settled() if entry.key == hashed(key)]
    return max(entry.ended_s for entry in entries) - min(entry.at_s for entry in entries)


def check(took, *, cases, refused):
    """Everything answered, no promise broken, no trial past its cap, few refusals."""
    assert not any(entry.is_early_retry or entry.is_early for entry in took.entries)
    assert len(took.trials) == 3 * cases
    assert {trial.outcome for trial in took.trials} == {"scored"}
    counts = [Counter(attempt.status for attempt in trial.attempts) for trial in took.trials]
    assert max(count.total() - count["429"] for count in counts) == 1
    assert max(count.total() for count in counts) <= MOST + Retry().overtaken
    assert sum(count["429"] for count in counts) <= 3 * refused
    asked = Counter((entry.model, entry.key, entry.case) for entry in took.entries)
    assert sum(asked.values()) == sum(count.total() for count in counts)


def used_to_the_full(key, home, *, cases, header, refused):
    """At least nine tenths of the allowed rate for each key, and none much later than another.

    A machine that is busy with something else has three tries to keep up.
    """
    allowed_s = (cases - BURST) / RATE
    for attempt in range(3):
        took, spans_s = of_three_keys(f"{key}-{attempt}", home, cases=cases, header=header)
        check(took, cases=cases, refused=refused)
        if max(spans_s) <= min(allowed_s / 0.9, 1.1 * min(spans_s)):
            return True
    return False


def test_three_keys_of_twenty_a_second_are_each_used_to_nine_tenths(key, tmp_path):
    assert used_to_the_full(key, tmp_path, cases=120, header="retry-after-ms", refused=40)


@pytest.mark.long
@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
def test_a_short_run_is_answered_whole(key, tmp_path, header):
    took, _ = of_three_keys(key, tmp_path, cases=50, header=header)
    check(took, cases=50, refused=30)


@pytest.mark.long
@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
def test_a_long_run_uses_each_key_to_nine_tenths_and_none_starves(key, tmp_path, header):
    assert used_to_the_full(key, tmp_path, cases=320, header=header, refused=60)

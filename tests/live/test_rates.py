"""Rate limits: each key is used to the full, no promise is broken, no key starves another."""

import pytest

from benchmaker.engine.limits import Limits
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
            limits=Limits(),
        )
        return took, [span_s(server, f"{key}-{name}") for name in ENDPOINTS.values()]


def span_s(server, key):
    """From the first request of a key to the end of its last answer."""
    entries = [entry for entry in server.settled() if entry.key == hashed(key)]
    return max(entry.ended_s for entry in entries) - min(entry.at_s for entry in entries)


@pytest.mark.long
@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
def test_no_promise_to_wait_is_broken_and_everything_is_answered(key, tmp_path, header):
    took, _ = of_three_keys(key, tmp_path, cases=50, header=header)
    assert {trial.outcome for trial in took.trials} == {"scored"}
    assert len(took.trials) == 150
    assert not any(entry.is_early_retry or entry.is_early for entry in took.entries)
    assert max(len(trial.attempts) for trial in took.trials) <= MOST


@pytest.mark.long
@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
def test_three_keys_are_each_used_to_nine_tenths_and_none_starves(key, tmp_path, header):
    took, spans_s = of_three_keys(key, tmp_path, cases=320, header=header)
    assert not any(entry.is_early_retry or entry.is_early for entry in took.entries)
    assert {trial.outcome for trial in took.trials} == {"scored"}
    allowed_s = (320 - BURST) / RATE
    assert max(spans_s) <= allowed_s / 0.9
    assert max(spans_s) <= 1.1 * min(spans_s)

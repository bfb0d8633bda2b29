import pytest

from benchmaker.record import Outcome, Usage
from benchmaker.record.attempt import Attempt
from benchmaker.record.job import Job, JobState
from benchmaker.store.queues.outbox import Message
from benchmaker.testing.builders import a_completion
from tests.store.filled import a_trial, add_run, put


@pytest.mark.postgresql("no other test has its statements")
def test_an_empty_store_sums_to_nothing(store):
    found = store.totals()

    assert (found.jobs, found.trials, found.notices) == ({}, {}, 0)
    assert (found.cost_usd, found.judge_cost_usd) == (0.0, 0.0)
    assert set(found.tokens.values()) == {0}
    assert found.size_bytes > 0


def test_the_sums_are_those_of_the_rows(store):
    add_run(store)
    usage = Usage(input_tokens=10, output_tokens=4, cache_read_tokens=2)
    paid = Attempt(number=1, status="ok", started_at="2026-01-01T00:00:00Z", cost_usd=0.25)
    put(
        store,
        a_trial(0, completion=a_completion(usage=usage), attempts=(paid,)),
        a_trial(1, completion=a_completion(usage=usage), attempts=(paid,)),
        a_trial(2, outcome=Outcome.TIMEOUT, completion=None),
    )
    store.jobs.add(Job(id="j1", kind="resume", target="run-1"))
    store.put_message(Message("evaluation", "key-1"))
    found = store.totals()

    assert found.trials == {"scored": 2, "timeout": 1}
    assert found.tokens["input"] == 20
    assert found.tokens["cache_read"] == 4
    assert found.tokens["output"] == 8
    assert found.cost_usd == 0.5
    assert found.jobs == {("resume", JobState.QUEUED.value): 1}
    assert found.notices == 1

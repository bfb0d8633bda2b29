import msgspec
import pytest

from benchmaker.errors import StoreError
from benchmaker.record import Usage
from benchmaker.record.agent_trial import (
    AgentSeries,
    AgentTrial,
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    Wire,
)
from benchmaker.store import Store

KEY = TrialKey("s-1", "tidy é", "claude-code × x \x00", 2)
AT = "2026-01-01T00:00:00.000Z"


@pytest.fixture
def rooms(store):
    return store.agent_trials


def a_request(number=1, **fields):
    given = {"wire": Wire.MESSAGES, "model": "claude-x", "endpoint": "anthropic", "started_at": AT}
    return GatewayRequest(key=fields.pop("key", KEY), number=number, **{**given, **fields})


WHOLE = a_request(
    1,
    requested_model="haiku é",
    status=200,
    stream=True,
    sends=3,
    usage=Usage(
        input_tokens=5,
        cache_read_tokens=0,
        cache_write_5m_tokens=7,
        cache_write_1h_tokens=9,
        output_tokens=4,
        reasoning_tokens=1,
        flags=("odd",),
    ),
    cost_usd=0.1 + 0.2,
    most_usd=1.5,
    most_tokens=2**40,
    latency_s=1.5,
    first_byte_s=0.25,
    was_cut=True,
    request_sha256="a" * 64,
    response_sha256="b" * 64,
)
REFUSED = a_request(2, status=403, refused="the cap is reached", cost_usd=0.0, usage=None)


@pytest.mark.postgresql("no other test has its statements")
def test_requests_are_read_as_they_were_stored(rooms):
    rooms.put_requests([REFUSED, WHOLE])
    assert rooms.requests(KEY) == (WHOLE, REFUSED)
    assert rooms.requests(KEY._replace(attempt_try=2)) == ()
    assert set(rooms.series_requests("s-1")) == {WHOLE, REFUSED}
    assert list(rooms.series_requests("s-2")) == []


@pytest.mark.postgresql("no other test has its statements")
def test_a_request_in_progress_is_replaced_once(rooms):
    rooms.put_requests([a_request()])
    rooms.put_requests([WHOLE])
    rooms.put_requests([WHOLE])
    rooms.put_requests([msgspec.structs.replace(WHOLE, cost_usd=9.0), a_request()])
    assert rooms.requests(KEY) == (WHOLE,)


@pytest.mark.postgresql("no other test has its statements")
def test_a_request_that_begins_is_seen_by_others_at_once_and_replaced_once(rooms, address):
    rooms.begin_requests([a_request()])
    with Store.open(address) as other:
        assert other.agent_trials.requests(KEY) == (a_request(),)
    rooms.put_requests([WHOLE])
    rooms.begin_requests([a_request()])
    assert rooms.requests(KEY) == (WHOLE,)


def test_the_sums_of_requests_leave_out_refusals_and_count_unknown_figures(rooms):
    cut = a_request(3, status=200, usage=Usage(input_tokens=10), was_cut=True)
    rooms.put_requests([WHOLE, REFUSED, cut, a_request(4)])
    assert TrialMeter.of(rooms.requests(KEY)) == TrialMeter(
        requests=3,
        refusals=1,
        usage=Usage(
            input_tokens=15,
            cache_read_tokens=0,
            cache_write_5m_tokens=7,
            cache_write_1h_tokens=9,
            output_tokens=4,
            reasoning_tokens=1,
        ),
        unknown_usages=2,
        cost_usd=0.1 + 0.2,
        unknown_costs=2,
        cut_replies=3,
    )


def test_nothing_known_sums_to_no_usage():
    assert TrialMeter.of([a_request()]).usage == Usage()


@pytest.mark.postgresql("no other test has its statements")
def test_a_trial_has_one_row_of_its_newest_try(rooms):
    first = AgentTrial(key=KEY, task_hash="h", agent="codex", model="m \ud800")
    assert rooms.put_trial(first)
    meter = TrialMeter(requests=2, cost_usd=0.5)
    done = AgentTrial(
        key=KEY._replace(attempt_try=2),
        task_hash="h",
        agent="codex",
        model="m",
        outcome=TrialOutcome.SOLVED,
        reward=1.0,
        submission_id="s \x00",
        earlier_meters=(meter,),
        isolation="namespace",
        finished_at=AT,
    )
    other = msgspec.structs.replace(first, key=KEY._replace(attempt=3))
    assert rooms.put_trial(done)
    assert rooms.put_trial(other)
    assert not rooms.put_trial(first)
    assert rooms.trials("s-1") == (done, other)
    assert done.tries == 2
    assert rooms.trials("s-2") == ()


@pytest.mark.postgresql("no other test has its statements")
def test_a_series_is_stored_once_and_ends(rooms):
    series = AgentSeries(id="s-1", plan={"tasks": ["é \x00"], "budget": 0.5}, created_at=AT)
    assert rooms.add_series(series)
    assert not rooms.add_series(msgspec.structs.replace(series, plan={}))
    assert rooms.series("s-1") == series
    rooms.finish_series("s-1", AT)
    assert rooms.every_series() == (msgspec.structs.replace(series, finished_at=AT),)
    with pytest.raises(StoreError, match="no series of agent trials 's-2'"):
        rooms.series("s-2")


def test_only_failures_of_the_machinery_are_tried_again():
    assert {it.value for it in TrialOutcome if it.is_infrastructure} == {
        "setup_failed",
        "gateway_error",
        "verifier_error",
    }

"""What a run makes of live models: whole sittings over a scripted provider, in simulated time."""

import asyncio
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import (
    AuthError,
    BadResponse,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Timeout,
)
from benchmaker.providers.protocols.rate_hints import Allowance, EndpointKey, RateHints
from benchmaker.providers.scripted import Scripted
from benchmaker.record import MODEL_STOPPED, Outcome, RunState
from benchmaker.testing import a_completion
from tests.engine.run_data import a_seed, begun, executed, keys, opened, right, sums
from tests.engine.simulated import SimulatedClock, simulated


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def sat(store, run, provider, *, limits=None, **options):
    """A sitting in simulated time; the run after it, and what was stopped."""
    return executed(
        store,
        run,
        provider,
        limits=limits or RunLimits(concurrency=4),
        clock=SimulatedClock(),
        random=a_seed(),
        through=simulated,
        **options,
    )


def in_turn(*answers):
    """A provider that gives each case these answers, one after the other, then the right one."""
    asked = Counter()

    def answer(request):
        place = request.model, request.case_id
        asked[place] += 1
        number = asked[place] - 1
        return answers[number] if number < len(answers) else right(request)

    return Scripted(answer, latency_s=0.1)


def times_of(provider):
    """When each case was asked, once the provider was watched."""
    times = defaultdict(list)
    complete = provider.complete

    async def watched(request):
        times[request.model, request.case_id].append(asyncio.get_running_loop().time())
        return await complete(request)

    provider.complete = watched
    return times


def test_every_attempt_is_stored_with_its_trial(store):
    run = begun(store, sums(5), models=("a",))
    provider = in_turn(Timeout("late"), RateLimited("slow", status=429, retry_after_s=1.0))
    ended, _ = sat(store, run, provider)

    assert ended.state is RunState.FINISHED
    for trial in store.trials(run.id):
        assert [attempt.status for attempt in trial.attempts] == ["failed", "429", "ok"]
        assert trial.outcome is Outcome.SCORED


def test_the_cost_of_a_trial_counts_every_attempt(store):
    run = begun(store, sums(2), models=("a",))
    empty, good = a_completion("", cost_usd=0.25), a_completion("0", cost_usd=0.5)
    sat(store, run, in_turn(empty, good))

    assert [trial.cost_usd for trial in store.trials(run.id)] == [0.75, 0.75]
    assert store.columns([run.id]).cost_usd.tolist() == [0.75, 0.75]
    assert store.spent_usd([run.id]) == 1.5


def test_the_cost_is_unknown_where_that_of_one_attempt_is(store):
    run = begun(store, sums(1), models=("a",))
    sat(store, run, in_turn(Timeout("late"), a_completion("0", cost_usd=0.5)))
    [trial] = store.trials(run.id)

    assert trial.cost_usd is None
    assert str(store.columns([run.id]).cost_usd[0]) == "nan"
    assert store.spent_usd([run.id]) == 0.5


def test_nobody_on_a_key_sends_before_the_promised_moment(store):
    provider = in_turn()
    times = times_of(provider)
    asked = provider.complete

    async def limited_once(request):
        if provider.calls == 7:
            await asked(request)
            raise RateLimited("slow down", status=429, retry_after_s=5.0)
        return await asked(request)

    provider.complete = limited_once
    run = begun(store, sums(20), models=("a", "b"))
    ended, _ = sat(store, run, provider)
    moments = sorted(moment for each in times.values() for moment in each)
    gap, before = max((after - at, at) for at, after in pairwise(moments))

    assert ended.state is RunState.FINISHED
    assert gap >= 4.9, before


def test_a_trial_that_waits_leaves_its_place_to_others(store):
    times = {}

    def answer(request):
        times[request.model, request.case_id] = asyncio.get_running_loop().time()
        if request.model == "a" and len(times) < 5:
            return ProviderError("busy", status=500, is_retryable=True, retry_after_s=50.0)
        return right(request)

    provider = Scripted(answer, latency_s=0.1)
    provider.endpoint_key = lambda model: EndpointKey(model, "host", "K")
    run = begun(store, sums(10), models=("a", "b"))
    sat(store, run, provider, limits=RunLimits(concurrency=1))

    assert max(at for (model, _), at in times.items() if model == "b") < 5
    assert max(at for (model, _), at in times.items() if model == "a") > 50


@pytest.mark.parametrize("error", [AuthError("wrong key", status=401), QuotaExhausted("used up")])
def test_a_model_that_can_not_go_on_is_stopped_at_once_and_alone(store, error):
    provider = Scripted(lambda r: error if r.model == "a" else right(r), latency_s=0.1)
    run = begun(store, sums(50))
    ended, stopped = sat(store, run, provider)
    asked = Counter(request.model for request in provider.requests)

    assert asked["a"] <= 4
    assert asked["b"] == 50
    assert set(stopped) == {"a"}
    assert str(error) in stopped["a"]
    assert ended.state is RunState.FINISHED


def test_a_run_is_finished_when_the_models_that_were_not_refused_are_done(store):
    def answer(request):
        wrong = ProviderError("top_p is not supported", status=400)
        return wrong if request.model == "a" else right(request)

    run = begun(store, sums(20))
    ended, stopped = sat(store, run, Scripted(answer, latency_s=0.1))

    assert set(stopped) == {"a"}
    assert (ended.state, ended.finished_at is None) == (RunState.FINISHED, False)


def test_a_refused_model_does_not_finish_a_run_in_which_another_is_under_way(store):
    stop = asyncio.Event()

    def answer(request):
        if request.model == "a":
            return AuthError("wrong key", status=401)
        stop.set()
        return right(request)

    run = begun(store, sums(20))
    ended, _ = sat(store, run, Scripted(answer, latency_s=0.1), stop=stop)

    assert ended.state is RunState.INTERRUPTED


def test_what_ended_the_asking_of_a_model_is_asked_again_when_it_is_resumed(store):
    run = begun(store, sums(3), models=("a",))
    sat(store, run, Scripted(lambda _: AuthError("wrong key", status=401), latency_s=0.1))
    flags = {flag for trial in store.trials(run.id) for flag in trial.flags}
    ended, stopped = sat(store, run, Scripted(right))
    trials = list(store.trials(run.id))

    assert flags == {MODEL_STOPPED}
    assert (ended.state, stopped) == (RunState.FINISHED, {})
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert all(trial.flags == () for trial in trials)
    assert max(len(trial.attempts) for trial in trials) == 2


def test_five_equal_client_errors_stop_a_model_with_a_message(store):
    def answer(request):
        wrong = ProviderError("no such model", status=404)
        return wrong if request.model == "a" else right(request)

    provider = Scripted(answer, latency_s=0.1)
    _, stopped = sat(store, begun(store, sums(50)), provider, limits=RunLimits(concurrency=2))
    asked = Counter(request.model for request in provider.requests)

    assert 5 <= asked["a"] <= 6
    assert asked["b"] == 50
    assert stopped["a"] == "no such model"


def test_a_model_asked_to_wait_for_a_day_is_parked_with_all_on_its_key(store):
    waits = RateLimited("later", status=429, retry_after_s=86_400)
    provider = Scripted(lambda r: waits if r.model == "a" else right(r), latency_s=0.1)
    provider.endpoint_key = lambda model: EndpointKey("one", "host", "cb"[model == "c"])
    run = begun(store, sums(20), models=("a", "b", "c"))
    ended, stopped = sat(store, run, provider)

    assert set(stopped) == {"a", "b"}
    assert "paused" in stopped["a"]
    assert "86,400 s" in stopped["a"]
    assert len([key for key in keys(store, run.id) if key[1] == "c"]) == 20
    assert ended.state is RunState.FINISHED


def test_a_budget_is_never_passed_and_the_run_can_be_gone_on_with(store):
    provider = Scripted(lambda r: a_completion(right(r), cost_usd=0.3), latency_s=0.1)
    provider.most_usd = lambda _: 0.5
    run = begun(store, sums(20), models=("a",))
    budget = Budget(2.0)
    ended, _ = sat(store, run, provider, budget=budget)

    assert budget.spent_usd == pytest.approx(0.3 * provider.calls)
    assert provider.calls == 6  # after six, 1.8 are spent and the next may cost 0.5
    assert "does not cover" in budget.refusal
    assert ended.state is RunState.INTERRUPTED
    more = Budget(100.0, spent_usd=store.spent_usd([run.id]))
    ended, _ = sat(store, run, provider, budget=more)

    assert ended.state is RunState.FINISHED
    assert more.spent_usd == pytest.approx(6.0)


def test_hints_of_replies_hold_requests_back(store):
    provider = Scripted(right, latency_s=0.1)
    provider.on_hints = None
    times = times_of(provider)
    watched = provider.complete

    async def hinting(request):
        answer = await watched(request)
        left = max(0, 3 - provider.calls)
        told = RateHints(requests=Allowance(limit=3, left=left, reset_s=3.0))
        provider.on_hints(EndpointKey("provider", ""), told)
        return answer

    provider.complete = hinting
    run = begun(store, sums(8), models=("a",))
    sat(store, run, provider, limits=RunLimits(concurrency=1))
    moments = sorted(moment for each in times.values() for moment in each)

    assert moments[2] < 0.5
    assert moments[-1] > 4


def test_a_broken_stream_is_flagged_where_the_answer_came_without_one(store):
    run = begun(store, sums(2), models=("a",))
    sat(store, run, in_turn(BadResponse("cut off", partial_text="4")))
    trials = list(store.trials(run.id))

    assert all(trial.flags == ("stream_fallback",) for trial in trials)
    assert all(trial.attempts[0].partial_text == "4" for trial in trials)


def test_without_streaming_nothing_is_streamed(store):
    provider = in_turn()
    sat(store, begun(store, sums(2)), provider, options=RunOptions(stream=False))

    assert not any(request.stream for request in provider.requests)


def test_a_stop_makes_no_further_request_not_even_a_repetition(store):
    stop = asyncio.Event()

    def answer(_):
        stop.set()
        return Timeout("late")

    provider = Scripted(answer, latency_s=0.1)
    run = begun(store, sums(10), models=("a",))
    ended, _ = sat(store, run, provider, stop=stop, limits=RunLimits(concurrency=3))

    assert provider.calls == 3
    assert keys(store, run.id) == []
    assert ended.state is RunState.INTERRUPTED


def test_a_stop_ends_the_waiting_for_a_gate_at_once(store):
    stop = asyncio.Event()
    waits = RateLimited("slow down", status=429, retry_after_s=250.0)
    provider = Scripted(lambda _: waits, latency_s=0.1)
    run = begun(store, sums(3), models=("a",))
    ended_at = []

    async def stopping():
        sitting = asyncio.ensure_future(started(store, run, provider, stop))
        await asyncio.sleep(5)
        stop.set()
        await sitting
        ended_at.append(asyncio.get_running_loop().time())

    simulated(stopping())

    assert ended_at[0] < 30


async def started(store, run, provider, stop):
    from benchmaker.engine.runs.run import execute  # noqa: PLC0415

    suite = store.suite(run.suite_hash)
    await execute(store, run, suite, provider, clock=SimulatedClock(), stop=stop)


def test_what_failed_is_asked_again_when_that_is_wanted(store):
    run = begun(store, sums(6), models=("a",))
    broken = Scripted(lambda r: Timeout("late") if r.case_id in {"c1", "c4"} else right(r))
    ended, _ = sat(store, run, broken)
    provider = Scripted(right)
    again, _ = sat(store, run, provider, options=RunOptions(retry_failed=True))
    trials = list(store.trials(run.id))

    assert ended.state is again.state is RunState.FINISHED
    assert sorted(request.case_id for request in provider.requests) == ["c1", "c4"]
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert [len(trial.attempts) for trial in trials] == [1, 4, 1, 1, 4, 1]


@pytest.mark.parametrize("overtaken", [0, 2])
def test_no_trial_makes_more_requests_than_its_cap_whatever_happens(store, overtaken):
    random = a_seed(7)
    faults = [
        lambda: Timeout("late"),
        lambda: a_completion(""),
        lambda: RateLimited("slow", status=429, retry_after_s=random.uniform(0, 3)),
        lambda: ProviderError("503", status=503, is_retryable=True),
        lambda: BadResponse("html"),
        lambda: a_completion("1"),
    ]
    provider = Scripted(lambda _: random.choice(faults)(), latency_s=0.1)
    run = begun(store, sums(60), models=("a", "b"))
    retry = Retry(retries=2, overtaken=overtaken)
    sat(store, run, provider, limits=RunLimits(concurrency=10, retry=retry))
    asked = Counter((request.model, request.case_id) for request in provider.requests)

    assert max(asked.values()) <= 3 + overtaken
    for trial in store.trials(run.id):
        others = sum(attempt.status != "429" for attempt in trial.attempts)
        assert others <= 3
        assert len(trial.attempts) == asked[trial.model, trial.case_id]


def test_progress_shows_what_is_in_flight_and_each_endpoints_pace(store):
    shown = []
    provider = Scripted(right, latency_s=0.6)
    provider.endpoint_key = lambda _: EndpointKey("one", "host", "KEY")
    run = begun(store, sums(8), models=("a",))
    sat(store, run, provider, on_progress=shown.append)
    first = shown[0]

    assert first.flying == 4
    assert (first.limiters["one (KEY)"].flying, first.limiters["one (KEY)"].limit) == (4, 4)
    assert first.limiters["one (KEY)"].rate is None
    assert shown[-1].flying == 0


class JumpingClock(SimulatedClock):
    """A wall clock that jumps by hours and days, back and forth."""

    def __init__(self):
        self._random = a_seed(3)

    def now_utc(self):
        day, hour = self._random.randint(1, 28), self._random.randint(0, 23)
        return f"2026-{self._random.randint(1, 12):02}-{day:02}T{hour:02}:00:00.000Z"


def test_a_wall_clock_that_jumps_changes_no_duration_and_no_order(store):
    run = begun(store, sums(20), models=("a", "b"))
    provider = in_turn(RateLimited("slow", status=429, retry_after_s=1.0))
    ended, _ = executed(
        store, run, provider, clock=JumpingClock(), random=a_seed(), through=simulated
    )
    trials = list(store.trials(run.id))

    assert ended.state is RunState.FINISHED
    assert keys(store, run.id) == [(f"c{n}", model) for n in range(20) for model in "ab"]
    assert all(0 <= a.last_byte_s < 1 for trial in trials for a in trial.attempts)

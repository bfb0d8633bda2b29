"""Rate limits in simulated time: no promise broken, the allowed rate used, nobody starved."""

import pytest

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.record import Outcome, RunState
from tests.engine.limited import Bucket, LimitedProvider, Window
from tests.engine.run_data import a_seed, begun, executed, opened, sums
from tests.engine.simulated import SimulatedClock, simulated


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def ran(store, provider, *, cases=100, concurrency=30, seed=1):
    run = begun(store, sums(cases), models=provider.models)
    ended, _ = executed(
        store,
        run,
        provider,
        limits=RunLimits(concurrency=concurrency),
        clock=SimulatedClock(),
        random=a_seed(seed),
        through=simulated,
    )
    return ended, list(store.trials(run.id))


def span_s(provider, key):
    return max(provider.answered_at[key]) - min(at for at, name in provider.sent if name == key)


KEYS = {"a": "k1", "b": "k2", "c": "k3"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("latency_s", [0.02, 0.5])
def test_three_keys_are_each_used_to_their_limit(store, seed, latency_s):
    limits = {key: Bucket(20, 20) for key in KEYS.values()}
    provider = LimitedProvider(KEYS, limits, latency_s=latency_s, seed=seed)
    ended, trials = ran(store, provider, concurrency=60, seed=seed)
    spans = [span_s(provider, key) for key in KEYS.values()]

    assert ended.state is RunState.FINISHED
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert max(len(trial.attempts) for trial in trials) <= 3
    assert provider.early == []
    assert max(spans) <= (80 / 20 + 1.5 * latency_s) / 0.9
    assert max(spans) <= 1.15 * min(spans)


def test_models_that_share_a_key_share_its_rate(store):
    provider = LimitedProvider(dict.fromkeys("ab", "k"), {"k": Bucket(20, 20)})
    _, trials = ran(store, provider)

    assert provider.early == []
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert span_s(provider, "k") <= 180 / 20 / 0.9


def test_a_limited_key_does_not_slow_the_others(store):
    limits = {"slow": Bucket(1, 1), "fast": Bucket(1000, 1000)}
    provider = LimitedProvider({"a": "slow", "b": "fast"}, limits)
    ran(store, provider, cases=40, concurrency=5)

    assert span_s(provider, "fast") <= 40 * 0.05 / 2
    assert span_s(provider, "slow") >= 30


def test_a_slow_model_leaves_the_others_their_places(store):
    provider = LimitedProvider(KEYS, {key: Bucket(1e6, 1e6) for key in KEYS.values()})
    slow = provider.complete

    async def complete(request):
        provider._latency_s = 10.0 if request.model == "a" else 0.05
        return await slow(request)

    provider.complete = complete
    ran(store, provider, cases=30, concurrency=6)

    assert max(provider.answered_at["k2"]) <= 3.0
    assert max(provider.answered_at["k3"]) <= 3.0


def test_a_window_is_used_whenever_it_opens(store):
    provider = LimitedProvider({"a": "k"}, {"k": Window(60, 60)}, latency_s=0.5)
    _, trials = ran(store, provider, cases=240)

    assert provider.early == []
    assert {trial.outcome for trial in trials} == {Outcome.SCORED}
    assert span_s(provider, "k") <= 240 / 0.9


def test_without_a_word_on_how_long_to_wait_most_get_through(store):
    provider = LimitedProvider({"a": "k"}, {"k": Bucket(20, 20)}, is_mute=True)
    _, trials = ran(store, provider, cases=300)
    scored = sum(trial.outcome is Outcome.SCORED for trial in trials)

    assert scored >= 285
    assert len(provider.sent) <= 3 * 300


def test_the_same_seed_gives_the_same_run(tmp_path):
    def once(name):
        (tmp_path / name).mkdir()
        with opened(tmp_path / name) as fresh:
            provider = LimitedProvider({"a": "k"}, {"k": Bucket(20, 5)})
            ran(fresh, provider, cases=60)
            return provider.sent

    assert once("one") == once("two")

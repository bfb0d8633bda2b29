import pytest
from msgspec.structs import replace

from benchmaker.engine.requests.cache import Cache, request_key
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.providers.scripted import Scripted
from benchmaker.record import RunState, Usage
from benchmaker.record.trial import CACHE_HIT
from benchmaker.spec import Message, Parameters
from benchmaker.store import Writer
from benchmaker.testing import a_completion, a_request
from tests.engine.run_data import begun, executed, opened, right, sums

CACHED = RunOptions(cache=True)
LIVE = {
    "kind": "live",
    "models": {
        "model-a": {"base_url": "http://one/v1", "protocol": "openai", "model": "a", "key": "K"}
    },
}


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path) as opened_store:
        yield opened_store


def moved(**changes):
    route = {**LIVE["models"]["model-a"], **changes}
    return {**LIVE, "models": {"model-a": route}}


@pytest.mark.parametrize(
    "other",
    [
        (a_request(run=2), LIVE),
        (a_request(messages=(Message(role="user", content="?"),)), LIVE),
        (a_request(messages=(Message(role="system", content="What is 6 x 7?"),)), LIVE),
        (a_request(parameters=Parameters(temperature=0.1)), LIVE),
        (a_request(parameters=Parameters(max_tokens=5)), LIVE),
        (a_request(), moved(base_url="http://two/v1")),
        (a_request(), moved(protocol="anthropic")),
        (a_request(), moved(model="b")),
        (a_request(), {**LIVE, "seed": 7}),
    ],
)
def test_everything_that_is_sent_makes_another_question(other):
    assert request_key(*other) != request_key(a_request(), LIVE)


@pytest.mark.parametrize(
    "same",
    [
        (a_request(stream=False), LIVE),
        (a_request(case_id="another"), LIVE),
        (a_request(), moved(key="OTHER")),
        (a_request(), {**LIVE, "stream": False}),
    ],
)
def test_how_it_is_sent_or_filed_does_not(same):
    assert request_key(*same) == request_key(a_request(), LIVE)


def test_half_a_surrogate_pair_has_a_key():
    request = a_request(messages=(Message(role="user", content="\ud800"),))

    assert len(request_key(request, LIVE)) == 64


def test_what_was_put_is_found_flagged_with_its_cost(store):
    with Writer(store) as writer:
        cache = Cache(store, writer, Scripted(["42"]))
        answer = a_completion("42", cost_usd=0.5, latency_s=1.5, flags=("other_model",))
        cache.put(a_request(), answer)
        writer.flush()
        found = cache.find(a_request())

    assert found == replace(answer, flags=("other_model", CACHE_HIT))
    assert cache.find(a_request(run=2)) is None


class Priced(Scripted):
    """Answers without a cost, from a model whose price has become known."""

    def tariff(self, _model):
        return self

    def cost_usd(self, usage):
        return (usage.input_tokens + 2 * usage.output_tokens) / 1e6 if usage else None


@pytest.mark.parametrize(
    ("usage", "cost_usd"),
    [(Usage(input_tokens=1_000_000, output_tokens=500_000), 2.0), (None, None)],
)
def test_an_answer_stored_without_a_cost_is_priced_by_its_tokens(store, usage, cost_usd):
    with Writer(store) as writer:
        cache = Cache(store, writer, Priced(["42"]))
        cache.put(a_request(), a_completion("42", cost_usd=None, usage=usage))
        writer.flush()
        assert cache.find(a_request()).cost_usd == cost_usd


def test_a_second_run_of_the_same_number_asks_nothing(store):
    first = begun(store, sums(5), id="one")
    second = begun(store, sums(5), id="two")
    executed(store, first, options=CACHED)
    provider = Scripted(right)
    ended, _ = executed(store, second, provider, options=CACHED)
    trials = list(store.trials("two"))

    assert provider.calls == 0
    assert ended.state is RunState.FINISHED
    assert all(CACHE_HIT in trial.completion.flags for trial in trials)
    assert all(trial.attempts == () and trial.is_reused for trial in trials)
    assert all(trial.score.score == 1.0 for trial in trials)


def test_a_run_of_another_number_asks_anew(store):
    executed(store, begun(store, sums(3), id="one"), options=CACHED)
    provider = Scripted(right)
    executed(store, begun(store, sums(3), id="two", number=2), provider, options=CACHED)

    assert provider.calls == 6


def test_without_a_cache_nothing_is_kept_or_found(store):
    executed(store, begun(store, sums(3), id="one"), options=CACHED)
    provider = Scripted(right)
    executed(store, begun(store, sums(3), id="two"), provider)

    assert provider.calls == 6


def test_failures_are_not_kept(store):
    refusing = Scripted(lambda _: ValueError("no"))
    executed(store, begun(store, sums(2), id="one"), refusing, options=CACHED)
    provider = Scripted(right)
    executed(store, begun(store, sums(2), id="two"), provider, options=CACHED)

    assert provider.calls == 4

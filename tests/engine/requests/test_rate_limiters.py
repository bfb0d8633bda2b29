from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.rate_limiters import RateLimiters
from benchmaker.providers.live import Live
from benchmaker.providers.protocols.rate_hints import Allowance, EndpointKey, RateHints
from benchmaker.providers.scripted import Scripted
from tests.engine.clocks import HandClock

ENDPOINTS = """
endpoints:
  mine: {base_url: "http://localhost:1/v1", requests_per_minute: 60}
  other: {base_url: "http://localhost:2/v1"}
"""


def paces_of(provider):
    return RateLimiters(provider, RunLimits(concurrency=7), clock=HandClock())


def test_models_of_one_endpoint_and_key_share_a_pace(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(ENDPOINTS, encoding="utf-8")
    limiters = paces_of(Live(["mine/a", "mine/b", "other/a"], home=tmp_path))

    assert limiters.limiter_of("mine/a") is limiters.limiter_of("mine/b")
    assert limiters.limiter_of("mine/a") is not limiters.limiter_of("other/a")
    assert limiters.models_sharing("mine/a") == ["mine/a", "mine/b"]


def test_a_limit_that_the_user_states_is_kept(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(ENDPOINTS, encoding="utf-8")
    limiters = paces_of(Live(["mine/a", "other/a"], home=tmp_path))
    limiters.limiter_of("mine/a").send(0.0)
    limiters.limiter_of("other/a").send(0.0)

    assert limiters.limiter_of("mine/a").ready_at(0.0) == 1.0
    assert limiters.limiter_of("other/a").ready_at(0.0) == 0.0


def test_only_an_endpoint_that_also_judges_has_room_for_both(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(ENDPOINTS, encoding="utf-8")
    live = Live(["mine/a", "other/a"], home=tmp_path)
    judge = Live(["mine/j", "other/j"], home=tmp_path)
    limiters = RateLimiters(live, RunLimits(concurrency=7), clock=HandClock(), judging=3)

    assert limiters.limiter_of("mine/a").limit == 7
    for _ in range(2):
        assert limiters.limiter_of("mine/j", judge).limit == 10
        assert limiters.limiter_of("other/j", judge).limit == 3
    assert limiters.limiter_of("mine/a").limit == 10
    assert limiters.limiter_of("other/a").limit == 10


def test_models_of_a_provider_without_endpoints_share_one_pace():
    limiters = paces_of(Scripted({("a", "c"): "1", ("b", "c"): "2"}))

    assert limiters.limiter_of("a") is limiters.limiter_of("b")
    assert limiters.limiter_of("a").limit == 7


def test_hints_reach_the_pace_of_their_endpoint_alone(tmp_path):
    (tmp_path / "endpoints.yaml").write_text(ENDPOINTS, encoding="utf-8")
    live = Live(["other/a"], home=tmp_path)
    limiters = paces_of(live)
    limiters.limiter_of("other/a").send(0.0)
    told = RateHints(requests=Allowance(limit=60, left=0, reset_s=60.0))
    live.on_hints(EndpointKey("elsewhere", "host"), told)
    before = limiters.limiter_of("other/a").ready_at(0.0)
    live.on_hints(live.endpoint_key("other/a"), told)

    assert before == 0.0
    assert limiters.limiter_of("other/a").ready_at(0.0) == 1.0
    assert list(limiters.states()) == ["other"]

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.providers.protocols.rate_hints import Allowance, EndpointKey, RateHints, rate_hints

NOW = datetime(2026, 10, 21, 12, 0, 0, tzinfo=UTC)


def test_openais_names_are_read():
    head = {
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-limit-tokens": "150000",
        "x-ratelimit-remaining-tokens": "149984",
        "x-ratelimit-reset-tokens": "6m0s",
    }
    expected = RateHints(Allowance(60, 59, 1.0), Allowance(150_000, 149_984, 360.0))
    assert rate_hints(head) == expected


def test_of_anthropics_limits_on_tokens_the_tightest_counts():
    head = {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": "2026-10-21T12:00:20Z",
        "anthropic-ratelimit-input-tokens-limit": "1000",
        "anthropic-ratelimit-input-tokens-remaining": "900",
        "anthropic-ratelimit-output-tokens-limit": "1000",
        "anthropic-ratelimit-output-tokens-remaining": "10",
        "anthropic-ratelimit-output-tokens-reset": "2026-10-21T12:00:05Z",
    }
    expected = RateHints(Allowance(50, 49, 20.0), Allowance(1000, 10, 5.0))
    assert rate_hints(head, NOW) == expected


def test_a_head_without_limits_gives_no_hints():
    assert rate_hints({"content-type": "application/json"}) is None
    assert rate_hints({"x-ratelimit-kind": "soft"}) is None


def test_garbage_is_unknown():
    head = {"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "later"}
    assert rate_hints(head) == RateHints(Allowance(None, None, None))


@given(st.text(max_size=30))
def test_no_text_breaks_it(text):
    head = dict.fromkeys(("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"), text)
    assert rate_hints(head) is not None


def test_a_limits_key_reads_as_endpoint_and_variable():
    assert (
        str(EndpointKey("openai", "api.openai.com", "OPENAI_API_KEY")) == "openai (OPENAI_API_KEY)"
    )
    assert str(EndpointKey("ollama", "localhost:11434")) == "ollama"

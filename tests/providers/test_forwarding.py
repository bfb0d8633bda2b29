import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.forwarding import Forwarding, KeyMask
from tests.providers.local import every_split

KEY = "sk-secret-aab-aab-1"


@given(
    some.lists(some.sampled_from([b"sk-", KEY.encode(), b"sk-secret-aab", b"x", b"\xff"])),
    some.lists(some.integers(0, 500), max_size=9),
)
def test_a_key_is_masked_wherever_the_bytes_are_cut(parts, cuts):
    data = b"".join(parts)
    mask = KeyMask([KEY])
    passed = b"".join(map(mask.feed, every_split(data, cuts))) + mask.finish()
    assert passed == data.replace(KEY.encode(), b"[redacted]")


@given(some.binary(max_size=60), some.lists(some.integers(0, 60), max_size=5))
def test_nothing_else_is_changed(data, cuts):
    mask = KeyMask([KEY, "short"])
    passed = b"".join(map(mask.feed, every_split(data, cuts))) + mask.finish()
    assert passed == data


def test_a_chunk_that_ends_like_no_key_is_passed_on_at_once():
    assert KeyMask([KEY]).feed(b"data: 1\n\n") == b"data: 1\n\n"


def test_a_missing_key_and_an_unknown_model_are_named():
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not set"):
        Forwarding(["openai/gpt-x"])
    forwarding = Forwarding(["openai/gpt-x"], needs_keys=False)
    with pytest.raises(SpecError, match="Its models are: openai/gpt-x"):
        forwarding.route("openai/gpt-y")
    assert forwarding.route("openai/gpt-x").model == "gpt-x"


def test_hosts_out_of_reach_are_refused():
    with pytest.raises(SpecError, match="does not connect to"):
        Forwarding(["http://localhost:1/v1#m"], environ={"BENCHMAKER_REACH": "internet"})

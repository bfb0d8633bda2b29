import json

import pytest
from hypothesis import given as given_by
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec import Parameters, Suite, effective_parameters
from benchmaker.spec.suites.extra_fields import RESERVED_FIELDS
from benchmaker.spec.suites.parameters import EFFORTS, THINKING_TOKENS

SCHEMA = {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}
NEW = {
    "reasoning_effort": "high",
    "thinking_budget": 4000,
    "stop": ["END", "\n\n"],
    "top_k": 40,
    "min_p": 0.1,
    "seed": 7,
    "response_format": SCHEMA,
    "logprobs": 5,
    "extra_body": {"safe_prompt": True},
    "extra_headers": {"X-Title": "a benchmark"},
}
VALUES = {
    "temperature": st.floats(0, 2) | st.none(),
    "top_p": st.floats(0.1, 1) | st.none(),
    "max_tokens": st.integers(1, 9999) | st.none(),
    "reasoning_effort": st.sampled_from(EFFORTS) | st.none(),
    "thinking_budget": st.integers(1, 9999) | st.none(),
    "stop": st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4) | st.none(),
    "seed": st.integers(0, 2**63 - 1) | st.none(),
    "response_format": st.sampled_from(["json", None]),
    "extra_body": st.dictionaries(st.just("top_a"), st.integers(), min_size=1) | st.none(),
}
LEVELS = st.lists(st.fixed_dictionaries({}, optional=VALUES), min_size=1, max_size=4)


def test_the_defaults_are_the_published_ones():
    given = Parameters()
    assert (given.temperature, given.top_p, given.max_tokens) == (0.7, 1.0, 2048)
    assert effective_parameters() == given


def test_benchmark_mode_locks_temperature_and_penalties():
    given = Parameters(
        temperature=1.5, top_p=0.5, frequency_penalty=1, presence_penalty=-1, benchmark_mode=True
    )
    sent = effective_parameters(given)
    assert (sent.temperature, sent.frequency_penalty, sent.presence_penalty) == (0, 0, 0)
    assert (sent.top_p, sent.max_tokens, sent.benchmark_mode) == (0.5, 2048, True)


def test_without_benchmark_mode_parameters_are_sent_as_given():
    given = Parameters(temperature=1.5, presence_penalty=1)
    assert effective_parameters(given) is given


@pytest.mark.parametrize(
    "wrong", [{"temperature": 2.1}, {"top_p": 0}, {"max_tokens": 0}, {"presence_penalty": -3}]
)
def test_parameters_have_bounds(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Parameters(**wrong)


def test_a_neutral_value_is_sent_where_it_was_written():
    assert Parameters().sent_values == {"temperature": 0.7, "max_tokens": 2048}
    written = Parameters(top_p=1, presence_penalty=0)
    assert written.sent_values == {
        "temperature": 0.7, "top_p": 1, "max_tokens": 2048, "presence_penalty": 0
    }  # fmt: skip
    assert effective_parameters(Parameters(top_p=1, benchmark_mode=True)).explicit_names == (
        "top_p",
    )


def test_none_sends_none():
    none = Parameters(temperature=None, top_p=None, frequency_penalty=None, presence_penalty=None)
    assert none.sent_values == {"max_tokens": 2048}
    assert effective_parameters(none.override({"benchmark_mode": True})).temperature is None


@pytest.mark.parametrize(
    "given",
    [
        Parameters(),
        Parameters(top_p=1),
        Parameters(temperature=None, top_p=0.5),
        Parameters(frequency_penalty=0, presence_penalty=None, benchmark_mode=True),
    ],
)
def test_what_is_written_down_is_read_back_with_what_it_sends(given):
    again = Parameters.of_record(given.model_dump())
    assert (again, again.sent_values) == (given, given.sent_values)
    assert again.model_dump() == given.model_dump()


def test_parameters_of_before_are_written_as_they_were():
    names = ["temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty"]
    assert list(Parameters().model_dump()) == [*names, "benchmark_mode"]
    assert Parameters().model_dump()["top_p"] == 1.0


def test_others_go_before_and_leave_the_rest_as_it_was():
    made = Parameters(top_p=1, temperature=0.2).override({"temperature": None})
    assert made.sent_values == {"top_p": 1, "max_tokens": 2048}


@given_by(LEVELS)
def test_the_last_level_that_writes_a_parameter_wins_and_null_sends_none(levels):
    made = Parameters()
    for level in levels:
        made = made.override(level)
    merged = {name: value for level in levels for name, value in level.items()}
    assert made.written_values == merged
    assert {name for name in merged if merged[name] is None}.isdisjoint(made.sent_values)
    again = Parameters.of_record(json.loads(json.dumps(effective_parameters(made).model_dump())))
    assert (again.sent_values, again.output_bound) == (made.sent_values, made.output_bound)


def test_newer_parameters_are_dumped_and_hashed_only_where_they_are_set():
    before = Suite("sums", [{"id": "a", "prompt": "2 + 2?", "expected": "4"}])
    none = Suite("sums", before.cases, parameters=Parameters(**dict.fromkeys(NEW)))
    assert none.content_hash == before.content_hash
    assert none.parameters.model_dump() == Parameters().model_dump()
    for name, value in NEW.items():
        made = Suite("sums", before.cases, parameters={name: value})
        assert made.parameters.written_values == {name: value}, name
        assert made.content_hash != before.content_hash, name


def test_a_written_default_bound_beside_an_effort_stays_written():
    written = Parameters(max_tokens=2048, reasoning_effort="high")
    again = Parameters.of_record(written.model_dump())
    assert (again.output_bound, written.output_bound) == (2048, 2048)
    capped = Parameters.of_record(Parameters(max_tokens=2048).model_dump())
    assert capped.override({"reasoning_effort": "high"}).output_bound == 2048
    implicit = Parameters(reasoning_effort="high")
    later = Parameters.of_record(Parameters().model_dump()).override({"reasoning_effort": "high"})
    assert later.output_bound == 2048 + 16_384
    assert Parameters.of_record(implicit.model_dump()).output_bound == 2048 + 16_384


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ({}, 2048),
        ({"max_tokens": None, "reasoning_effort": "high"}, None),
        ({"reasoning_effort": "low"}, 2048 + 4096),
        ({"reasoning_effort": "none", "thinking_budget": 5000}, 2048),
        ({"thinking_budget": 5000}, 7048),
        ({"thinking_budget": 5000, "max_tokens": 100}, 5100),
        ({"reasoning_effort": "low", "max_tokens": 100}, 100),
    ],
)
def test_the_bound_leaves_room_for_thinking(values, bound):
    assert Parameters(**values).output_bound == bound


def test_efforts_rise():
    assert list(THINKING_TOKENS) == list(EFFORTS)
    assert sorted(THINKING_TOKENS.values()) == list(THINKING_TOKENS.values())


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "x"},
        {"x-api-key": "x"},
        {"X-Goog-Api-Key": "x"},
        {"Cookie": "a=b"},
        {"X-Access-Token": "x"},
        {"X-Note": "sk-ant-api03-0123456789abcdefghij"},
        {"Host": "elsewhere"},
        {"Content-Type": "text/plain"},
        {"X-Note": "a\r\nX-Other: b"},
        {"X Note": "a"},
        {"X-Note": "é"},
    ],
)
def test_a_header_that_may_hold_a_secret_or_is_not_ours_to_set_is_refused(headers):
    with pytest.raises(SpecError) as caught:
        Parameters(extra_headers=headers)
    assert "extra_headers" in str(caught.value)
    assert "0123456789" not in str(caught.value)


def test_a_secret_in_place_of_a_mapping_is_not_shown():
    with pytest.raises(SpecError) as caught:
        Parameters(extra_headers="sk-ant-api03-0123456789abcdefghij")
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        *({name: "x"} for name in sorted(RESERVED_FIELDS)),
        {"a": {"api_key": "x"}},
        {"a": ["sk-ant-api03-0123456789abcdefghij"]},
        {"a": float("nan")},
        {"a": object()},
        {"a": "x" * 200_000},
    ],
)
def test_a_field_that_may_hold_a_secret_or_is_not_ours_to_set_is_refused(body):
    with pytest.raises(SpecError) as caught:
        Parameters(extra_body=body)
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize("form", ["json", "json_object", {"type": "json_object"}])
def test_plain_json_may_be_written_as_chat_completions_write_it(form):
    assert Parameters(response_format=form).response_format == "json"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("yaml", "response_format must be 'json', not 'yaml'"),
        ({"type": "json_schema"}, "json_schema is missing"),
        ({"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}, "json_schema.name"),
    ],
)
def test_a_wrong_format_is_named(form, message):
    with pytest.raises(SpecError, match=message):
        Parameters(response_format=form)


def test_no_stop_texts_are_none():
    assert Parameters(stop=[]).stop is None

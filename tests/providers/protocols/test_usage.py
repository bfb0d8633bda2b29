# ruff: noqa: E501  faults stand on one line, as people see them

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.providers.protocols.usage import (
    ABSURD,
    INCONSISTENT,
    NEGATIVE,
    NOT_A_NUMBER,
    read_usage,
)
from benchmaker.record import Usage


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"input_tokens": 9, "output_tokens": 2}, Usage(input_tokens=9, output_tokens=2)),
        (
            {"input_tokens": 9, "cache_read_tokens": 5, "cache_write_5m_tokens": 1,
             "cache_write_1h_tokens": 2, "output_tokens": 4, "reasoning_tokens": 3, "total_tokens": 21},
            Usage(input_tokens=9, cache_read_tokens=5, cache_write_5m_tokens=1,
                  cache_write_1h_tokens=2, output_tokens=4, reasoning_tokens=3),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
             "prompt_tokens_details": {"cached_tokens": 60, "audio_tokens": 0},
             "completion_tokens_details": {"reasoning_tokens": 15}},
            Usage(input_tokens=40, cache_read_tokens=60, output_tokens=20, reasoning_tokens=15),
        ),
        ({"prompt_tokens": 7, "prompt_tokens_details": None}, Usage(input_tokens=7)),
        (
            {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
             "input_tokens_details": {"cached_tokens": 30}},
            Usage(input_tokens=70, cache_read_tokens=30, output_tokens=20),
        ),
        (
            {"input_tokens": 10, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50,
             "output_tokens": 5, "service_tier": "standard"},
            Usage(input_tokens=10, cache_read_tokens=1000, cache_write_5m_tokens=50, output_tokens=5),
        ),
        (
            {"input_tokens": 10, "cache_creation_input_tokens": 50, "output_tokens": 5,
             "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30}},
            Usage(input_tokens=10, cache_write_5m_tokens=20, cache_write_1h_tokens=30, output_tokens=5),
        ),
        ({"input_tokens": 9.0, "output_tokens": None}, Usage(input_tokens=9)),
        ({"completion_tokens": 3, "total_tokens": 50}, Usage(output_tokens=3)),
        (None, None),
        ({}, None),
        ({"service_tier": "x", "input_tokens": None}, None),
        ({"total_tokens": 5}, None),
    ],
)  # fmt: skip
def test_reports_of_all_kinds_become_disjoint_kinds(reported, usage):
    assert read_usage(reported) == usage


@pytest.mark.parametrize(
    ("reported", "flag"),
    [
        ({"prompt_tokens": -1, "completion_tokens": 2}, NEGATIVE),
        ({"input_tokens": "12"}, NOT_A_NUMBER),
        ({"input_tokens": True}, NOT_A_NUMBER),
        ({"input_tokens": 1.5}, NOT_A_NUMBER),
        ({"input_tokens": [1]}, NOT_A_NUMBER),
        ("many", NOT_A_NUMBER),
        ([1, 2], NOT_A_NUMBER),
        ({"output_tokens": 10**9 + 1}, ABSURD),
        ({"output_tokens": 10**30}, ABSURD),
        ({"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 11}, INCONSISTENT),
        ({"prompt_tokens": 5, "total_tokens": 4}, INCONSISTENT),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 6}}, INCONSISTENT),
        ({"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 6}}, INCONSISTENT),
        ({"output_tokens": 5, "reasoning_tokens": 6}, INCONSISTENT),
        ({"input_tokens": 1, "cache_read_tokens": 5, "output_tokens": 1, "total_tokens": 2}, INCONSISTENT),
        ({"cache_creation_input_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 6}}, INCONSISTENT),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": -1}}, NEGATIVE),
    ],
)  # fmt: skip
def test_what_can_not_be_true_is_unknown_with_a_flag(reported, flag):
    assert read_usage(reported) == Usage(flags=(flag,))


COUNTS = st.integers(0, 10**6)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_kinds_of_an_inclusive_report_sum_to_its_total(fresh, cached, output, reasoning):
    usage = read_usage(
        {
            "prompt_tokens": fresh + cached,
            "completion_tokens": output + reasoning,
            "total_tokens": fresh + cached + output + reasoning,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        }
    )
    assert usage.input_tokens + usage.cache_read_tokens + usage.output_tokens == (
        fresh + cached + output + reasoning
    )
    assert usage.input_tokens == fresh
    assert usage.reasoning_tokens == reasoning


NAMES = st.sampled_from(
    [
        "input_tokens",
        "output_tokens",
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cached_tokens",
        "prompt_tokens_details",
        "completion_tokens_details",
        "input_tokens_details",
        "cache_creation",
        "reasoning_tokens",
        "cache_creation_input_tokens",
        "ephemeral_5m_input_tokens",
        "cache_read_tokens",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=8,
)


@given(JSON)
def test_no_report_raises_and_no_figure_is_untrue(reported):
    usage = read_usage(reported)
    if usage is not None:
        figures = [getattr(usage, name) for name in Usage.__struct_fields__ if name != "flags"]
        known = [figure for figure in figures if figure is not None]
        assert all(0 <= figure <= 10**9 for figure in known)
        assert not (usage.flags and known)


@pytest.mark.parametrize(
    "reported",
    [
        {
            "prompt_tokens": 9,
            "completion_tokens": 20,
            "completion_tokens_details": {"reasoning_tokens": 12},
        },
        {"prompt_tokens": 9, "completion_tokens": 20, "reasoning_tokens": 12},
        {
            "input_tokens": 9,
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 12},
        },
        {"input_tokens": 9, "output_tokens": 20, "reasoning_tokens": 12},
    ],
)
def test_reasoning_lies_inside_output_wherever_it_is_reported(reported):
    assert read_usage(reported) == Usage(input_tokens=9, output_tokens=20, reasoning_tokens=12)

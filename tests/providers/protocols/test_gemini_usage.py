import pytest

from benchmaker.providers.protocols.gemini_usage import read_gemini_usage
from benchmaker.record import Usage


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (None, None),
        ({}, None),
        ({"totalTokenCount": 5}, None),
        (
            {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
            Usage(input_tokens=9, output_tokens=2),
        ),
        (
            {
                "promptTokenCount": 90,
                "cachedContentTokenCount": 80,
                "toolUsePromptTokenCount": 5,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 7,
                "totalTokenCount": 104,
            },
            Usage(input_tokens=15, cache_read_tokens=80, output_tokens=9, reasoning_tokens=7),
        ),
        (
            {"promptTokenCount": 9, "thoughtsTokenCount": 3, "totalTokenCount": 14},
            Usage(input_tokens=9, output_tokens=5, reasoning_tokens=3),
        ),
        (
            {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 12},
            Usage(flags=("usage_inconsistent",)),
        ),
        (
            {"promptTokenCount": 9, "cachedContentTokenCount": 10},
            Usage(flags=("usage_negative",)),
        ),
        ({"promptTokenCount": 9}, Usage(input_tokens=9)),
        ({"promptTokenCount": 9, "candidatesTokenCount": None}, Usage(input_tokens=9)),
        (
            {"promptTokenCount": 9, "thoughtsTokenCount": 3},
            Usage(input_tokens=9, reasoning_tokens=3),
        ),
        ({"promptTokenCount": 9, "totalTokenCount": 9}, Usage(input_tokens=9, output_tokens=0)),
        ({"promptTokenCount": "9"}, Usage(flags=("usage_not_a_number",))),
    ],
)
def test_counts_become_disjoint_kinds(reported, usage):
    assert read_gemini_usage(reported) == usage

"""What is kept of logs, and which figures are believed."""

import math
from pathlib import Path

import pytest

from benchmaker.arenas.agentic.logs.options import why_not_true
from tests.arenas.agentic.made import options

PATH = Path("a.jsonl")


@pytest.mark.parametrize("value", [-1, 1.5, math.nan, math.inf, "5", True, [], 10**13])
def test_what_is_no_count_is_refused_and_told(value):
    told = []
    assert options(told).count(value, "output", path=PATH, line=3) is None
    assert told[0].line == 3
    assert told[0].reason.startswith("output: ")


@pytest.mark.parametrize(("value", "count"), [(0, 0), (5, 5), (5.0, 5), (None, None)])
def test_counts_are_taken_and_missing_ones_stay_missing(value, count):
    told = []
    assert options(told).count(value, "output", path=PATH) == count
    assert told == []


@pytest.mark.parametrize("value", [-0.01, math.nan, math.inf, "1", False])
def test_what_is_no_amount_is_refused(value):
    told = []
    assert options(told).amount(value, "cost", path=PATH) is None
    assert len(told) == 1


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (-5, "is negative"),
        (-(10**400), "is negative"),
        ("-0.5", "is negative"),
        (-math.inf, "is not finite"),
        ("nan", "is not finite"),
        ("1e999", "is not finite"),
        (10**400, "can't be true"),
        ("many", "is not a number"),
        ("12k", "is not a number"),
        ("", "is not a number"),
        (True, "is not a number"),
        ([3], "is not a number"),
    ],
)
def test_a_complaint_says_what_is_wrong_with_a_figure(value, fault):
    assert f" {fault}; " in why_not_true("tokens", value)


def test_amounts_are_taken():
    assert options().amount(3, "cost", path=PATH) == 3.0
    assert options().amount(None, "cost", path=PATH) is None


def test_texts_are_cut_at_their_size_in_bytes_and_dropped_on_demand():
    assert options(max_text_bytes=8).text("ééééé") == "éééé… [2 bytes left out]"
    assert options(max_text_bytes=10).text("ééééé") == "ééééé"
    assert options(drop_content=True).text("a") is None
    assert options().text(None) is None

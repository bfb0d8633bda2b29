"""Plain tables in windows of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.cli.output.table import format_table

ROWS = [["r1", "2026-11-20 14:02", "1,234", "a-suite-of-a-long-name, robust/2, 2 models"]]
HEADS = ["run", "started", "trials", "suite"]


@pytest.fixture
def window(monkeypatch):
    return lambda columns: monkeypatch.setenv("COLUMNS", str(columns))


def test_a_text_at_the_end_is_cut(window):
    window(50)
    head, row = format_table(HEADS, ROWS, right=[2])
    assert head == "run  started           trials  suite"
    assert row == "r1   2026-11-20 14:02   1,234  a-suite-of-a-long-…"


def test_columns_without_room_are_named(window):
    window(40)
    assert format_table(["of a-long-series", *HEADS], [["s1", *ROWS[0]]], right=[3]) == [
        "of a-long-series  run  started",
        "s1                r1   2026-11-20 14:02",
        "Hidden at 40 columns: trials, suite. Use",
        "a wider terminal or --json to see them.",
    ]


def test_a_column_that_gives_way_is_left_out_before_those_on_the_right(window):
    window(50)
    series = "s-20261120-abcdef"
    heads, rows = [*HEADS[:1], "series", *HEADS[1:]], [[*ROWS[0][:1], series, *ROWS[0][1:]]]
    head, row, *_ = format_table(heads, rows, right=[3], gives_way=[1])
    assert head == "run  started           trials  suite"
    assert row == "r1   2026-11-20 14:02   1,234  a-suite-of-a-long-…"


def test_without_a_window_a_table_has_80_columns(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    _, row = format_table(HEADS, [[*ROWS[0][:3], "x" * 90]], right=[2])
    assert len(row) == 80


@given(
    figures=st.lists(st.integers(0, 10**9).map("{:,}".format), min_size=1, max_size=12),
    columns=st.integers(40, 120),
)
def test_a_figure_is_whole_or_its_column_is_named(figures, columns):
    heads = ["day", *(f"c{at}" for at in range(len(figures)))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        head, row, *below = format_table(
            heads, [["2026-11-20", *figures]], right=range(1, len(figures) + 1)
        )
    shown = head.split()
    assert row.split() == ["2026-11-20", *figures][: len(shown)]
    assert max(len(head), len(row)) <= columns
    named = " ".join(below).partition("columns: ")[2].partition(". Use a")[0]
    assert shown + [one for one in named.split(", ") if one] == heads

"""Counts with their nouns."""

import pytest

from benchmaker.record.counts import count
from benchmaker.record.submissions.figure_rows import FigureRow, count_of


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 searches"), (1, "1 search"), (1319, "1,319 searches")]
)
def test_an_irregular_plural_is_given(number, text):
    assert count(number, "search", "searches") == text


def test_the_plural_of_a_figure_is_its_own_or_the_regular_one():
    searches = count_of("WebSearch", "Web searches", "web search", plural="web searches")
    assert (searches.counted(1), searches.counted(2)) == ("1 web search", "2 web searches")
    assert searches.plural == "web searches"
    assert FigureRow("count", "Prompts", "prompt").plural == "prompts"
    assert FigureRow("count").plural == ""

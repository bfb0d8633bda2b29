"""Headings of pages go down one level at a time, also where a store is empty or nothing matches."""

import itertools
import re

import pytest

from tests.web.results_data import fetched
from tests.web.serving import serving

EMPTY = (
    "/", "/suites", "/suites/new", "/arena", "/runs", "/compare", "/code", "/code/standings",
    "/agentic", "/agentic/tasks", "/agentic/submissions", "/agentic/submit", "/agentic/review",
    "/agentic/usage", "/agentic/run", "/agentic/compare", "/agentic/search", "/judges",
    "/judges/label", "/settings/endpoints", "/settings/prices?q=none", "/settings/profiles",
    "/settings/about", "/keys", "/jump",
)  # fmt: skip
NO_MATCH = ("/runs?q=none", "/suites?q=none", "/code?q=none", "/judges?q=none")


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """The address of a server without any data."""
    with serving(tmp_path_factory.mktemp("empty")) as address:
        yield address


def skipped_levels(text):
    """Each heading that is more than one level below the heading before it."""
    levels = [0, *(int(one) for one in re.findall(r"<h([1-6])[ >]", text))]
    return [pair for pair in itertools.pairwise(levels) if pair[1] > pair[0] + 1]


@pytest.mark.parametrize("path", EMPTY)
def test_no_heading_skips_a_level_in_an_empty_store(empty, path):
    assert skipped_levels(fetched(empty + path)[2].decode()) == []


@pytest.mark.parametrize("path", NO_MATCH)
def test_no_heading_skips_a_level_where_nothing_matches(demo, path):
    text = fetched(demo + path)[2].decode()
    assert "No matching" in text
    assert skipped_levels(text) == []

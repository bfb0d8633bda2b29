"""The choice of runs to compare: a series in one row, with its runs below."""

import re

import pytest

from tests.web.accessible import violations
from tests.web.results_data import fetched


@pytest.fixture
def rows(demo):
    """The rows of the table as texts, without their tags."""
    page = fetched(f"{demo}/compare")[2].decode()
    found = re.findall(r"<tr class=\"stick\"><th scope=\"row\".*?</tr>", page, re.DOTALL)
    return [(row, " ".join(re.sub(r"<[^>]+>", " ", row).split())) for row in found]


def test_a_series_has_suite_state_models_profile_and_start(rows):
    markup, text = rows[0]
    assert re.search(r'value="s-[^"]+"', markup)
    assert "series, 3 runs" in text
    assert "office-desk" in text
    assert "finished" in text
    assert "illustrative-a" in text
    assert re.search(r"\w+/\d", text)
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", text)


def test_the_runs_of_a_series_stand_once_and_below_it(rows):
    assert ['class="inner"' in markup for markup, _ in rows] == [False, True, True, True]
    assert [re.search(r"run (\d)", text)[1] for _, text in rows[1:]] == ["1", "2", "3"]
    names = [re.search(r'value="([^"]+)"', markup)[1] for markup, _ in rows]
    assert len(set(names)) == 4


def test_a_series_with_its_own_run_is_one_result_and_says_so(demo, rows):
    series, run = (re.search(r'value="([^"]+)"', markup)[1] for markup, _ in rows[:2])
    reason = "a run is part of its series, and counts once"
    assert reason in fetched(f"{demo}/compare?runs={series},{run}")[2].decode()
    assert reason not in fetched(f"{demo}/compare?runs={series}")[2].decode()


def test_axe_finds_nothing_where_runs_are_chosen(tab, demo):
    assert violations(tab, f"{demo}/compare") == []


def test_the_rows_fit_a_phone(tab, demo):
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{demo}/compare")
    for chip in tab.locator("table .chip").all():
        box = chip.bounding_box()
        assert box["x"] + box["width"] <= 390

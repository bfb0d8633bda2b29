import json

import pytest

from tests.web.accessible import violations
from tests.web.serving import serving
from tests.web.stored import HOSTILE, put
from tests.web.test_guard import ask


@pytest.fixture
def judged(home):
    put(home, judges=("openai/gpt-4o", HOSTILE[1]))
    with serving(home) as address:
        yield address


def test_axe_finds_nothing_on_an_empty_page(tab, demo):
    assert violations(tab, demo + "/judges") == []


@pytest.mark.parametrize("path", ["/judges/2"])
def test_axe_finds_nothing(tab, judged, path):
    assert violations(tab, judged + path) == []
    assert tab.evaluate("window.hit") is None


def test_both_ratings_and_the_drift_are_shown(tab, judged):
    tab.goto(judged + "/judges")
    row = tab.locator("tbody tr", has_text="openai/gpt-4o").inner_text()
    assert "standard" in row
    tab.get_by_role("link", name="openai/gpt-4o").click()
    tab.wait_for_load_state()

    assert "samples" in tab.locator(".banner").first.inner_text()
    assert "Scores have drifted" in tab.locator("main").inner_text()
    assert tab.locator(".judged tbody tr").count() == 2
    assert tab.get_by_role("img", name="Reliability: ").count() == 1


def test_an_earlier_calibration_can_be_opened(tab, judged):
    tab.goto(judged + "/judges/1")
    tab.locator(".judged tbody a").last.click()
    tab.wait_for_load_state()

    assert "Drift not tested" in tab.locator("main").inner_text()


def test_the_page_says_what_the_command_says(judged):
    newest = json.loads(ask(judged, path="/judges/1.json")[2])["calibrations"][0]

    assert newest["judge_model_id"] == "openai/gpt-4o"
    assert newest["drift"]["has_drifted"]


def test_a_judge_that_is_not_there_is_missing(judged):
    assert ask(judged, path="/judges/3")[0] == 404
    assert ask(judged, path="/judges/1?calibration=none")[0] == 404


def test_the_notes_name_the_methods_of_the_intervals(judged):
    every, one = (ask(judged, path=path)[2] for path in ("/judges", "/judges/1"))

    assert "of the 95% intervals (Wilson; variance-matched Wilson, Student&#39;s t" in every
    assert "its 95% CI (variance-matched Wilson, Student&#39;s t)" in one

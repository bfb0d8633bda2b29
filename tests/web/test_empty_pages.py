"""Pages without data say what is missing and how it comes about."""

import re

import pytest

from tests.web.results_data import fetched
from tests.web.serving import serving


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("empty") / "home", works=False) as address:
        yield address


def state_of(empty, path):
    """The text of the only empty state of a page."""
    page = fetched(empty + path)[2].decode()
    [found] = re.findall(r'<div class="state">.*?</div>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def test_one_click_on_home_runs_the_example(tab, tmp_path):
    with serving(tmp_path / "home") as address:
        tab.goto(f"{address}/")
        assert "bundled answers" in tab.locator(".state").inner_text()
        tab.get_by_role("link", name="Set up a run").click()
        assert tab.get_by_label("Bundled, illustrative").is_checked()
        tab.go_back()
        tab.get_by_role("button", name="Run the example").click()
        tab.get_by_role("link", name="Open results").first.wait_for()


def test_baselines_say_when_a_task_gets_one(empty):
    assert state_of(empty, "/agentic/baselines") == (
        "No baselines yet. A task gets its first baseline with its first successful submission "
        "that is verified or attested. Submit a log"
    )


def test_bias_says_what_is_compared(empty):
    assert state_of(empty, "/agentic/bias") == (
        "No comparisons yet. Bias is tested on tasks that several tools have submissions to. "
        "Submit a log"
    )


def test_judges_do_not_speak_of_an_operator_to_the_user_of_this_machine(empty):
    found = state_of(empty, "/judges")
    assert "operator" not in found
    assert "command line" in found


def test_series_give_the_command_that_starts_one(empty):
    found = state_of(empty, "/agentic/run")
    assert found.startswith("No series yet.")
    assert "benchmaker agents run room-calendar --agent oracle --agent nop" in found


def test_usage_says_what_finds_the_logs_of_this_machine(empty):
    found = state_of(empty, "/agentic/usage")
    assert "imported on this page" not in found
    assert "The button above imports all logs on this machine" in found

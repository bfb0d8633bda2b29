"""Tool calls of a run against a local server: on its pages, and in the HTML report."""

import asyncio
import re

import pytest

from benchmaker import RunOptions, arun
from benchmaker.report.formats.exports import export
from tests.engine.requests.tool_models import a_tool_suite, chat_handler
from tests.providers.local import serving as answering
from tests.web.accessible import violations
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

CALLS = [
    "add(a=2, b=3): 5",
    "in parallel: add(a=1.5, b=1): 2.5",
    'clock(): {"time": "12:00"}',
    "3 steps",
]
CASES = ("sum", "twin")


def _run(home):
    """A run of two cases whose model calls tools, over HTTP."""
    cases = [{"id": name, "tools": ["add", "clock"]} for name in CASES]
    suite = a_tool_suite(home, *cases)

    async def work():
        async with answering(chat_handler()) as server:
            return await arun(
                suite,
                models=f"{server.url}/v1#gpt-x",
                home=home,
                options=RunOptions(concurrency=1),
                environ={},
            )

    return asyncio.run(work())


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The address of a server, the result of the run, and its data folder."""
    home = tmp_path_factory.mktemp("tools")
    result = aside(_run, home)
    with serving(home) as address:
        yield address, result, home


def _items(page, heading):
    return page.locator(heading).locator("ol").first.locator("li").all_text_contents()


def test_the_page_of_a_trial_lists_its_tool_calls(made, tab):
    address, result, _ = made
    tab.goto(f"{address}/runs/{result.run_ids[0]}/trials/0-0")

    assert _items(tab, "section[aria-labelledby=h-calls]") == CALLS
    assert not tab.complaints


def test_the_page_of_a_case_opens_the_tool_calls_of_an_answer(made, tab):
    address, result, _ = made
    tab.goto(f"{address}/runs/{result.run_ids[0]}/cases/1")
    drawer = tab.locator("details.drawer", has_text="Tool calls")
    drawer.locator("summary").click()

    assert drawer.locator("li").first.is_visible()
    assert drawer.locator("li").all_text_contents() == CALLS
    assert not tab.complaints


def test_every_page_with_tool_calls_is_accessible_in_both_themes(made, tab):
    address, result, _ = made
    run = f"{address}/runs/{result.run_ids[0]}"

    for path in ("", "/trials/0-0", "/cases/0"):
        assert violations(tab, f"{run}{path}") == []


def test_rows_and_pages_have_the_same_calls(made):
    address, result, _ = made
    _, _, body = fetched(f"{address}/runs/{result.run_ids[0]}/trials/0-0")
    (trial, _) = result.trials()

    names = [call.name for call in trial.transcript.tool_calls]
    assert names == ["add", "add", "clock"]
    assert re.findall(r"<li><bdi>(?:in parallel: )?(\w+)\(", body.decode()) == names


def test_the_report_shows_the_calls_and_is_accessible_in_both_themes(made, tab, tmp_path):
    _, result, _ = made
    file = tmp_path / "report.html"
    aside(export, result, file)
    tab.goto(file.as_uri())
    for drawer in tab.locator("details").all():
        drawer.evaluate("it => it.open = true")

    text = tab.locator("body").inner_text()
    assert all(line in text for line in CALLS)
    assert violations(tab, file.as_uri()) == []

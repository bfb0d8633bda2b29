"""Imported submissions without an evaluation: every board page says so and offers to evaluate."""

import re

import pytest

import benchmaker
from benchmaker.web.agentic import background_work
from tests.arenas.agentic.handed import a_submission, many, write_submissions
from tests.web.aside import aside
from tests.web.browser import patient
from tests.web.results_data import fetched
from tests.web.serving import serving

PAGES = (
    "/agentic",
    "/agentic/front",
    "/agentic/baselines",
    "/agentic/profiles",
    "/agentic/bias",
    "/agentic/trend",
)
REASON = "No board yet: 12 submissions to a task are not evaluated."


def served(tmp_path, submissions):
    """A server over a folder with these submissions, imported and not evaluated."""
    path = write_submissions(tmp_path / "s.jsonl", submissions)
    aside(lambda: benchmaker.import_logs(path, home=tmp_path / "home"))
    return serving(tmp_path / "home", works=False)


@pytest.fixture
def imported(tmp_path):
    with served(tmp_path, many(12)) as address:
        yield address


def main_of(address, path):
    """The words of a page's main part, without its heading and navigation."""
    page = fetched(address + path)[2].decode()
    main = page[page.index("<main") : page.index("</main>")]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


@pytest.mark.parametrize("path", PAGES)
def test_every_page_of_boards_has_the_reason_alone_and_the_action(imported, path):
    told = main_of(imported, path)

    assert f"Not evaluated yet. {REASON} Evaluate On the command line: benchmaker evaluate" in told
    assert "Submit a log" not in told
    assert "Not tested" not in told
    assert "No data yet" not in told


def test_submissions_without_a_task_need_one(tmp_path):
    with served(tmp_path, [a_submission(1, task=None)]) as address:
        told = main_of(address, "/agentic")
    assert "No board yet: the 1 stored submission has no task. Submit a log with a task" in told


def test_evaluate_opens_the_board(tab, imported):
    tab.goto(f"{imported}/agentic")
    tab.get_by_role("button", name="Evaluate").click()

    tab.locator("table.lead tbody tr").first.wait_for()
    assert "not evaluated" not in main_of(imported, "/agentic/bias")


@pytest.mark.parametrize("has_script", [True, False])
def test_a_page_that_is_computed_ends_by_itself(tab, imported, monkeypatch, has_script):
    """With a script it polls, without one the page loads again."""
    tab.goto(f"{imported}/agentic")
    tab.get_by_role("button", name="Evaluate").click()
    tab.locator("table.lead tbody tr").first.wait_for()
    results = [None]
    real = background_work._BackgroundWorker.result
    monkeypatch.setattr(
        background_work._BackgroundWorker,
        "result",
        lambda *given: results.pop() if results else real(*given),
    )
    other = patient(tab.context.browser, java_script_enabled=has_script).new_page()
    other.goto(f"{imported}/agentic/profiles?a=classic&b=robust")
    assert not results
    other.locator("#computing").wait_for(state="detached")

    assert other.get_by_role("heading", name="Computing").count() == 0
    other.context.close()

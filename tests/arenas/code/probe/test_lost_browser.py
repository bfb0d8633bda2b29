"""A browser that ends while a page is in it: the machine's doing, never the page's."""

import pytest

from benchmaker.arenas.code.probe import checks
from benchmaker.errors import RenderError
from benchmaker.spec.suites.page_checks import Check
from tests.arenas.code.probe.conftest import Probing
from tests.waiting import until

PAGE = "<button>Go</button>"
STEPS = [{"click": {"role": "button", "name": "Go"}}, {"expect": "Page"}]
CHECK = Check.model_validate({"steps": STEPS})


@pytest.fixture
def alone():
    """A prober of its own, whose browser may be ended."""
    probing = Probing(budget_s=60)
    yield probing
    probing.close()


def ending(monkeypatch, times):
    """Let the browser end before a step of the checks, so many times; gives the steps."""
    ended = []
    usual = checks._take

    async def take(visit, step):
        if len(ended) < times:
            ended.append(step)
            visit._browser.memory.kill_all()
        await usual(visit, step)

    monkeypatch.setattr(checks, "_take", take)
    return ended


def test_a_page_is_shown_once_more_where_its_browser_ended(alone, monkeypatch):
    ended = ending(monkeypatch, 1)
    (found,) = alone.report(PAGE, checks=[CHECK]).checks
    assert (found.passed, found.message) == (True, "")
    assert len(ended) == 1


def test_checks_fail_for_no_browser_that_ends_twice(alone, monkeypatch):
    ending(monkeypatch, 2)
    with pytest.raises(RenderError, match="the browser exited while it showed the page"):
        alone.report(PAGE, checks=[CHECK])
    assert alone.report(PAGE, checks=[CHECK]).checks[0].passed


def test_a_browser_that_ended_is_replaced_before_the_driver_reports_its_end(alone):
    async def driver_lags() -> bool:
        browser = await alone.prober._running_browser()
        browser.memory.kill_all()
        until(lambda: not browser.is_running)  # the loop stands still, so that the driver is silent
        is_lagging = browser.chromium.is_connected()
        return is_lagging and await alone.prober._running_browser() is not browser

    assert alone.run(driver_lags())
    assert alone.report(PAGE, checks=[CHECK]).checks[0].passed

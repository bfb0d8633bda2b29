"""Wide plots and tables on a narrow page: a hint, and a shadow at the edge that hides more."""

import pytest

from tests.web import agentic_data
from tests.web.aside import aside
from tests.web.serving import serving


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    home = aside(agentic_data.ordinary, tmp_path_factory.mktemp("narrow") / "home")
    with serving(home, works=False) as address:
        yield address


def test_narrow_page_says_that_its_plot_scrolls(tab, arena):
    hint = "Scroll sideways to see the whole plot."
    for width, is_said in ((390, True), (1280, False)):
        tab.set_viewport_size({"width": width, "height": 800})
        tab.goto(f"{arena}/agentic/front?evidence=self_reported")
        plot = tab.locator(".drawing").first
        assert plot.evaluate("it => it.scrollWidth > it.clientWidth") is is_said
        assert tab.get_by_text(hint).first.is_visible() is is_said


def test_wide_table_has_a_shadow_at_its_edge(tab, arena):
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(f"{arena}/agentic?evidence=self_reported")
    table = tab.locator(".scroll").first
    assert table.evaluate("it => it.scrollWidth > it.clientWidth")
    assert "linear-gradient" in table.evaluate("it => getComputedStyle(it).backgroundImage")

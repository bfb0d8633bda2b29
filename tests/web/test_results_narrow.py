"""Results, Home and Compare at 320 px: no number or verdict is cut at the edge of a table."""

import pytest

import benchmaker
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.serving import serving

pytestmark = pytest.mark.long

MODELS = (
    "openai/gpt-5 · careful · high",
    "openrouter/anthropic/claude-sonnet-4.5-20250929",
    "http://127.0.0.1:18731/v1#tiny",
)
CASES = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(24)]

CUT = r"""(table) => {
  const box = document.querySelector(table).closest(".scroll").getBoundingClientRect();
  const texts = document.createTreeWalker(document.querySelector(table), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text; text = texts.nextNode();) {
    const own = text.parentElement, range = document.createRange();
    const isAside = own.closest(".sr, svg, details:not([open])");
    if (!text.data.trim() || !own.checkVisibility() || isAside) continue;
    range.selectNodeContents(text);
    if (range.getBoundingClientRect().right > box.right + 1) found.push(text.data);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("narrow")
    suite = benchmaker.Suite("capitals of the world", CASES, scorer="exact")
    ids = []
    for right in ((22, 20, 10), (20, 21, 9)):
        known = dict(zip(MODELS, right, strict=True))
        provider = Scripted(
            lambda it, known=known: "Lima" if int(it.case_id[1:]) < known[it.model] else "Quito",
            models=MODELS,
        )
        ids += aside(benchmaker.run, suite, provider=provider, home=home).run_ids
    with serving(home, works=False) as address:
        yield address, ids


@pytest.mark.parametrize("path", ["/", "/runs"])
def test_lists_of_results_show_verdicts_whole(tab, filled, path):
    tab.set_viewport_size({"width": 320, "height": 900})
    tab.goto(filled[0] + path)
    assert tab.evaluate(CUT, "table.latest") == []


def test_comparison_shows_the_figures_before_and_after_whole(tab, filled):
    address, (first, second) = filled
    tab.set_viewport_size({"width": 320, "height": 900})
    tab.goto(f"{address}/compare?runs={first}&runs={second}")
    assert tab.evaluate(CUT, "table.ptable") == []
    rows = tab.locator("table.ptable tbody").inner_text()
    assert "91.7 → 83.3" in rows
    assert "−8.3" in rows


def test_tables_of_named_runs_show_every_interval_whole(tab, filled):
    address, (first, second) = filled
    tab.set_viewport_size({"width": 320, "height": 900})
    tab.goto(f"{address}/compare?runs={first}&runs={second}&ref=1")
    for part in ("h-means", "h-diff"):
        assert tab.evaluate(CUT, f".scroll[aria-labelledby={part}] table") == []


@pytest.mark.parametrize("reference", ["", "&ref=1"])
def test_case_grid_keeps_its_cases_and_their_head_where_it_scrolls(tab, filled, reference):
    address, (first, second) = filled
    tab.set_viewport_size({"width": 320, "height": 900})
    tab.goto(f"{address}/compare?runs={first}&runs={second}{reference}")
    grid = tab.locator("table.heat")
    grid.evaluate(
        "it => { it.querySelector('th').scrollIntoView({block: 'center'});"
        " it.closest('.scroll').scrollLeft = 60; }"
    )
    box = tab.locator(".scroll", has=grid)
    for head in (grid.locator("thead th").first, grid.locator("tbody th").first):
        assert head.bounding_box()["x"] == pytest.approx(box.bounding_box()["x"], abs=1)
        assert head.evaluate(
            "it => { const at = it.getBoundingClientRect();"
            " const met = document.elementFromPoint(at.right - 4, at.top + at.height / 2);"
            " return it.contains(met); }"
        )

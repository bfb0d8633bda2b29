"""Cost and latency of each model stand in the table of the page, with the terminal's figures."""

import re

import pytest

import benchmaker
from benchmaker.report.result_tables.means import MEANS
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving


@pytest.fixture(scope="module")
def demo(demo_home):
    """The address of the demo, and its series and first run as Python sees them."""
    series = aside(benchmaker.results, home=demo_home)
    run = aside(benchmaker.results, series.run_ids[0], home=demo_home)
    with serving(demo_home, works=False) as address:
        yield address, series, run


def table_of(page):
    """The heads and the rows of the table of means, as texts."""
    drawn = re.search(r'aria-labelledby="h-forest".*?</section>', page, re.DOTALL)[0]
    heads = [texts(one) for one in re.findall(r"<th scope=\"col\".*?</th>", drawn, re.DOTALL)]
    rows = re.findall(r'<tr class="stick"><th scope="row">.*?</tr>', drawn, re.DOTALL)
    return heads, [[texts(it) for it in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in rows]


def texts(drawn):
    plain = re.sub(r"<small.*?</small>|<svg.*?</svg>", "", drawn, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", plain).split())


@pytest.mark.parametrize("of_series", [True, False])
def test_page_has_the_terminals_cost_and_latency_of_each_model(demo, of_series):
    address, series, run = demo
    path = f"/series/{series.series_id}" if of_series else f"/runs/{run.run_ids[0]}"
    heads, rows = table_of(fetched(address + path)[2].decode())
    terminal = MEANS.table((series if of_series else run).summary)
    titles = [column.name.split("\n")[0] for column in terminal.columns]
    for title in ("Cost", "Latency"):
        at = next(place for place, head in enumerate(heads) if head.startswith(title))
        of_terminal = [row[titles.index(title)] for row in terminal.rows]
        assert [row[at] for row in rows] == of_terminal
        assert all(of_terminal)


def test_narrow_page_shows_cost_and_latency_below_each_name(tab, demo):
    address, series, _ = demo
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(f"{address}/series/{series.series_id}")
    names = tab.locator("[aria-labelledby=h-forest] tbody th").all_inner_texts()
    terminal = MEANS.table(series.summary)
    titles = [column.name.split("\n")[0] for column in terminal.columns]
    for name, row in zip(names, terminal.rows, strict=True):
        assert row[titles.index("Cost")] in name
        assert row[titles.index("Latency")] in name

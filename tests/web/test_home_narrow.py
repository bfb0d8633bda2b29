"""Home on a narrow page: the verdict and the cost stay."""

import benchmaker
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.serving import serving

CASES = [benchmaker.Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(3)]


def test_narrow_home_shows_the_verdict_and_names_the_cost(tab, tmp_path):
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    answers = {"worse": "Quito", "better": "Lima"}
    both = Scripted(lambda request: answers[request.model], models=tuple(answers))
    aside(benchmaker.run, suite, provider=both, home=tmp_path)
    with serving(tmp_path) as address:
        tab.set_viewport_size({"width": 390, "height": 800})
        tab.goto(f"{address}/")
        narrow = tab.locator("table.latest tbody").inner_text()
        tab.set_viewport_size({"width": 1280, "height": 800})
        wide = tab.locator("table.latest tbody").inner_text()
    for shown in (narrow, wide):
        assert shown.count("no significant difference from worse: +100.0") == 1
    assert "cost unknown" in narrow

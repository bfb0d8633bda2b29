"""The identifying end of a model's name stays on one line; the whole name is never lost."""

import pytest

import benchmaker
from benchmaker import Case, Suite
from benchmaker.providers.scripted import Scripted
from tests.web.aside import aside
from tests.web.serving import serving

BASE = "http://inference.internal.example.org:8000/openai-compatible/v1"
MODELS = (f"{BASE}#sloppy", f"{BASE}#quick")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    home = tmp_path_factory.mktemp("names") / "home"
    cases = [Case(id=f"c{at}", prompt="A city?", expected="Lima") for at in range(3)]
    made = aside(
        benchmaker.run,
        Suite("cities", cases, scorer="exact"),
        provider=Scripted(lambda _: "Lima", models=MODELS),
        home=home,
    )
    with serving(home) as server:
        yield server, made.run_ids[0]


@pytest.mark.parametrize("path", ["/runs/RUN", "/arena/RUN", "/"])
def test_the_end_of_a_long_name_has_one_line_and_the_middle_is_cut(tab, address, path):
    server, run = address
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(server + path.replace("RUN", run))
    ends = tab.locator("bdi .whole:visible")
    assert ends.count() >= 1
    for end in ends.all():
        assert end.inner_text() in {"#sloppy", "#quick"}
        assert end.evaluate("it => it.getClientRects().length") == 1
    titles = {it.get_attribute("title") for it in tab.locator("bdi > [title]").all()}
    assert titles <= set(MODELS)
    assert titles

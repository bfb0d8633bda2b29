"""No page is wider than its window, with names as long as real ones; wide tables scroll alone."""

import pytest

import benchmaker
from benchmaker import Case, RunOptions, Suite
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from benchmaker.record.submissions.submission import System
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.web.accessible import THEMES, scrolls_sideways
from tests.web.aside import aside
from tests.web.serving import serving

WIDTHS = (1280, 390)
MODELS = tuple(
    f"openrouter/{name}"
    for name in ("anthropic/claude-sonnet-4.5-20250929", "mistralai/mistral-medium-3.1:free")
)
ADDRESSES = (
    "/",
    "/runs",
    "/series/SERIES",
    "/series/SERIES?margin=9",
    "/series/SERIES/cases",
    "/arena/SERIES",
    "/suites",
    "/agentic/submissions",
    "/agentic/submissions?sort=-model",
    "/agentic/front?evidence=self_reported",
    "/agentic?evidence=self_reported",
    "/agentic/usage?by=model",
)
FITS = ("/", "/runs", "/agentic/submissions")
"""Pages whose tables need no scrolling on a laptop."""


def answer(request):
    """Answer as if by a model; one of them errs once."""
    is_wrong = request.model == MODELS[1] and request.case_id.endswith("0")
    cost = 0.001 * (1 + MODELS.index(request.model))
    return Completion(text="Quito" if is_wrong else "Lima", cost_usd=cost)


def a_home(home):
    """The id of the series in a data folder with long names."""
    cases = [
        Case(id=f"capitals-of-south-america-{n}", prompt="?", expected="Lima") for n in range(9)
    ]
    suite = Suite("customer-support-triage-of-the-spring", cases, scorer="exact")
    provider = Scripted(answer, models=MODELS)
    made = benchmaker.run(suite, provider=provider, home=home, options=RunOptions(runs=2))
    sessions = [
        a_submission(
            number,
            task="repair-the-parser-of-configuration-files",
            system=System(
                harness="openhands-software-agent", model=MODELS[number % 2], effort="high"
            ),
        )
        for number in range(12)
    ]
    benchmaker.evaluate(write_submissions(home.with_suffix(".jsonl"), sessions), home=home)
    return made.series_id


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    home = tmp_path_factory.mktemp("width") / "home"
    home.mkdir()
    series = aside(a_home, home)
    with serving(home, works=False) as address:
        yield address, series


@pytest.mark.parametrize("path", ADDRESSES)
def test_no_page_with_long_names_is_wider_than_its_window(tab, long_names, path):
    address, series = long_names
    assert tab.goto(address + path.replace("SERIES", series)).status == 200
    for theme in THEMES:
        tab.emulate_media(color_scheme=theme)
        for width in WIDTHS:
            tab.set_viewport_size({"width": width, "height": 800})
            assert not scrolls_sideways(tab), (theme, width)


@pytest.mark.parametrize("path", FITS)
def test_these_tables_fit_a_laptop(tab, long_names, path):
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(long_names[0] + path)
    wide = tab.locator(".scroll").evaluate_all(
        "all => all.filter(it => it.scrollWidth > it.clientWidth).map(it => it.scrollWidth)"
    )
    assert wide == []

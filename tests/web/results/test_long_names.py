"""Pages with twelve long names, and 0, 1, 5,004 and 100,008 trials, at four widths."""

from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe

import benchmaker
from benchmaker import Case, Suite
from benchmaker.providers.base import Completion
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Run, RunState, Usage
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web import accessible
from tests.web.aside import aside
from tests.web.results_data import many_cases_home
from tests.web.serving import serving

pytestmark = pytest.mark.long

MODELS = (
    "openrouter/anthropic/claude-sonnet-4.5-20250929",
    "openrouter/openai/gpt-5.1-codex-max-2025-11-13",
    "openrouter/google/gemini-3-pro-preview-11-2025",
    "bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0",
    "together_ai/meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "fireworks_ai/accounts/fireworks/models/deepseek-v3p1-terminus",
    "openrouter/mistralai/mistral-medium-3.1-2508-instruct",
    "openrouter/qwen/qwen3-235b-a22b-thinking-2507",
    "openrouter/x-ai/grok-4-fast-reasoning-2025-09",
    "azure/prod-eastus2/gpt-4.1-mini-2025-04-14",
    "vertex_ai/mistral-large-instruct-2411-v2",
    "ollama/phi-4-reasoning-plus-14b-q8_0-instruct",
)
WIDTHS = (320, 390, 1280, 1920)
CASES, MANY = 417, 8_334
CHOSEN = urlencode([("models", name) for name in MODELS])
AT = "2026-11-20T14:02:00.000Z"
PATHS = (
    "/", "/runs",
    *(f"/runs/AFTER?tab={tab}" for tab in ("cases", "categories", "pairs", "plots", "settings")),
    "/runs/AFTER/cases", "/runs/AFTER/cases?q=4&show=scores", "/runs/AFTER/cases/7",
    "/runs/AFTER/trials/7-2", "/runs/AFTER/notes", "/compare?runs=BEFORE,AFTER",
    "/compare?runs=BEFORE,AFTER&ref=1", "/suites/SUITE/history",
    "/suites", "/suites/SUITE", "/suites/SUITE/sheet", "/suites/SUITE/paste",
    "/suites/SUITE/prompts", "/suites/SUITE/cases/7",
    "/arena", f"/arena?set=1&suite=SUITE&{CHOSEN}", "/arena/AFTER", "/arena/ONE", "/arena/none",
    *(f"/runs/many-1?tab={tab}" for tab in ("cases", "pairs", "plots")), "/runs/many-1/cases",
    "/runs/many-1/cases?q=8&show=scores", "/runs/many-1/cases/7", "/arena/many-1",
    *(f"/runs/ONE?tab={tab}" for tab in ("cases", "pairs", "plots")), "/runs/ONE/cases",
    *(f"/runs/none?tab={tab}" for tab in ("cases", "pairs", "plots")), "/runs/none/cases",
)  # fmt: skip
_CLIPPED = r"""() => {
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text; text = texts.nextNode();) {
    const own = text.parentElement, range = document.createRange();
    const isAside = own.closest(".sr, .tx, .clip, .clip-1, svg, pre, details:not([open])");
    if (!/\d/.test(text.data) || !own.checkVisibility() || isAside) continue;
    range.selectNodeContents(text);
    const place = range.getBoundingClientRect();
    for (let box = own; box.id !== "main"; box = box.parentElement) {
      const how = getComputedStyle(box).overflowX, edge = box.getBoundingClientRect();
      if (how === "auto" || how === "scroll") break;
      if (how !== "visible" && (place.right > edge.right + 1 || place.left < edge.left - 1))
        found.push(`${box.className}: ${text.data}`);
    }
  }
  return found.slice(0, 5);
}"""
"""Numbers that run out of a box which neither shows the rest nor scrolls."""


def answerer(when):
    def answer(request):
        rank, case = MODELS.index(request.model), int(request.case_id[1:])
        is_right = (case * 7 + rank * 5 + when) % 13 > rank % 5
        text = f"First {case}, then 7. The answer is {case + 7 if is_right else case + 70}."
        usage = Usage(input_tokens=123_456 + case, output_tokens=98_765)
        return Completion(text=text, cost_usd=1.2345 * (rank + 1), usage=usage)

    return answer


def answered(home, name, when, cases, models=MODELS):
    suite = Suite(
        name,
        [
            Case(id=f"c{at}", prompt=f"{at} + 7?", expected=str(at + 7), category=f"sums-{at % 3}")
            for at in range(cases)
        ],
        scorer="numeric",
        profile="robust",
    )
    provider = Scripted(answerer(when), models=models)
    made = benchmaker.run(suite, provider=provider, models=list(models), home=home)
    return made.run_ids[0], made.runs[0].suite_hash


def fill(home):
    """The ids of the runs, and of the suite, under their names in ``PATHS``."""
    before, suite = answered(home, "customer-support-triage-of-the-spring", 0, CASES)
    after, _ = answered(home, "customer-support-triage-of-the-spring", 1, CASES)
    many_cases_home(home, MANY, names=MODELS)
    one, single = answered(home, "one-case", 0, 1, MODELS[:1])
    with Store.open(home / STORE_FILE) as store:
        run = Run(
            id="none", suite_hash=single, suite_name="one-case", models=MODELS, profile="robust",
            profile_version="2", planned=12, started_at=AT,
        )  # fmt: skip
        store.add_run(run)
        store.set_run_state(run.id, RunState.INTERRUPTED, finished_at=AT)
    return {"BEFORE": before, "AFTER": after, "ONE": one, "SUITE": suite}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    home = tmp_path_factory.mktemp("long") / "home"
    home.mkdir()
    names = aside(fill, home)
    with serving(home, works=False) as address:
        yield address, names


@pytest.mark.parametrize("path", PATHS)
def test_long_names_and_large_numbers_fit_at_every_width(tab, filled, path):
    address, names = filled
    for word, name in names.items():
        path = path.replace(word, name)
    assert tab.goto(address + path).status == 200
    tab.locator("#computing").wait_for(state="detached")
    tab.wait_for_load_state()
    tab.emulate_media(reduced_motion="reduce")
    tab.evaluate(Axe().axe_script)
    found = []
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 900})
        assert not accessible.scrolls_sideways(tab), width
        found += [f"{width}: clipped {it}" for it in tab.evaluate(_CLIPPED)]
        for theme in accessible.THEMES:
            tab.emulate_media(color_scheme=theme)
            asked = accessible.RULES[theme]
            found += [f"{width} {theme}: {it}" for it in tab.evaluate(accessible.FOUND, asked)]
    assert found == []

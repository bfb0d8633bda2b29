"""Every page of the Code Arena, in both themes, from a small phone to a wide screen."""

import json
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.code.prompt_suite import suite_of_stored_page
from benchmaker.store import Store
from tests.web.accessible import THEMES, violations_here
from tests.web.aside import aside
from tests.web.code_pages import page
from tests.web.serving import serving
from tests.web.test_arena_live import asking

SIZES = tuple((width, theme) for width in (320, 390, 1280, 1920) for theme in THEMES)
ADDS = '<p id="n">0</p><button onclick="n.textContent = +n.textContent + 1">Add</button>'
DEAD = ADDS.partition("<button")[0] + "<button>Add</button>"
SUITE = """\
name: pages
profile: robust
scorer: code_judge
cases:
  - id: counter
    prompt: A counter with a button that adds one.
    page: {checks: [{name: adds, steps: [{click: Add}, {expect: {css: "#n", has_text: "1"}}]}]}
  - {id: heading, prompt: A page with a heading.}
"""
CLIPPED = """() => {
  const found = [], box = it => it.getBoundingClientRect();
  for (const it of document.querySelectorAll("main *")) {
    const isNumber = !it.children.length && /\\d/.test(it.textContent) && it.checkVisibility();
    if (!isNumber || it.closest(".sr, .answer, iframe, details:not([open])")) continue;
    for (let up = it; up && up !== document.body; up = up.parentElement) {
      const how = getComputedStyle(up), over = box(it).right - box(up).right;
      if (["auto", "scroll"].includes(how.overflowX)) break;
      const cuts = ["hidden", "clip"].includes(how.overflowX) && how.textOverflow !== "ellipsis";
      if (cuts && (over > 1 || up === it && it.scrollWidth > it.clientWidth + 1))
        found.push(it.textContent.trim());
    }
  }
  return found.slice(0, 5);
}"""
"""Numbers that an element around them cuts off, where nothing can be scrolled."""

VIEWS = (
    "/code?example=tabs",
    "/code/RUN",
    "/code/RUN?names=1&w=375",
    "/code/RUN/vote?by=ada",
    "/code/RUN/1/1",
    "/code/RUN/1/live",
    "/code/models/RUN/1?all=1",
    "/code/BETTER",
    "/code/BETTER/1/1/before",
    "/code/standings?run=RUN&style=length",
)


def _run(home, suite, rows):
    file = home / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = RunOptions(judge=())
    made = aside(lambda: benchmaker.run(suite, recorded=file, home=home, options=options))
    return made.run_ids[0]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with a run of four rendered pages, and the ids of it and of an improvement."""
    home = tmp_path_factory.mktemp("sizes")
    (home / "suite.yaml").write_text(SUITE)
    rows = [
        {"id": case, "model": model, "output": page("Counter", body=body)}
        for case in ("counter", "heading")
        for model, body in (("illustrative/adder", ADDS), ("illustrative/idler", DEAD))
    ]
    run_id = _run(home, home / "suite.yaml", rows)
    with Store.open(home / "benchmaker.db") as store:
        idle = next(it.key for it in store.trials(run_id) if it.key.model.endswith("idler"))
        suite = suite_of_stored_page(store, idle, "Make the button add one.")
    better = {"id": "page", "model": idle.model, "output": page("Counter", body=ADDS)}
    return home, {"RUN": run_id, "BETTER": _run(home, suite, [better])}


@pytest.fixture(scope="module")
def address_of(stored):
    """The address of a view, by its path with RUN and BETTER for the ids of the runs."""
    home, names = stored
    with serving(home, previews=True, works=False) as address:
        _vote(address, names["RUN"])

        def full(path):
            for word, run_id in names.items():
                path = path.replace(word, run_id)
            return address + path

        yield full


def _vote(address, run_id):
    for voter in ("ben", "carl", "dora"):
        for number in (1, 2):
            fields = urlencode({"a": 1, "b": 2, "by": voter, "pick": "left", "visual": "tie"})
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            with asking(address, "POST", f"/code/{run_id}/{number}", fields, **kind) as answer:
                assert answer.status == 303


def _faults(tab):
    found = violations_here(tab, SIZES)
    for width, _ in SIZES[:: len(THEMES)]:
        tab.set_viewport_size({"width": width, "height": 900})
        found += [f"{width}: {it} is cut off" for it in tab.evaluate(CLIPPED)]
    return found


@pytest.mark.long
@pytest.mark.parametrize("path", VIEWS)
def test_a_page_is_accessible_and_whole_at_every_width(tab, address_of, path):
    assert tab.goto(address_of(path)).status == 200
    assert _faults(tab) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["Code", "Screenshots", "Report"])
@pytest.mark.parametrize("path", ["/code/RUN/1/1", "/code/RUN/1?a=1&b=2&by=ben"])
def test_each_tab_of_a_page_is_accessible_and_whole_at_every_width(tab, address_of, path, name):
    tab.goto(address_of(path))
    for one in tab.get_by_role("tab", name=name).all():
        one.click()
    for drawer in tab.locator("main details.drawer > summary").all():
        drawer.click()
    if name == "Report":
        expect(tab.get_by_role("img", name="Window after step 2").first).to_be_visible()
    tab.evaluate("scrollTo(0, 0)")  # nothing is half below a bar that stays in sight
    assert _faults(tab) == []

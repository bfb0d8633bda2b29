"""Twenty scripted interactions: the verdict and the reason of each step, and its picture."""

from typing import NamedTuple

import pytest

from benchmaker.arenas.code.png import decode_png
from benchmaker.arenas.code.probe import checks
from benchmaker.record import ProbeReport, StepOutcome
from benchmaker.spec.suites.page_checks import Check
from tests.arenas.code.probe.conftest import Probing

PASSED, FAILED, NOT_REACHED = StepOutcome


class Interaction(NamedTuple):
    """A page, steps, and the expected film strip.

    ``frames`` has a letter per step that was reached: equal letters are equal pictures. ``fault``
    is the reason of the last step that was reached, empty where all pass.
    """

    page: str
    steps: list[dict]
    frames: str
    fault: str = ""
    width: int = 1440


def expect(css: str, **conditions) -> dict:
    return {"expect": {"css": css, **conditions}}


def click(css: str) -> dict:
    return {"click": {"css": css}}


COUNTER = '<button id="b" onclick="o.textContent=+o.textContent+1">More</button><p id="o">0</p>'
BOX = '<label><input id="c" type="checkbox"> Agree</label>'
FORM = (
    '<input id="t"><button id="b" disabled>Send</button>'
    "<script>t.oninput=()=>{b.disabled=!t.value}</script>"
)
SIDES = (
    '<div style="display:flex;gap:20px"><p id="a">Left</p><p id="b">Right</p></div>'
    '<p id="c">Below</p><p id="d" style="position:absolute;top:0;left:0;width:900px">Over</p>'
)
NARROW = '<div style="width:200px;overflow:hidden"><p id="a" style="width:500px">Words</p></div>'
LATER = (
    '<button id="b" onclick="setTimeout(()=>o.hidden=false,800)">Go</button>'
    '<p id="o" hidden>Now</p>'
)
FRAMED = '<nav id="a" style="width:900px">Menu</nav>'
FOCUS = '<input id="t"><button id="b" onclick="t.focus()">Edit</button>'
LIST = (
    '<input id="t"><ul id="l"></ul><script>t.onkeydown=(e)=>{if(e.key==="Enter")'
    '{l.innerHTML+="<li>"+t.value+"</li>";t.value=""}}</script>'
)
MENU = '<button id="b" onclick="m.hidden=!m.hidden">Menu</button><nav id="m" hidden>Home</nav>'
COVERED = '<button id="b">Go</button><div style="position:fixed;inset:0"></div>'
SELECT = '<select id="s"><option>One<option>Two</select>'
SWITCH = (
    '<button id="b" role="switch" aria-checked="false" '
    "onclick=\"this.setAttribute('aria-checked',this.ariaChecked!=='true')\">Dark</button>"
)
SPINNER = (
    "<style>@keyframes s{to{width:900px}}#s{width:9px;height:9px;background:red;"
    "animation:s 1s infinite}</style><div id=s></div>" + COUNTER
)

STRIPS = {
    "counts": Interaction(COUNTER, [click("#b"), click("#b"), expect("#o", has_text="2")], "abb"),
    "counts too far": Interaction(
        COUNTER, [click("#b"), expect("#o", has_text="2"), click("#b")], "aa", "its text is '1'"
    ),
    "agrees": Interaction(
        BOX, [expect("#c", checked=False), click("#c"), expect("#c", checked=True)], "abb"
    ),
    "never agrees": Interaction(BOX, [expect("#c", checked=True)], "a", "it is not checked"),
    "enables": Interaction(
        FORM,
        [
            expect("#b", disabled=True),
            {"fill": {"css": "#t", "with": "x"}},
            expect("#b", disabled=False),
        ],
        "abb",
    ),
    "stays disabled": Interaction(FORM, [expect("#b", disabled=False)], "a", "it is disabled"),
    "holds a value": Interaction(
        FORM,
        [{"fill": {"css": "#t", "with": "milk"}}, expect("#t", value="milk")],
        "aa",
    ),
    "holds another value": Interaction(FORM, [expect("#t", value="milk")], "a", "its value is ''"),
    "takes the focus": Interaction(FOCUS, [click("#b"), expect("#t", has_focus=True)], "aa"),
    "has no focus": Interaction(
        FOCUS, [expect("#t", has_focus=True)], "a", "it does not have the focus"
    ),
    "adds by the keyboard": Interaction(
        LIST,
        [
            {"fill": {"css": "#t", "with": "tea"}},
            {"press": {"key": "Enter", "css": "#t"}},
            expect("li", count=1, has_text="tea"),
        ],
        "abb",
    ),
    "opens and closes": Interaction(
        MENU,
        [click("#b"), expect("#m"), click("#b"), expect("#m", visible=False)],
        "aabb",
    ),
    "comes later": Interaction(LATER, [click("#b"), expect("#o")], "ab"),
    "is covered": Interaction(COVERED, [click("#b"), expect("#b")], "a", "another element covers"),
    "switches": Interaction(SWITCH, [click("#b"), expect("#b", checked=True)], "aa"),
    "is in order": Interaction(
        SIDES,
        [
            expect("#a", left_of={"css": "#b"}),
            expect("#a", above={"css": "#c"}),
            expect("#a", apart_from={"css": "#b"}),
        ],
        "aaa",
    ),
    "overlaps": Interaction(
        SIDES + "<p id=e style='position:absolute;top:5px;left:5px'>Under</p>",
        [expect("#e", apart_from={"css": "#d"})],
        "a",
        "px over css '#d'",
    ),
    "is cut off": Interaction(NARROW, [expect("#a", unclipped=True)], "a", "px of it are cut off"),
    "leaves a narrow window": Interaction(
        FRAMED, [expect("#a", in_viewport=True)], "a", "outside of the window, right", width=375
    ),
    "moves all the time": Interaction(SPINNER, [expect("#o"), expect("#b")], "aa"),
}


def strip_of(one: Interaction, probing: Probing) -> tuple[ProbeReport, dict[str, bytes]]:
    check = Check.model_validate(
        {"steps": one.steps, "viewport": {"width": one.width, "height": 600}}
    )
    return probing.both(one.page, checks=[check])


def letters(pictures: list[str]) -> str:
    """A letter for each picture in its order, equal ones for equal pictures."""
    known: list[str] = []
    for picture in pictures:
        if picture not in known:
            known.append(picture)
    return "".join("abcdefgh"[known.index(picture)] for picture in pictures)


@pytest.fixture
def brief(monkeypatch):
    """Nothing that fails here would come later."""
    monkeypatch.setattr(checks, "_EXPECT_S", 1.0)
    monkeypatch.setattr(checks, "_STEP_MS", 1500)


@pytest.mark.long
@pytest.mark.usefixtures("brief")
@pytest.mark.parametrize("name", STRIPS)
def test_a_film_strip_shows_each_step(name, probing):
    one = STRIPS[name]
    report, files = strip_of(one, probing)
    (result,) = report.checks
    reached = len(one.frames)
    ends = [FAILED] if one.fault else [PASSED]
    left = [NOT_REACHED] * (len(one.steps) - reached)
    assert [it.outcome for it in result.steps] == [PASSED] * (reached - 1) + ends + left
    assert one.fault in result.steps[reached - 1].message
    assert result.passed is not bool(one.fault)
    pictures = [it.picture.sha256 for it in result.steps if it.picture]
    assert letters(pictures) == one.frames
    assert all(files[sha256].startswith(b"\x89PNG") for sha256 in pictures)


COLOURS = (
    '<style>body{background:rgb(200,0,0)}</style><button id=b onclick="document.body.style.'
    "background=this.dataset.n?'rgb(0,0,200)':'rgb(0,200,0)';this.dataset.n=1\">Next</button>"
)


@pytest.mark.long
def test_each_picture_shows_the_window_after_its_step(probing):
    one = Interaction(COLOURS, [expect("#b"), click("#b"), click("#b")], "abc")
    report, files = strip_of(one, probing)
    pictures = [decode_png(files[it.picture.sha256]) for it in report.checks[0].steps]
    assert [it.shape for it in pictures] == [(600, 1440, 3)] * 3
    corners = [tuple(map(int, it[-1, -1])) for it in pictures]
    assert corners == [(200, 0, 0), (0, 200, 0), (0, 0, 200)]


def test_there_are_twenty_interactions():
    assert len(STRIPS) == 20


@pytest.mark.long
def test_steps_beyond_the_limit_have_no_picture(probing, monkeypatch):
    monkeypatch.setattr(checks, "MOST_PICTURES", 1)
    report, _ = strip_of(STRIPS["counts"], probing)
    steps = report.checks[0].steps
    assert [it.outcome for it in steps] == [PASSED] * 3
    assert [bool(it.picture) for it in steps] == [True, False, False]

"""The checks of a task, on a small list of tasks that works and on ones that do not."""

import pytest

from benchmaker.arenas.code.probe import checks
from benchmaker.spec.suites.page_checks import Check

LIST = """<label>New task <input id="t"></label><button id="add">Add</button>
<output>0</output><ul></ul>
<p data-testid="left">0 left</p><a href="#" class="on" aria-current="page">All</a>
<p id="gone" hidden>hidden words</p><script>
const draw = () => { document.querySelector("[data-testid]").textContent =
  document.querySelectorAll("li").length + " left"; };
const add = () => { const li = document.createElement("li"); li.textContent = t.value;
  document.querySelector("ul").append(li); t.value = ""; draw(); };
document.getElementById("add").onclick = () => setTimeout(add, 600);
t.onkeydown = (e) => { if (e.key === "Enter") add(); };
</script>"""


def check(*steps: dict, name: str = "", **given) -> Check:
    return Check.model_validate({"name": name, "steps": steps, **given})


GOOD = (
    check(
        {"fill": {"label": "New task", "with": "milk"}},
        {"click": {"role": "button", "name": "Add"}},
        {"expect": {"role": "listitem", "count": 1, "has_text": "MILK"}},
        {"expect": {"testid": "left", "has_text": "1 left"}},
    ),
    check(
        {"fill": {"css": "#t", "with": "tea"}},
        {"press": {"key": "Enter", "css": "#t"}},
        {"press": "x"},
        {"expect": {"css": "li", "at_least": 1}},
        {"expect": {"css": "#t", "has_text": "x"}},
    ),
    check({"expect": {"text": "All", "attribute": "aria-current", "value": "page"}}),
    check({"expect": {"css": "#gone", "visible": False}}, {"expect": {"css": "li", "count": 0}}),
    check({"wait": 300}, {"wait": "0 left"}, {"expect": "All"}),
)
BAD = (
    (check({"expect": {"css": "li", "count": 3}}), "step 1 (expect css 'li' count 3): 0 match"),
    (check({"expect": {"css": "#gone"}}), "it is hidden"),
    (check({"click": {"text": "Nowhere"}}, {"expect": "All"}), "no such element"),
    (check({"expect": {"testid": "left", "has_text": "9 left"}}), "its text is '0 left'"),
    (check({"expect": {"css": "output", "has_text": "7"}}), "its text is '0'"),
    (check({"expect": {"text": "All", "attribute": "href", "value": "x"}}), "its href is '#'"),
    (check({"expect": {"css": "p", "at_least": 9}}), "only 3 match"),
    (check({"wait": "never there"}), "no such element"),
)


@pytest.fixture
def patient(monkeypatch):
    """What a page can do takes longer on a busy machine."""
    monkeypatch.setattr(checks, "_STEP_MS", 60_000)


@pytest.mark.usefixtures("patient")
def test_what_a_page_can_do_passes(probing):
    report = probing.report(LIST, checks=GOOD)
    assert [(one.passed, one.message) for one in report.checks] == [(True, "")] * len(GOOD)
    assert [one.index for one in report.checks] == [1, 2, 3, 4, 5]


def test_what_it_cannot_fails_with_the_reason(probing, monkeypatch):
    """None of it would come later, so that it is not waited for as long as for a real page."""
    monkeypatch.setattr(checks, "_EXPECT_S", 0.5)
    monkeypatch.setattr(checks, "_WAIT_S", 1.5)
    monkeypatch.setattr(checks, "_STEP_MS", 500)
    report = probing.report(LIST, checks=[one for one, _ in BAD])
    for found, (_, reason) in zip(report.checks, BAD, strict=True):
        assert not found.passed
        assert reason in found.message
    assert [one.key for one in report.findings].count("checks") == len(BAD)


def test_a_page_that_hangs_fails_its_checks_and_the_probe_goes_on(probing, monkeypatch):
    monkeypatch.setattr(checks, "_STEP_MS", 500)
    page = '<button onclick="for(;;);">Go</button>'
    step = {"click": {"role": "button", "name": "Go"}}
    asked = [check(step, {"expect": "Page"}), check({"wait": "Page"})]
    report = probing.report(page, checks=asked, budget_s=20)
    assert [one.passed for one in report.checks] == [False, True]
    assert report.click.hangs == 1


@pytest.mark.parametrize("width", [375, 1440])
def test_a_check_has_the_window_that_it_asks_for(width, probing):
    page = "<script>document.body.append(innerWidth + ' wide')</script>"
    seen = check({"expect": f"{width} wide"}, viewport={"width": width, "height": 700})
    assert probing.report(page, checks=[seen]).checks[0].passed

import pytest
from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.load import load_suite
from benchmaker.spec.suites.page_checks import Check, Expect, Locator, Page, Step, Viewport

SUITE = """
name: pages
scorer: exact
cases:
  - id: a
    prompt: A list of tasks, please.
    page:
      checks:
        - name: adds a task
          steps:
"""


def suite_with(tmp_path, *steps, indent=12):
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE + "".join(f"{' ' * indent}- {step}\n" for step in steps))
    return path


def the_faults(path):
    with pytest.raises(SpecError) as caught:
        load_suite(path)
    return caught.value.findings


def test_every_step_is_read_from_a_file(tmp_path):
    path = suite_with(
        tmp_path,
        "fill: {label: New task, with: milk}",
        "press: Enter",
        "press: {key: Tab, css: input}",
        "click: {role: button, name: Add, exact: true, nth: 2}",
        "click: Save",
        "wait: 300",
        "wait: {testid: done}",
        "expect: {role: listitem, count: 1}",
    )
    (case,) = load_suite(path).cases
    (check,) = case.page.checks
    assert [step.words for step in check.steps] == [
        "fill label 'New task' with 'milk'",
        "press Enter on the focused element",
        "press Tab on css 'input'",
        "click button 'Add' number 2",
        "click text 'Save'",
        "wait 300 ms",
        "wait testid 'done'",
        "expect listitem count 1",
    ]


def test_numbers_keep_the_digits_of_the_file(tmp_path):
    path = suite_with(tmp_path, "fill: {label: 7, with: 1.50}", "expect: {text: 1e3}")
    (case,) = load_suite(path).cases
    fill, expect = (step.target for step in case.page.checks[0].steps)
    assert (fill.label, fill.with_, expect.text) == ("7", "1.50", "1e3")


@pytest.mark.parametrize(
    ("step", "message", "hint"),
    [
        ("clik: {text: a}", "unknown field 'clik'.", "Did you mean 'click'?"),
        ("click: {role: button, nam: a}", "unknown field 'nam'.", "Did you mean 'name'?"),
        ("expect: {css: li, cont: 1}", "unknown field 'cont'.", "Did you mean 'count'?"),
        ("click: {role: buton}", "unknown role 'buton'; 'button' is near.", ""),
        ("click: {text: a, css: b}", "an element is identified by text and css", ""),
        ("click: {name: a}", "no element given", ""),
        ("expect: {css: a, left_of: {name: b}}", "no element given", ""),
        ("expect: {css: a, count: 1, at_least: 1}", "remove one of them", ""),
        ("wait: {ms: 10, css: a}", "give either an element to wait for, or ms", ""),
        ("wait: 999999", "must be at most 5000, not 999999", ""),
    ],
)
def test_a_faulty_step_is_reported_at_its_place(tmp_path, step, message, hint):
    found = the_faults(suite_with(tmp_path, step, "expect: done"))
    assert message in found[0].message
    assert found[0].hint == hint
    assert found[0].line == 11
    assert found[0].column > 12


def test_all_faults_of_a_page_are_reported_together(tmp_path):
    path = suite_with(tmp_path, "clik: a", "click: {rol: button}", "expect: {count: 1}")
    assert [finding.line for finding in the_faults(path)] == [11, 12, 13]


def test_a_step_is_exactly_one_action():
    with pytest.raises(ValidationError, match="this one is nothing"):
        Step()
    with pytest.raises(ValidationError, match="click and wait"):
        Step(click="a", wait=5)


def test_a_check_expects_something():
    with pytest.raises(ValidationError, match="has no expectation"):
        Check(steps=(Step(click="Add"),))


def test_a_check_without_a_name_is_called_by_what_it_expects_last():
    check = Check(steps=(Step(click="Add"), Step(expect=Expect(css="li", count=2))))
    assert check.title == "expect css 'li' count 2"


@pytest.mark.parametrize("path", ["/a.png", "../a.png", "a/../../b.png", "a.jpg", "a\\b.png"])
def test_a_reference_lies_beside_the_suite(path):
    with pytest.raises(ValidationError):
        Page(reference=path)


def test_a_case_with_a_page_comes_back_from_plain_data():
    step = {"fill": {"label": "x", "with": "y"}}
    page = Page(checks=[{"steps": [step, {"expect": "z"}]}], viewport={"width": 375, "height": 667})
    case = Case(id="a", prompt="p", page=page)
    assert Case.model_validate(case.model_dump()) == case
    assert Case.model_validate_json(case.model_dump_json()) == case
    assert case.model_dump()["page"]["checks"][0]["steps"][0] == step


def test_defaults_of_a_page_are_not_written():
    assert Page(viewport=Viewport(width=1440, height=900)).plain_data == {}
    assert Locator(text="a").words == "text 'a'"


def test_a_suite_without_pages_keeps_the_hash_it_always_had():
    suite = Suite("s", [Case(id="a", prompt="p", expected="e")])
    was = "5f422474ad90ff7bd31f54ff996460b4117d4ddc1dfe75b81b948ee7a7dab0ff"
    assert suite.content_hash == was


def test_a_page_counts_in_the_hash_of_its_suite():
    plain = Suite("s", [Case(id="a", prompt="p")])
    paged = Suite("s", [Case(id="a", prompt="p", page=Page(libraries=("d3",)))])
    assert plain.content_hash != paged.content_hash


def test_a_page_is_read_from_lines_of_a_data_file(tmp_path):
    line = '{"id": "a", "prompt": "p", "page": {"checks": [{"steps": [{"expect": "Done"}]}]}}'
    (tmp_path / "cases.jsonl").write_text(line + "\n")
    (case,) = load_suite(tmp_path / "cases.jsonl").cases
    assert case.page.checks[0].steps[0].words == "expect text 'Done'"

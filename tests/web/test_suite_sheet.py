"""The cases of a suite edited as a sheet."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from benchmaker.spec import Case, Suite
from benchmaker.store import Store
from benchmaker.web.suites.sheet import SheetRow, row_variables
from tests.web.accessible import violations, violations_here
from tests.web.browser import patient
from tests.web.serving import serving
from tests.web.stored import hostile_suite, put
from tests.web.test_guard import ask
from tests.web.test_suite_conflicts import FORM, newest_case, stored
from tests.web.test_suite_editing import left_by
from tests.web.test_suites import capitals


def newest(home, name="small"):
    """The cases of the version that was stored last."""
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return tuple(store.suite(store.suites.versions(name)[0].suite.hash).cases)


def ids(home, name="small"):
    return [case.id for case in newest(home, name)]


def fields_of(page):
    """The fields of the sheet on a page, as a browser without script sends them."""
    form = page.split('class="stack sheetform"')[1].split("</form>")[0]
    found = []
    for tag in re.findall(r"<input[^>]*>|<textarea[^>]*>[^<]*</textarea>", form):
        name = re.search(r'name="([^"]+)"', tag)[1]
        is_box = 'type="checkbox"' in tag
        if tag.startswith("<textarea"):
            value = tag.split(">", 1)[1].removesuffix("</textarea>").removeprefix("\n")
        else:
            value = re.search(r'value="([^"]*)"', tag)[1]
        if not is_box or " checked" in tag:
            found.append([name, unescape(value)])
    return found


class Sheet:
    """A sheet as it was fetched, filled in and sent again."""

    def __init__(self, address, content, query=""):
        self.address, self.content, self.query = address, content, query
        status, _, page = ask(address, path=f"/suites/{content}/sheet{query}")
        assert status == 200
        self.fields = fields_of(page)
        self.columns = [value for name, value in self.fields if name == "column"]

    def fill(self, row, **texts):
        """Change cells of a row, counted from 0; ``vars.n`` is ``vars_n``."""
        for field, text in texts.items():
            name = f"c{self.columns.index(field.replace('vars_', 'vars.'))}"
            at = [k for k, (found, _) in enumerate(self.fields) if found == name][row]
            self.fields[at][1] = text
        return self

    def send(self, *more, path=""):
        body = urlencode([*map(tuple, self.fields), *more])
        return ask(
            self.address, "POST", f"/suites/{self.content}/sheet{path}{self.query}", FORM, body
        )


@pytest.fixture
def content(home):
    return put(home, capitals())[0]


@pytest.fixture
def address(home):
    with serving(home, works=False) as address:
        yield address


def test_cells_rows_and_deletions_are_saved_as_one_version(home, content, address):
    sheet = Sheet(address, content)
    sheet.fill(0, expected="zero", tags="a, b").fill(3, id="new", prompt="Why?", expected="so")
    status, headers, _ = sheet.send(("drop", "2"))

    assert status == 303
    assert len(stored(home, "small")) == 2
    assert headers["location"].startswith(f"/suites/{stored(home, 'small')[0]}/sheet?from=")
    first, second, third = newest(home)
    assert (first.expected, first.tags) == ("zero", ("a", "b"))
    assert second == capitals().cases[2]
    assert (third.id, third.prompt, third.expected) == ("new", "Why?", "so")


def test_a_sheet_without_changes_makes_no_version(home, content, address):
    assert Sheet(address, content).send()[0] == 303
    assert stored(home, "small") == [content]


def test_every_text_goes_through_the_sheet_unchanged(home, address):
    """Hostile texts, and what no column shows, stay as they are beside a changed cell."""
    before = hostile_suite("small")
    made = put(home, before)[0]
    Sheet(address, made).fill(0, category="plain").send()

    first, *others = newest(home)
    assert others == list(before.cases[1:])
    assert first == before.cases[0].model_copy(update={"category": "plain"})


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("id", "", "a case needs an id."),
        ("id", "c2", "case 3 has the id"),
        ("weight", "heavy", "weight"),
        ("scorer", "exat", "Did you mean"),
        ("prompt", "\0", "U+0000"),
    ],
)
def test_faults_stand_at_their_cells_and_nothing_is_lost(home, address, field, text, said):
    cases = (*capitals(2).cases, Case(id="c2", prompt="?", expected="2", weight=2, scorer="exact"))
    suite = Suite("small", cases, scorer="exact")
    sheet = Sheet(address, put(home, suite)[0])
    sheet.fill(0, **{field: text}).fill(1, expected="kept")
    if field == "id" and text:
        sheet.query = "?q=c0"  # the other case is on another page
        page = ask(address, path=f"/suites/{sheet.content}/sheet?q=c0")[2]
        sheet.fields = fields_of(page)
        sheet.fill(0, id=text)
    status, _, page = sheet.send()

    assert status == 422
    assert len(stored(home, "small")) == 1
    alert = page.split('role="alert"')[1].split("</ul>")[0]
    assert said in unescape(alert)
    assert "Case 1" in alert
    assert re.search(rf'aria-labelledby="k{sheet.columns.index(field)} r1" aria-invalid', page)
    assert ("kept" in page) or field == "id"


def test_two_rows_cannot_have_one_id(content, address):
    status, _, page = Sheet(address, content).fill(0, id="c1").send()
    assert status == 422
    assert "another row has the id" in page


def test_ids_can_be_swapped(home, content, address):
    assert Sheet(address, content).fill(0, id="c1").fill(1, id="c0").send()[0] == 303
    assert ids(home) == ["c1", "c0", "c2"]


def test_all_cases_cannot_be_deleted(home, content, address):
    status, _, page = Sheet(address, content).send(*(("drop", str(n)) for n in (1, 2, 3)))
    assert status == 422
    assert "Nothing was saved" in page
    assert ids(home) == ["c0", "c1", "c2"]


def prompted():
    return Suite(
        "small",
        [{"id": f"c{n}", "vars": {"n": n, "unit": "km"}, "expected": str(n)} for n in range(3)],
        scorer="numeric",
        prompts=[{"id": "plain", "prompt": "{{ n }} {{ unit }}?"}],
    )


def test_variables_are_columns_that_keep_their_type(home, address):
    sheet = Sheet(address, put(home, prompted())[0])
    assert sheet.columns[:3] == ["id", "vars.n", "vars.unit"]
    assert "prompt" not in sheet.columns
    sheet.fill(0, vars_n="2.5", vars_unit="7").fill(
        3, id="more", vars_n="[1, 2]", vars_unit="m", expected="1"
    )
    assert sheet.send()[0] == 303

    first, second, _, *added = newest(home)
    assert first.vars == {"n": 2.5, "unit": "7"}
    assert second == next(iter(prompted().cases[1:]))
    assert [(one.id, one.vars["n"]) for one in added] == [("more/1", 1), ("more/2", 2)]


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1e999]", '{"a": 1, "a": 2}'])
def test_no_other_value_is_put_in_place_of_wrong_json(text):
    row = SheetRow("new", {"vars.n": text})
    assert row_variables(row, lambda _: False) == {"n": text}


def test_a_row_is_added_and_duplicated_without_script(home, content, address):
    sheet = Sheet(address, content).fill(0, expected="edited")
    status, _, page = sheet.send(("duplicate", "1"), path="/rows")
    assert status == 200
    sheet.fields = fields_of(page)
    longer = fields_of(sheet.send(("add", "1"), path="/rows")[2])
    assert sum(name == "key" for name, _ in longer) == 3 + 1 + 1 + 5
    assert sheet.send()[0] == 303
    assert ids(home) == ["c0", "c0-2", "c1", "c2"]
    assert newest(home)[1].expected == "edited"


def test_a_page_of_the_middle_saves_its_cases_alone(home, address):
    made = put(home, capitals(1_000))[0]
    page = ask(address, path=f"/suites/{made}/sheet")[2]
    after = re.search(r'href="[^"]*\?after=([^"&]+)"', page)[1]
    sheet = Sheet(address, made, f"?after={after}")
    assert next(value for name, value in sheet.fields if name == "key") == "51"
    sheet.fill(0, expected="fifty").fill(50, id="between", prompt="?", expected="x").send()

    cases = newest(home)
    assert len(cases) == 1_001
    assert cases[50].expected == "fifty"
    assert [case.id for case in cases[99:102]] == ["c99", "between", "c100"]


def test_the_second_editor_gets_both_texts_and_can_save_over(home, content, address):
    one, two = Sheet(address, content), Sheet(address, content)
    one.fill(0, expected="first", category="theirs").fill(1, expected="other").send(("drop", "3"))
    two.fill(0, expected="second").fill(2, expected="late")
    status, _, page = two.send()

    assert status == 409
    assert len(stored(home, "small")) == 2
    assert "another version was saved in the meantime" in page
    assert "changed in the meantime to “first”" in page
    two.content, two.fields = stored(home, "small")[0], fields_of(page)
    assert two.send()[0] == 303
    first, second, third = newest(home)
    assert (first.expected, first.category) == ("second", "theirs")
    assert second.expected == "other"
    assert (third.id, third.expected) == ("c2", "late")


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [("column", "id"), ("key", "1")],
        [("column", "colour"), ("key", "1"), ("c0", "x")],
        [("column", "id"), ("key", "99"), ("c0", "x")],
        [("column", "id"), ("key", "1"), ("key", "1"), ("c0", "x"), ("c0", "y")],
    ],
)
def test_a_form_of_another_shape_is_refused(home, content, address, fields):
    body = urlencode(fields)
    assert ask(address, "POST", f"/suites/{content}/sheet", FORM, body)[0] == 422
    assert stored(home, "small") == [content]


def cell(tab, row, column):
    return tab.locator(f".sheet tbody tr:nth-child({row}) [name=c{column}]")


def test_tab_selects_a_cell_as_a_whole_so_that_arrows_leave_it(tab, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    cell(tab, 1, 0).focus()
    for key in ("Tab", "ArrowDown"):
        tab.keyboard.press(key)
    expect(cell(tab, 2, 1)).to_be_focused()


def test_the_sheet_is_saved_by_keys_without_a_focused_cell(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    cell(tab, 1, 1).fill("Changed?")
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("Control+s")
    expect(tab.get_by_text("Saved as a new version")).to_be_visible()
    assert newest_case(home, "small").prompt == "Changed?"


def test_a_suite_is_edited_by_keyboard_alone(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    cell(tab, 1, 0).focus()
    press = tab.keyboard.press
    press("ControlOrMeta+A")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        press(key)
    expect(cell(tab, 2, 2)).to_be_focused()
    tab.keyboard.type("uno")
    press("Enter")
    expect(cell(tab, 3, 2)).to_be_focused()
    tab.keyboard.type("two")
    press("Shift+Enter")
    tab.keyboard.type("lines")
    press("Tab")
    expect(cell(tab, 3, 3)).to_be_focused()
    press("ControlOrMeta+S")
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert [case.expected for case in newest(home)] == ["0", "uno", "two\nlines"]


def test_steps_are_undone_and_redone(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    undo, redo = (tab.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
    expect(undo).to_be_disabled()
    cell(tab, 1, 2).fill("changed")
    tab.get_by_role("button", name="Duplicate").first.click()
    tab.get_by_role("checkbox").nth(2).check()
    rows = tab.locator(".sheet tbody tr")
    expect(rows).to_have_count(5)
    expect(cell(tab, 2, 0)).to_have_value("c0-2")
    undo.click()
    expect(tab.get_by_role("checkbox", checked=True)).to_have_count(0)
    undo.click()
    expect(rows).to_have_count(4)
    tab.keyboard.press("ControlOrMeta+Z")
    expect(cell(tab, 1, 2)).to_have_value("0")
    expect(undo).to_be_disabled()
    for _ in range(3):
        redo.click()
    expect(cell(tab, 1, 2)).to_have_value("changed")
    expect(rows).to_have_count(5)
    tab.get_by_role("button", name="Save as a new version").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert ids(home) == ["c0", "c0-2", "c2"]


PASTE = """([at, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
  document.querySelector(at).dispatchEvent(event);
}"""


def test_cells_of_a_spreadsheet_fill_the_sheet(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    text = 'c2\tIs "this" it?\tyes\r\nd\t"Two\nlines, ""quoted"""\t=1+1\r\ne\tLast?\tno\r\n'
    tab.evaluate(PASTE, [".sheet tbody tr:nth-child(3) [name=c0]", text])
    tab.get_by_role("button", name="Save as a new version").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    third, fourth, fifth = newest(home)[2:]
    assert (third.prompt, third.expected) == ('Is "this" it?', "yes")
    assert (fourth.prompt, fourth.expected) == ('Two\nlines, "quoted"', "=1+1")
    assert fifth.id == "e"


def test_quotes_in_the_cells_of_a_spreadsheet_stay(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    text = 'c2\t"Paris"\t"yes" he said\nd\t"\t5"\ne\tLast?\t"\nf\tEnd?\t"\n'
    tab.evaluate(PASTE, [".sheet tbody tr:nth-child(3) [name=c0]", text])
    tab.get_by_role("button", name="Save as a new version").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert [(one.id, one.prompt, one.expected) for one in newest(home)[2:]] == [
        ("c2", '"Paris"', '"yes" he said'),
        ("d", '"', '5"'),
        ("e", "Last?", '"'),
        ("f", "End?", '"'),
    ]


def test_a_lost_connection_loses_no_edit(chromium, home, content, address):
    context = patient(chromium)
    page = context.new_page()
    page.goto(f"{address}/suites/{content}/sheet")
    cell(page, 1, 2).fill("changed")
    save = page.get_by_role("button", name="Save as a new version")
    context.set_offline(True)
    save.click()
    expect(page.locator("#sheetsaid")).to_contain_text("Not saved: the server does not answer.")
    expect(cell(page, 1, 2)).to_have_value("changed")
    context.set_offline(False)
    save.click()
    expect(page.get_by_text("Saved as a new version.")).to_be_visible()
    context.close()
    assert newest(home)[0].expected == "changed"


def test_a_long_cell_shows_whole_lines(tab, content, address):
    tab.goto(f"{address}/suites/{content}/sheet")
    cell(tab, 1, 1).fill("\n".join(map(str, range(12))))
    inside = "it => it.clientHeight - 10"
    height = float(cell(tab, 1, 1).evaluate("it => getComputedStyle(it).lineHeight")[:-2])
    assert cell(tab, 1, 1).evaluate(inside) % height == 0


def test_leaving_a_changed_sheet_asks(chromium, content, address):
    context = patient(chromium)
    page = context.new_page()
    cancel = page.get_by_role("link", name="Cancel")
    page.goto(f"{address}/suites/{content}/sheet")
    assert left_by(page, cancel.click) == []
    page.goto(f"{address}/suites/{content}/sheet")
    page.get_by_role("button", name="Add rows").click()
    page.keyboard.type("new")
    assert left_by(page, cancel.click) == ["beforeunload"]
    context.close()


def test_the_first_load_of_a_thousand_cases_is_light(tab, home, address):
    made = put(home, capitals(1_000))[0]
    requests = []
    tab.on("request", lambda one: requests.append(one))  # noqa: PLW0108  Playwright marks it
    tab.goto(f"{address}/suites/{made}/sheet", wait_until="load")
    sizes = [one.sizes() for one in requests if not one.url.startswith("data:")]
    assert 0 < sum(one["responseBodySize"] for one in sizes) <= 40_000
    assert tab.locator(".sheet tbody tr").count() == 51


def test_axe_finds_nothing_in_a_hostile_sheet_with_faults(tab, home, address):
    whole = hostile_suite()
    made = put(home, replace(whole, cases=whole.cases[:5]))[0]
    assert violations(tab, f"{address}/suites/{made}/sheet") == []
    tab.set_viewport_size({"width": 1440, "height": 900})
    cell(tab, 1, 0).fill("")
    tab.get_by_role("button", name="Save as a new version").click()
    expect(tab.get_by_role("alert")).to_be_visible()
    assert violations_here(tab) == []
    for width in (320, 390, 1280, 1920):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert tab.evaluate("window.hit") is None
    assert all("422" in one for one in tab.complaints)  # the browser's word on the refusal
    tab.complaints.clear()


def test_the_sheet_of_an_older_version_keeps_later_edits(home, content, address):
    assert Sheet(address, content).fill(0, expected="later").send()[0] == 303
    old = Sheet(address, content).fill(1, expected="from the old one")

    status, _, page = old.send()
    assert status == 409
    assert "Not saved" in page
    assert newest(home)[1].expected != "from the old one"

    later = stored(home, "small")[0]
    _, _, again = old.send(("newest", later), path="/rows")
    assert f'name="newest" value="{later}" checked' in again
    assert old.send(("newest", later))[0] == 303
    assert newest(home)[1].expected == "from the old one"

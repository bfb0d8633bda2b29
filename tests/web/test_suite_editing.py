import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from benchmaker.scoring.check import load_checked
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.web.suites.export import as_yaml
from tests.web.browser import patient
from tests.web.serving import serving
from tests.web.stored import HOSTILE, put
from tests.web.test_guard import ask
from tests.web.test_suites import capitals

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40
)
VISIBLE = TEXTS.filter(str.strip)  # a prompt, and something to compare with
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)


@given(prompt=VISIBLE, expected=VISIBLE, name=LABELS, tag=LABELS, description=TEXTS)
def test_an_exported_suite_reads_back_as_the_same_version(
    tmp_path_factory, *, prompt, expected, name, tag, description
):
    case = Case(id=name, prompt=prompt, expected=expected, tags=(tag,), weight=2.5)
    suite = Suite(name=name, description=description, cases=(case,), scorer=ScorerSpec(id="exact"))
    path = tmp_path_factory.mktemp("export") / "suite.yaml"
    path.write_text(as_yaml(suite), encoding="utf-8", newline="")

    assert load_checked(path).content_hash == suite.content_hash


def test_a_suite_is_written_from_nothing(tab, tmp_path):
    with serving(tmp_path) as address:
        tab.goto(address + "/suites")
        tab.get_by_role("link", name="New suite").first.click()
        tab.get_by_label("Name renaming").fill("towns")
        tab.get_by_label("Id", exact=True).fill("france")
        tab.locator("#f-case_prompt").fill("Capital of France?")
        tab.locator("#f-case_expected").fill("Paris")
        tab.get_by_role("button", name="Save suite").click()
        tab.wait_for_load_state()

        assert tab.locator("h1").inner_text() == "towns"
        assert tab.locator(".cases tbody th").inner_text() == "france"


def test_a_case_is_checked_as_one_types(tab, home):
    content = put(home, capitals())[0]
    with serving(home) as address:
        tab.goto(f"{address}/suites/{content}/cases/1")
        tab.get_by_label("Weight").fill("heavy")
        tab.locator("#err-weight p").wait_for()
        tab.locator("#f-weight").fill("2")
        tab.locator("#f-id").fill("c1")
        tab.locator("#err-id p").wait_for()

        assert "case 2" in tab.locator("#err-id").inner_text()
        assert tab.locator("#err-weight").inner_text() == ""
        tab.locator("#f-id").fill("c0")
        tab.locator("#f-scorer").select_option("regex")
        tab.locator("#f-expected").fill("(unclosed")
        tab.locator("#err-expected p").wait_for()


def left_by(page, leave):
    """The kinds of dialogs that ask when a page is left; each is answered with yes."""
    asked = []

    def answer(dialog):
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    leave()
    page.wait_for_load_state()
    page.remove_listener("dialog", answer)
    return asked


def test_leaving_a_changed_case_asks_and_storing_it_does_not(chromium, home):
    content = put(home, capitals())[0]
    context = patient(chromium)
    page = context.new_page()
    with serving(home) as address:
        case = f"{address}/suites/{content}/cases/1"
        cancel = page.get_by_role("link", name="Cancel")
        page.goto(case)
        assert left_by(page, cancel.click) == []
        page.goto(case)
        kept = page.locator("#f-weight").input_value()
        page.locator("#f-weight").fill("3")
        page.locator("#f-weight").fill(kept)
        assert left_by(page, cancel.click) == []
        page.goto(case)
        page.locator("#f-weight").fill("-1")
        store = page.get_by_role("button", name="Save as a new version")
        assert left_by(page, store.click) == []
        assert left_by(page, cancel.click) == ["beforeunload"]
        page.goto(case)
        page.locator("#f-weight").fill("3")
        assert left_by(page, cancel.click) == ["beforeunload"]
        page.goto(case)
        page.locator("#f-weight").fill("3")
        assert left_by(page, store.click) == []
    context.close()


def test_a_wrong_case_is_not_stored_and_nothing_typed_is_lost(chromium, home):
    content = put(home, capitals())[0]
    context = patient(chromium, java_script_enabled=False)
    page = context.new_page()
    with serving(home) as address:
        page.goto(f"{address}/suites/{content}/cases/1")
        page.locator("#f-prompt").fill("<b>kept</b>")
        page.locator("#f-weight").fill("-1")
        page.get_by_role("button", name="Save as a new version").click()
        page.wait_for_load_state()

        assert "Fix it to save" in page.get_by_role("alert").inner_text()
        assert page.locator("#f-prompt").input_value() == "<b>kept</b>"
        assert page.locator("#f-weight").get_attribute("aria-invalid") == "true"
        page.locator("#f-weight").fill("1")
        page.get_by_role("button", name="Save as a new version").click()
        page.get_by_role("link", name="Changes").first.click()
        page.wait_for_load_state()
        assert "<b>kept</b>" in page.locator("ins").nth(1).inner_text()
    context.close()


def test_cases_are_added_doubled_and_deleted(tab, home):
    content = put(home, capitals())[0]
    with serving(home) as address:
        tab.goto(f"{address}/suites/{content}/cases/new")
        tab.locator("#f-id").fill("last")
        tab.locator("#f-prompt").fill("And now?")
        tab.locator("#f-expected").fill("Nothing.")
        tab.get_by_role("button", name="Save as a new version").click()
        tab.get_by_role("button", name="Duplicate").first.click()
        tab.wait_for_load_state()
        assert tab.locator("#f-id").input_value() == "c0-2"
        tab.get_by_role("button", name="Delete").click()
        expect(tab.locator(".cases tbody th")).to_have_text(["c0", "c1", "c2", "last"])


def test_the_last_case_cannot_be_deleted(home):
    content = put(home, capitals(1))[0]
    with serving(home) as address:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        status, _, body = ask(address, "POST", f"/suites/{content}/cases/1/delete", form, "")

    assert status == 422
    assert "no cases" in body


def test_the_header_is_edited_under_the_same_name(tab, home):
    content = put(home, capitals())[0]
    with serving(home) as address:
        tab.goto(f"{address}/suites/{content}/header")
        tab.get_by_label("System prompt").fill("Be brief.")
        tab.locator("#f-temperature").fill("hot")
        tab.locator("#err-temperature p").wait_for()
        tab.locator("#f-temperature").fill("0.2")
        tab.get_by_label("Benchmark Mode").check()
        tab.get_by_role("button", name="Save as a new version").click()
        expect(tab.locator(".meta").first).to_contain_text("version 2")
        newest = tab.url.split("/")[-1].partition("?")[0]
    with Store.open(home / "benchmaker.db") as store:
        made = store.suite(newest)
        cases = [one.id for one in made.cases]

    assert (made.name, made.system_prompt) == ("small", "Be brief.")
    assert (made.parameters.temperature, made.parameters.benchmark_mode) == (0.2, True)
    assert cases == ["c0", "c1", "c2"]


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("towns.yaml", "name: towns\nscorer: exact\ncases: [{id: a, prompt: b, expected: c}]\n"),
        (
            "towns.json",
            '{"name":"towns","scorer":"exact","cases":[{"id":"a","prompt":"b","expected":"c"}]}',
        ),
        ("towns.jsonl", '{"id": "a", "prompt": "b", "expected": "c", "scorer": "exact"}\n'),
        ("towns.csv", "id,prompt,expected,scorer\na,b,c,exact\n"),
    ],
)
def test_suites_come_out_of_files(tab, tmp_path, name, body):
    file = tmp_path / name
    file.write_text(body)
    with serving(tmp_path / "home") as address:
        tab.goto(address + "/suites/new")
        tab.set_input_files("#file", file)
        tab.get_by_role("button", name="Import suite").click()
        tab.wait_for_load_state()

        assert tab.locator("h1").inner_text() == "towns"
        assert name in tab.locator("#h-head").locator("xpath=../..").inner_text()


def test_a_wrong_file_is_told_with_its_lines(chromium, tmp_path):
    context = patient(chromium)
    page = context.new_page()
    with serving(tmp_path / "home") as address:
        page.goto(address + "/suites/new")
        page.set_input_files(
            "#file",
            {
                "name": f"{HOSTILE[1]}.yaml",
                "mimeType": "text/yaml",
                "buffer": b"name: x\nscorer: exat\ncases: [{id: a, prompt: b}]\n",
            },
        )
        page.get_by_role("button", name="Import suite").click()
        page.wait_for_load_state()
        told = page.get_by_role("alert").inner_text()

        assert "2:9" in told
        assert "Did you mean" in told
        assert "benchmaker-" not in told
        assert page.evaluate("window.hit") is None
    context.close()


def test_what_is_sent_is_bounded(home):
    with serving(home) as address:
        form = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": "32000001"}
        assert ask(address, "POST", "/suites/import", form, b"")[0] == 413
        form = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": "4000001"}
        assert ask(address, "POST", "/suites", form, b"")[0] == 413
        chunked = {"Content-Type": "multipart/form-data; boundary=x"}
        assert ask(address, "POST", "/suites/import", chunked, iter([b"x"]))[0] == 411


def test_a_file_of_another_kind_is_refused(home):
    body = (
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../evil.exe"\r\n\r\n'
        b"MZ\r\n--x--\r\n"
    )
    with serving(home) as address:
        form = {"Content-Type": "multipart/form-data; boundary=x"}
        status, _, told = ask(address, "POST", "/suites/import", form, body)

    assert status == 422
    assert "evil.exe" in told
    assert "JSON lines, CSV" in told


def test_cases_are_exported_as_lines(home):
    content = put(home, capitals())[0]
    with serving(home) as address:
        status, headers, body = ask(address, path=f"/suites/{content}/export.jsonl")

    assert status == 200
    assert "attachment" in headers["content-disposition"]
    assert [json.loads(line)["id"] for line in body.splitlines()] == ["c0", "c1", "c2"]

"""Cases pasted into a suite: the preview, what is refused, and what is stored."""

import csv
import io
import json
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.markdown_rows import read_markdown_table
from benchmaker.web.suites.paste import read_pasted
from tests.web.accessible import violations_here
from tests.web.serving import serving
from tests.web.stored import HOSTILE, put
from tests.web.test_guard import ask
from tests.web.test_suite_conflicts import FORM, stored
from tests.web.test_suite_sheet import ids, newest, prompted
from tests.web.test_suites import capitals

TEXTS = {
    "tsv": 'id\tquestion\tanswer\ttags\na\tWhy?\t=1+1\tx; y\nb\t"two\nlines ""q"""\tso\t\n',
    "csv": 'id,question,answer,tags\na,Why?,=1+1,x; y\nb,"two\nlines ""q""",so,\n',
    "markdown": (
        "| id | question | answer | tags |\n|:--|---|---|--:|\n| a | Why? | =1+1 | x; y |\n"
        '| b | two<br>lines "q" | so | |\n'
    ),
    "jsonl": (
        '{"id": "a", "question": "Why?", "answer": "=1+1", "tags": ["x", "y"]}\n'
        '{"id": "b", "question": "two\\nlines \\"q\\"", "answer": "so"}\n'
    ),
    "json": (
        '[{"id": "a", "question": "Why?", "answer": "=1+1", "tags": ["x", "y"]},\n'
        ' {"id": "b", "question": "two\\nlines \\"q\\"", "answer": "so"}]'
    ),
}
CASES = [
    Case(id="a", prompt="Why?", expected="=1+1", tags=("x", "y")),
    Case(id="b", prompt='two\nlines "q"', expected="so"),
]


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_every_format_gives_the_same_cases(form, end):
    mark = "\ufeff" if form == "csv" else ""
    made = read_pasted(mark + TEXTS[form].replace("\n", end).replace("\r\nlines", "\nlines"),
                       capitals())  # fmt: skip
    assert made.form == form
    assert made.cases == CASES
    assert (made.refused, made.rows, made.new_ids) == ([], 2, 0)
    read_as = {one.name: one.field for one in made.columns}
    assert read_as == {"id": "id", "question": "prompt", "answer": "expected", "tags": "tags"}


def test_a_bar_in_a_cell_of_markdown_is_escaped():
    lines = [r"a | b", "--|--", r"x \| y | z", "too | many | cells"]
    refused = []
    rows = list(read_markdown_table(lines, "f", report=refused.append))
    assert rows == [(3, {"a": "x | y", "b": "z"})]
    assert [(one.line, one.message) for one in refused] == [
        (4, "the row has 3 cells, but the header has 2.")
    ]


def test_refused_rows_are_named_with_line_and_cell_and_the_others_stay():
    text = (
        "id\tprompt\texpected\tweight\tscorer\n"
        "a\tWhy?\t1\t1\texact\n"
        "b\tWhy?\t1\theavy\texact\n"
        "c\tWhy?\t1\t1\texat\n"
        "d\n"
        "a\tAgain?\t1\t1\texact\n"
        "c1\tIn the suite?\t1\t1\texact\n"
        "e\tNUL \0?\t1\t1\texact\n"
    )
    made = read_pasted(text, capitals())
    assert [case.id for case in made.cases] == ["a"]
    assert [one.line for one in made.refused] == [3, 4, 5, 6, 7, 8]
    words = {one.line: (one.column, f"{one.message} {one.hint}") for one in made.refused}
    assert words[3][0] == "weight"
    assert "Did you mean 'exact'?" in words[4][1]
    assert "the row has 1 cell, but" in words[5][1]
    assert "line 2 has the id 'a' already." in words[6][1]
    assert "the suite has the id 'c1' already." in words[7][1]
    assert "U+0000" in words[8][1]
    assert made.can_be_added
    assert (made.rows, made.refused_rows) == (7, 6)


def test_reading_that_ends_early_adds_nothing():
    made = read_pasted('id,prompt,expected\na,Why?,1\nb,"never closed\n', capitals())
    assert len(made.cases) == 1
    assert not made.can_be_added
    assert [one.line for one in made.refused if "unclosed quote" in one.message] == [3]


@pytest.mark.parametrize("text", ["", " \n", "id\tprompt\n", "\t\t\n", "[]", '{"id": '])
def test_a_text_without_rows_adds_nothing_and_says_why(text):
    made = read_pasted(text, capitals())
    assert not made.can_be_added
    assert made.refused


def test_new_ids_are_those_that_are_free():
    suite = Suite("s", [{"id": "case-2", "prompt": "?", "expected": "1"}], scorer="exact")
    text = "question,answer\nA?,1\nB?,2\n"
    assert [one.id for one in read_pasted(text, suite).cases] == ["case-1", "case-3"]
    replaced = read_pasted(text, suite, replaces=True).cases
    assert [one.id for one in replaced] == ["case-1", "case-2"]
    named = read_pasted("id,question,answer\ncase-2,A?,1\n", suite, makes_ids=True)
    assert [one.id for one in named.cases] == ["case-1"]


ONE_LINE = (
    '[{"question": "a", "expected": 1}, '
    '{"question": "b {{ x }}", "expected": 1, "vars": {"x": [1, 2]}}, '
    '{"question": "c", "expected": 1}]'
)


@pytest.mark.parametrize("text", [ONE_LINE, ONE_LINE.replace("}, {", "},\n{")])
def test_rows_of_json_in_one_line_have_ids_of_their_own(text):
    made = read_pasted(text, capitals())
    assert [one.id for one in made.cases] == ["case-1", "case-2/1", "case-2/2", "case-3"]
    assert (made.refused, made.rows) == ([], 3)
    assert [one.written_id for one in made.cases] == ["case-1", "case-2", "case-2", "case-3"]


def test_a_refused_row_of_json_leaves_the_others_of_its_line():
    rows = [("a", "A?"), ("b", ""), ("a", "Again?"), ("d", "D?"), ("c1", "In the suite?")]
    text = json.dumps([{"id": name, "prompt": said, "expected": "1"} for name, said in rows])
    made = read_pasted(text, capitals())
    assert [one.id for one in made.cases] == ["a", "d"]
    assert [one.row for one in made.refused] == [2, 3, 5]
    assert "row 1 has the id 'a' already." in [one.message for one in made.refused]
    assert made.can_be_added
    assert (made.rows, made.refused_rows) == (5, 3)


@pytest.mark.parametrize("form", ["tsv", "jsonl", "json"])
def test_a_row_that_lacks_a_variable_of_a_prompt_is_refused_alone(form):
    suite = Suite(
        "asked",
        [{"id": "a", "prompt": "Why?", "expected": "1"}],
        scorer="exact",
        prompts=[{"id": "plain", "prompt": "Answer: {{ prompt }}"}],
    )
    rows = [{"id": name, "prompt": said, "expected": "1"} for name, said in ASKED.items()]
    texts = {
        "tsv": "id\tprompt\texpected\n" + "".join(f"{k}\t{v}\t1\n" for k, v in ASKED.items()),
        "jsonl": "\n".join(json.dumps({k: v for k, v in one.items() if v}) for one in rows),
        "json": json.dumps([{k: v for k, v in one.items() if v} for one in rows]),
    }
    made = read_pasted(texts[form], suite)
    (refused,) = made.refused
    assert refused.line == {"tsv": 3, "jsonl": 2, "json": 1}[form]
    assert refused.message == "undefined variable 'prompt' in the prompt 'plain'."
    assert [one.id for one in made.cases] == ["x1", "x3"]
    assert made.can_be_added


ASKED = {"x1": "A?", "x2": "", "x3": "C?"}


def test_columns_become_variables_and_lists_several_cases():
    made = read_pasted("id\tn\tunit\texpected\nx\t7\tkm\t7\n", prompted())
    assert made.cases == [Case(id="x", vars={"n": "7", "unit": "km"}, expected="7", rendered=True)]
    listed = read_pasted('{"vars": {"n": [1, 2], "unit": "m"}, "expected": "1"}', prompted())
    assert [one.id for one in listed.cases] == ["case-1/1", "case-1/2"]
    assert {one.written_id for one in listed.cases} == {"case-1"}


def test_a_column_of_a_near_name_is_understood_and_another_left_out_unless_chosen():
    text = "id,promt,Antwort\na,Why?,so\n"
    made = read_pasted(text, capitals())
    assert [(one.field, one.reason) for one in made.columns[1:]] == [
        ("prompt", "the nearest field"),
        ("", "no field of a case has this name"),
    ]
    chosen = read_pasted(text, capitals(), chosen={"Antwort": "expected"})
    assert chosen.cases[0].expected == "so"


@pytest.fixture
def content(home):
    return put(home, capitals())[0]


@pytest.fixture
def address(home):
    with serving(home, works=False) as address:
        yield address


def preview(address, content, text):
    """The mark of the preview of a text, which the button that saves sends along."""
    body = urlencode({"text": text, "newest": content})
    status, _, page = ask(address, "POST", f"/suites/{content}/paste/preview", FORM, body)
    assert status == 200
    return re.search(r'name="seen" value="(\w+)"', page)[1]


def test_a_table_is_previewed_then_added(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}")
    tab.get_by_role("link", name="Paste cases").click()
    tab.get_by_label("A table copied").fill(TEXTS["tsv"])
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_role("heading", name="First 2 cases of 2")).to_be_visible()
    assert stored(home, "small") == [content]
    assert violations_here(tab) == []
    tab.get_by_role("button", name="Add 2 cases").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert newest(home) == (*capitals().cases, *CASES)


def test_all_cases_are_replaced_by_choice(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/paste")
    tab.get_by_label("A table copied").fill("id,question,note\nn,Why?,so\n")
    tab.get_by_label("Cases of the suite").select_option("Replace by these")
    tab.get_by_role("button", name="Preview").click()
    column = tab.get_by_role("combobox", name="Read as note")
    column.select_option("Expected")
    tab.get_by_role("button", name="Preview again").click()
    expect(column).to_have_value("expected")
    tab.get_by_role("button", name="Replace by 1 case").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert newest(home) == (Case(id="n", prompt="Why?", expected="so"),)


def test_a_text_changed_after_its_preview_is_previewed_again(tab, home, content, address):
    tab.goto(f"{address}/suites/{content}/paste")
    tab.get_by_label("A table copied").fill("id,question,answer\na,Why?,so\n")
    tab.get_by_role("button", name="Preview").click()
    tab.get_by_label("A table copied").fill("id,question,answer\nz,Why not?,so\n")
    tab.get_by_role("button", name="Add 1 case").click()
    expect(tab.locator(".cases tbody th")).to_have_text("z")
    assert stored(home, "small") == [content]
    tab.complaints.clear()  # the browser notes the 422
    tab.get_by_role("button", name="Add 1 case").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    assert ids(home) == ["c0", "c1", "c2", "z"]


def jsonl(count):
    return "\n".join(
        json.dumps({"id": f"p{n}", "prompt": f"{n} + 1?", "expected": str(n + 1)})
        for n in range(count)
    )


def test_a_paste_over_a_newer_version_is_shown_again(home, content, address):
    with_one = Suite("small", [*capitals().cases, Case(id="p0", prompt="?", expected="1")],
                     scorer="exact", profile="robust")  # fmt: skip
    seen = preview(address, content, jsonl(2))
    newer = put(home, with_one)[0]
    body = urlencode({"text": jsonl(2), "newest": content, "seen": seen})
    status, _, page = ask(address, "POST", f"/suites/{content}/paste", FORM, body)
    assert status == 409
    assert "the suite has the id &#39;p0&#39; already." in page
    assert f'action="/suites/{newer}/paste"' in page
    assert len(stored(home, "small")) == 2


@pytest.mark.long
def test_ten_thousand_rows_are_pasted(tab, home, content, address):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(("question", "answer"))
    writer.writerows((f"What is {n} and\n{HOSTILE[n % 5]}?", n) for n in range(10_000))
    tab.goto(f"{address}/suites/{content}/paste")
    tab.evaluate("text => { document.querySelector('#text').value = text; }", stream.getvalue())
    tab.get_by_role("button", name="Preview").click()
    expect(tab.get_by_role("heading", name="First 10 cases of 10,000")).to_be_visible()
    tab.get_by_role("button", name="Add 10,000 cases").click()
    expect(tab.get_by_text("Saved as a new version.")).to_be_visible()
    cases = newest(home)
    assert len(cases) == 10_003
    assert cases[-1].prompt == f"What is 9999 and\n{HOSTILE[9999 % 5]}?"
    assert tab.evaluate("window.hit") is None

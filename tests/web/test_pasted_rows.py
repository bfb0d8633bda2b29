"""Rows of pasted texts: each is stored to the value, or refused as a whole."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.spec import Case
from benchmaker.web.suites.paste import read_pasted
from tests.web.test_guard import ask
from tests.web.test_suite_conflicts import FORM
from tests.web.test_suites import capitals

VALUES = st.one_of(
    st.integers(-(10**6), 10**6),
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=6).filter(
        lambda text: bool(text.strip())
    ),
)
BEGIN = '{"id": "r%s", "question": "q%s", '
FAULTS = {
    "": BEGIN + '"expected": %s}',
    "NaN": BEGIN + '"expected": NaN, "category": %s}',
    "infinite": BEGIN + '"expected": %s, "weight": -Infinity, "threshold": Infinity}',
    "too large": BEGIN + '"expected": 1e999, "category": %s}',
    "deep inside": BEGIN + '"expected": %s, "metadata": {"n": [1, NaN]}}',
    "second key": BEGIN + '"expected": %s, "expected": 5, "question": "f"}',
    "no object": '["r%s", "q%s", %s]',
    "no number": BEGIN + '"expected": %s, "weight": "heavy"}',
    "half": BEGIN + '"weight": NaN, "expected": %s',
}


def as_text(value):
    return value if isinstance(value, str) else str(value)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([*FAULTS]), VALUES), min_size=1, max_size=6),
    st.sampled_from(["jsonl", "json", "json in one line"]),
    st.booleans(),
)
def test_rows_of_json_are_stored_to_the_value_or_refused(rows, form, replaces):
    rows = [("", 0), *rows]
    if form != "jsonl":  # a list ends where its syntax is wrong
        rows = [(fault.replace("half", "NaN"), value) for fault, value in rows]
    texts = [FAULTS[fault] % (at, at, json.dumps(it)) for at, (fault, it) in enumerate(rows)]
    separator = {"jsonl": "\n", "json": ",\n"}.get(form, ", ")
    text = separator.join(texts) if form == "jsonl" else f"[{separator.join(texts)}]"
    made = read_pasted(text, capitals(), replaces=replaces)
    assert made.is_whole
    assert made.cases == [
        Case(id=f"r{at}", prompt=f"q{at}", expected=as_text(value))
        for at, (fault, value) in enumerate(rows)
        if not fault
    ]
    assert made.rows == len(rows)
    assert {one.row for one in made.refused} == {
        at for at, (fault, _) in enumerate(rows, 1) if fault
    }
    assert len(made.cases) + made.refused_rows == made.rows


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_no_number_is_put_in_place_of_a_wrong_one(value):
    rows = ['{"question":"q","expected":7}', f'{{"question":"q2","expected":{value}}}']
    for text in ("\n".join(rows), f"[{','.join(rows)}]"):
        made = read_pasted(text, capitals())
        assert [(one.id, one.prompt, one.expected) for one in made.cases] == [("case-1", "q", "7")]
        assert (made.rows, made.refused_rows) == (2, 1)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["", "", "short", "long", "weight", "quotes"]), max_size=6),
    st.sampled_from(["tsv", "csv"]),
)
def test_rows_of_tables_are_stored_to_the_value_or_refused(faults, form):
    rows = {
        "": ["q", "5", "2"],
        "short": ["q", "5"],
        "long": ["q", "5", "2", "2"],
        "weight": ["q", "5", "heavy"],
        "quotes": ["q", '"x" y' if form == "tsv" else "5", "2"],
    }
    lines = [["id", "question", "answer", "weight"]]
    lines += [[f"r{at}", *rows[fault]] for at, fault in enumerate(faults)]
    text = "".join({"tsv": "\t", "csv": ","}[form].join(line) + "\n" for line in lines)
    made = read_pasted(text, capitals())
    assert made.cases == [
        Case(id=f"r{at}", prompt="q", expected=rows[fault][1], weight=2.0)
        for at, fault in enumerate(faults)
        if fault in {"", "quotes"}
    ]
    assert made.rows == len(faults)
    if faults:
        assert made.is_whole
        assert len(made.cases) + made.refused_rows == made.rows


IDS = [(None, "b"), ("mine", "c"), ("case-1", "d"), ("", "e"), ("case-3/x", "f")]
TEXTS = {
    "jsonl": "\n".join(
        json.dumps({"question": said, "expected": 1} | ({"id": name} if name is not None else {}))
        for name, said in IDS
    ),
    "csv": "question,id,answer\n" + "".join(f"{said},{name or ''},1\n" for name, said in IDS),
    "tsv": "question\tid\tanswer\n" + "".join(f"{said}\t{name or ''}\t1\n" for name, said in IDS),
}


@pytest.mark.parametrize("form", TEXTS)
def test_written_ids_stay_and_the_missing_ones_are_made(form):
    made = read_pasted(TEXTS[form], capitals())
    found = [(one.id, one.prompt) for one in made.cases]
    assert found == [
        ("case-2", "b"),
        ("mine", "c"),
        ("case-1", "d"),
        ("case-4", "e"),
        ("case-3/x", "f"),
    ]
    assert (made.refused, made.new_ids) == ([], 2)
    renewed = read_pasted(TEXTS[form], capitals(), makes_ids=True)
    assert [one.id for one in renewed.cases] == [f"case-{at}" for at in range(1, 6)]


@pytest.mark.parametrize("first", ['"ques\ntion"', '"a\n\n""b"""', "question"])
def test_a_column_of_a_spreadsheet_may_have_line_breaks_in_its_name(first):
    made = read_pasted(
        f"{first}\tanswer\na\t1\nb\t2\n", capitals(), chosen={named(first): "prompt"}
    )
    assert (made.form, made.refused) == ("tsv", [])
    assert [(it.prompt, it.expected) for it in made.cases] == [("a", "1"), ("b", "2")]


def named(cell):
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def test_a_missing_id_is_refused_with_the_choice_of_the_page():
    made = read_pasted(TEXTS["csv"], capitals(), makes_ids=False)
    assert [one.id for one in made.cases] == ["mine", "case-1", "case-3/x"]
    assert [one.row for one in made.refused] == [1, 4]
    for one in made.refused:
        assert one.message == "id is missing."
        assert one.hint == "Add a field 'id'. Or choose Ids: From the text, else new."


def test_a_second_key_names_the_line_of_the_first_and_no_file():
    text = (
        '[{"question": "a", "expected": 1},\n {"question": "b",\n "expected": 1, "question": "c"}]'
    )
    (refused,) = read_pasted(text, capitals()).refused
    assert refused.message == "duplicate key 'question'; first at line 2, column 3."
    for fault in FAULTS.values():
        made = read_pasted(fault % (1, 1, "1"), capitals())
        assert not any("benchmaker-" in f"{one.message} {one.hint}" for one in made.refused)


def test_each_row_of_json_has_its_own_names_of_fields():
    rows = [
        {"id": "a", "question": "A?", "expected": "1", "source": "book"},
        {"id": "b", "prompt": "B?", "target": "2", "n": 5},
        {"id": "c", "question": "C?", "prompt": "?", "expected": "3"},
        {"id": "d", "prompt": "D?", "expected": "4", "wieght": 2},
    ]
    made = read_pasted("\n".join(map(json.dumps, rows)), capitals())
    assert made.cases == [
        Case(id="a", prompt="A?", expected="1"),
        Case(id="b", prompt="B?", expected="2"),
    ]
    assert [one.name for one in made.columns if not one.field] == ["source", "n"]
    assert [one.message for one in made.refused] == [
        "unknown field 'question'.",
        "unknown field 'wieght'.",
    ]


@pytest.mark.parametrize("cell", ['{"n": NaN}', '{"n": 1e999}', '{"n": 1, "n": 2}'])
def test_wrong_json_in_a_cell_is_refused_and_not_changed(cell):
    made = read_pasted(f"question\tanswer\tmetadata\na\t1\t{cell}\nb\t1\t{{}}\n", capitals())
    assert [one.prompt for one in made.cases] == ["b"]
    assert [(one.line, one.column) for one in made.refused] == [(2, "metadata")]
    assert cell in made.refused[0].message


def test_the_preview_counts_each_row_once_and_shows_what_is_stored(demo):
    text = 'id\tquestion\tanswer\n\tWhere?\t"Paris"\nb\tWho?\nc\tHow?\t1\n'
    body = urlencode({"name": "n", "scorer": "exact", "text": text})
    status, _, page = ask(demo, "POST", "/suites/new/paste/preview", FORM, body)
    assert status == 200
    assert "3 rows" in page
    assert "ids from the text, 1 new id" in page
    assert "&#34;Paris&#34;" in page.split('id="h-rows"')[1]
    assert "Save suite with 2 cases without the 1 refused row" in page

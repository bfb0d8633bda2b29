"""Rows of pasted texts: each is stored to the value, or refused as a whole."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.spec import Case
from benchmaker.web.suites.paste import read_pasted
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

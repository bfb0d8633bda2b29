import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.documents.csv_rows import read_table
from benchmaker.spec.documents.limits import Limits


def read(text, **limits):
    found = []
    lines = io.StringIO(text, newline="")
    rows = list(read_table(lines, "f", limits=Limits(**limits), report=found.append))
    return rows, [str(one) for one in found]


CELLS = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5), st.sampled_from(",;\t|"))
def test_what_the_csv_module_writes_is_read_back(rows, delimiter):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b", "c"), *rows])
    found, findings = read(text.getvalue())
    assert [tuple(cells.values()) for _, cells in found] == rows
    assert findings == []


def test_rows_keep_the_line_they_begin_at():
    rows, _ = read('id,prompt\n1,"two\nlines"\n\n2,x\n')
    assert [(line, cells["id"]) for line, cells in rows] == [(2, "1"), (5, "2")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_of_the_header(delimiter):
    rows, _ = read(
        f'id{delimiter}"a{delimiter}, ; b"\n1{delimiter}2,5\n'
        if delimiter != ","
        else "id,b\n1,2\n"
    )
    assert rows[0][1]["id"] == "1"


@pytest.mark.parametrize("delimiter", ",;\t|")
@pytest.mark.parametrize("name", ["a\nb", 'say "a",\n;\tb|\nc', "\n\na"])
def test_the_name_of_the_first_column_may_have_line_breaks(name, delimiter):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter).writerows([[name, "c"], ["1", "2"]])
    rows, findings = read(written.getvalue())
    assert [cells for _, cells in rows] == [{name.strip(): "1", "c": "2"}]
    assert findings == []


def test_formulas_are_text():
    rows, _ = read("id,expected\n1,=1+1\n2,@SUM(A1)\n3,\"=cmd|' /C calc'!A0\"\n")
    assert [cells["expected"] for _, cells in rows] == ["=1+1", "@SUM(A1)", "=cmd|' /C calc'!A0"]


def test_rows_of_another_length_are_all_reported():
    rows, findings = read("a,b\n1\n1,2\n1,2,3\n")
    assert [line for line, _ in rows] == [3]
    assert findings == [
        "f:2:1: the row has 1 cell, but the header has 2. Add 'b'; a cell may be empty.",
        "f:4:1: the row has 3 cells, but the header has 2. Quote cells that hold the delimiter.",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "f:1:1: the table has no header"),
        ("\n\n", "the table has no header"),
        (",,\n1,2,3", "the table has no header"),
        ("a,,c\n", "f:1:1: column 2 has no name"),
        ("a,b,a\n", "duplicate column 'a'"),
        ('a,b\n1,2\n1,"open\nrest\n', "f:3:1: unclosed quote in this row"),
        ('a,b\n1,"x"y\n', "f:2:1: unexpected text after a closing quote"),
        ('"a\n', "f:1:1: unclosed quote in this row"),
    ],
)
def test_a_table_that_can_not_be_read_says_why(text, words):
    with pytest.raises(SpecError) as caught:
        read(text)
    assert words in str(caught.value)


def test_huge_cells_are_refused():
    with pytest.raises(SpecError, match="f:2:1: a cell is longer than 1 KiB, or its quote"):
        read("a\n" + "x" * 2000, line_bytes=1024)


def test_cells_longer_than_the_csv_modules_own_limit_are_read():
    rows, _ = read("a\n" + "x" * 200_000)
    assert len(rows[0][1]["a"]) == 200_000

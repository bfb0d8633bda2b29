import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.documents.copied_cells import read_copied_cells
from benchmaker.spec.documents.limits import Limits

WORDS = st.lists(st.sampled_from(["Paris", " ", "é", ",", "5", '"', "hello"]), max_size=5)
PLAIN = WORDS.map("".join).filter(lambda text: '""' not in text)
LINES = st.lists(PLAIN, min_size=2, max_size=3).map("\n".join)


def read(text, **limits):
    found = []
    rows = list(read_copied_cells(text, "f", limits=Limits(**limits), report=found.append))
    return [(line, [*cells.values()]) for line, cells in rows], [str(one) for one in found]


def copied(cell):
    """A cell as a spreadsheet copies it: in quotes if it holds a line break or a tab."""
    if "\n" not in cell and "\t" not in cell:
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


@given(st.lists(st.tuples(PLAIN.filter(bool), PLAIN, PLAIN), max_size=6))
def test_cells_in_one_line_are_their_text(rows):
    text = "a\tb\tc\n" + "".join("\t".join(row) + "\n" for row in rows)
    found, faults = read(text)
    assert [tuple(cells) for _, cells in found] == rows
    assert faults == []


@given(st.lists(st.tuples(st.just("id"), LINES, st.sampled_from(["", "x", "5", '5"'])), max_size=5))
def test_cells_of_several_lines_are_read_back_with_their_quotes(rows):
    text = "a\tb\tc\n" + "".join("\t".join(map(copied, row)) + "\n" for row in rows)
    found, faults = read(text)
    assert [tuple(cells) for _, cells in found] == rows
    assert faults == []


@given(st.text('a"\t\n', max_size=40))
def test_each_line_is_in_a_row_or_in_a_fault(text):
    found, faults = read(f"a\tb\n{text}")
    lines = [line for line, _ in found] + [int(one.split(":")[1]) for one in faults]
    assert len(lines) == len(set(lines))
    assert not text.strip("\n") or lines
    for line, cells in found:
        assert len(cells) == 2
        assert text.split("\n")[line - 2]


def test_quotes_that_no_spreadsheet_adds_are_text():
    rows, faults = read('q\ta\nSay it\t"Paris"\nb\t"\nc\t"hello" he said\nd\t"x""y"\n')
    assert [cells[1] for _, cells in rows] == ['"Paris"', '"', '"hello" he said', 'x"y']
    assert faults == []


def test_a_quote_does_not_close_in_another_row():
    rows, _ = read('q\ta\nb\t"\nc\t"\nd\t"two\nlines"\ne\t"\n')
    assert rows == [
        (2, ["b", '"']), (3, ["c", '"']), (4, ["d", "two\nlines"]), (6, ["e", '"']),
    ]  # fmt: skip


def test_a_cell_of_indented_lines_stays_one_cell():
    assert read('q\ta\nb\t"def f():\n\treturn 1"\nc\td\n')[0] == [
        (2, ["b", "def f():\n\treturn 1"]),
        (4, ["c", "d"]),
    ]


def test_a_quote_does_not_close_in_another_cell_of_its_row():
    assert read('q\ta\tb\nc\t"\t5"\nd\t"x\ty"\tz\n')[0] == [
        (2, ["c", '"', '5"']),
        (3, ["d", "x\ty", "z"]),
    ]


def test_a_header_in_quotes_means_that_all_cells_are():
    rows, _ = read('"q"\t"a"\n"b"\t"Paris"\n"c ""d"""\t""\n')
    assert [cells for _, cells in rows] == [["b", "Paris"], ['c "d"', ""]]


def test_a_row_of_another_length_is_one_fault():
    rows, faults = read("q\ta\tb\nx\n\n1\t2\t3\n1\t2\t3\t4\n")
    assert rows == [(4, ["1", "2", "3"])]
    short, long = faults
    assert short == (
        "f:2:1: the row has 1 cell, but the header has 3. Add 'a', 'b'; a cell may be empty."
    )
    assert long.startswith("f:5:1: the row has 4 cells, but the header has 3. Put a cell that")


def test_a_row_that_is_too_long_is_one_fault():
    rows, faults = read("q\ta\n" + "x" * 2000 + "\t1\nb\t2\n", line_bytes=1024)
    assert rows == [(3, ["b", "2"])]
    assert faults == ["f:2:1: the row is longer than 1 KiB. Shorten it."]


@pytest.mark.parametrize(("text", "words"), [("", "no header"), ("a\t\tb\n", "column 2 has no")])
def test_a_table_without_names_of_columns_is_refused(text, words):
    with pytest.raises(SpecError, match=words):
        read(text)

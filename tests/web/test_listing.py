"""Lists as files for spreadsheets: no cell of them is read as a formula."""

import csv
import io

import pytest

from benchmaker.spec.documents.formula_cells import unprotect_cell
from benchmaker.web.listing import csv_response, record_columns


def cell(value):
    """The one cell of a table with that value."""
    answer = csv_response(record_columns(["value"]), iter([{"value": value}]), "table")
    head, row = csv.reader(io.StringIO(answer.body.decode(), newline=""))
    assert head == ["value"]
    return row[0] if row else ""


@pytest.mark.parametrize("text", ["=5+5", " =1+1", "＝1+1", "\n=1", "'=1", "-2+3"])  # noqa: RUF001  meant
def test_a_formula_is_protected_and_can_be_read_back(text):
    assert cell(text) == f"'{text}"
    assert unprotect_cell(cell(text)) == text


def test_a_list_is_protected_after_its_texts_are_joined():
    assert cell(["=5+5", "openai/alpha"]) == "'=5+5 openai/alpha"
    assert cell(("openai/alpha", "=5+5")) == "openai/alpha =5+5"
    assert cell([" ", "=5+5"]) == "'  =5+5"


@pytest.mark.parametrize(
    ("value", "text"), [(-3.5, "-3.5"), (None, ""), (0, "0"), ("-3.5", "-3.5")]
)
def test_numbers_are_unchanged(value, text):
    assert cell(value) == text

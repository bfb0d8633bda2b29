import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.spec.documents.formula_cells import protect_cell, unprotect_cell


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "+A1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "-", "- a list",
     '=HYPERLINK("https://x","y")', "  =1", "\n=1", "＝1", "'=1", "''+1"],  # noqa: RUF001  meant
)  # fmt: skip
def test_formulas_are_made_harmless(cell):
    assert protect_cell(cell) == f"'{cell}"
    assert unprotect_cell(protect_cell(cell)) == cell


@pytest.mark.parametrize(
    "cell", ["-3.5", "+4", "1e-5", "-.5", "18", "", "Paris", "'quoted'", "a=b"]
)
def test_numbers_and_ordinary_text_stay(cell):
    assert protect_cell(cell) == cell
    assert unprotect_cell(cell) == cell


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n a1.e＝")))  # noqa: RUF001  meant
def test_protection_is_reversed_exactly(cell):
    assert unprotect_cell(protect_cell(cell)) == cell
    assert not protect_cell(cell).startswith(("=", "@", "\t", "\r"))

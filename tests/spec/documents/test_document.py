import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.documents.document import NO_NUMBER, Budget, number
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_literal_gives_back_its_number(value):
    assert number(repr(value)) == value


@pytest.mark.parametrize("text", ["1e999", "-1e999", "9" * 5000])
def test_what_no_number_can_hold_is_refused_in_words(text):
    with pytest.raises(ValueError, match="too l"):
        number(text)


def test_numbers_are_finite():
    assert math.isfinite(number("1e308"))


def a_budget(**limits) -> Budget:
    return Budget("f", Limits(**limits), Findings())


def test_values_and_depth_are_bounded():
    budget = a_budget(values=5, depth=3)
    budget.spend(5, SourceLocation("f"))
    with pytest.raises(SpecError, match="more than 5 values"):
        budget.spend(1, SourceLocation("f", 1, 1))
    budget.check_depth(3, SourceLocation("f"))
    with pytest.raises(SpecError, match="nested more than 3 deep"):
        budget.check_depth(4, SourceLocation("f"))


def test_a_bad_number_is_a_finding_and_reading_goes_on():
    budget = a_budget()
    assert budget.number("1e999", SourceLocation("f", 2, 2)) == NO_NUMBER
    assert "1e999 is too large. If you mean text, put it in quotes" in str(budget.findings.error())

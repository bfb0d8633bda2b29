"""Columns of numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.sessions.compact_columns import (
    CountColumn,
    IntegerColumn,
    RealColumn,
    TextColumn,
)

ROWS = st.integers(0, 20)
INTEGERS = st.integers() | st.sampled_from([0, 1, -1, 127, 128, -129, 2**31 - 1, 2**31, 2**63])


def filled(column, written):
    for row, value in written:
        column[row] = value
    return [column[row] for row in range(25)]


def expected(written, usual):
    plain = dict(written)
    return [plain.get(row, usual) for row in range(25)]


@given(st.lists(st.tuples(ROWS, INTEGERS)), st.sampled_from("biq"))
def test_numbers_of_any_size_come_back(written, typecode):
    assert filled(IntegerColumn(typecode), written) == expected(written, 0)


@given(st.lists(st.tuples(ROWS, st.none() | INTEGERS)), st.sampled_from([None, 1, 0, -1]))
def test_counts_come_back_and_what_is_unknown_is_unknown(written, usual):
    assert filled(CountColumn(usual), written) == expected(written, usual)


@given(st.lists(st.tuples(ROWS, st.none() | INTEGERS)))
def test_a_total_is_that_of_what_is_known(written):
    column = CountColumn()
    known = [n for n in filled(column, written) if n is not None]
    assert column.total(range(25)) == (sum(known) if known else None)


@given(st.lists(st.tuples(ROWS, st.none() | st.floats(allow_nan=False))))
def test_reals_come_back(written):
    column = RealColumn()
    assert filled(column, written) == expected(written, None)
    assert list(column.known_values(range(25))) == [
        it for it in expected(written, None) if it is not None
    ]


def test_a_number_that_is_none_is_not_known():
    column = RealColumn()
    column[0] = math.nan
    assert column[0] is None


@given(st.lists(st.tuples(ROWS, st.none() | st.text(max_size=2))))
def test_texts_come_back(written):
    assert filled(TextColumn(), written) == expected(written, None)


@pytest.mark.parametrize(
    ("column", "usual"), [(IntegerColumn(), 0), (CountColumn(1), 1), (RealColumn(), None)]
)
def test_the_usual_takes_no_room(column, usual):
    column[10**12] = usual
    assert column[10**12] == usual

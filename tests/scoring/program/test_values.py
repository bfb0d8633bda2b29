"""Values between the tests and the program: the same on both sides, and nothing else is read."""

import json
import math
from collections import Counter, OrderedDict, deque
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.scoring.program.inside.values import decode, encode

ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.complex_numbers(allow_nan=False),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.dates(),
    st.datetimes(),
    st.timedeltas(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9)),
)
HASHABLE = st.recursive(
    ATOMS.filter(lambda it: not isinstance(it, range)),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=3)),
    max_leaves=4,
)
VALUES = st.recursive(
    st.one_of(ATOMS, HASHABLE),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(HASHABLE, inner, max_size=4),
        st.sets(HASHABLE, max_size=4),
    ),
    max_leaves=12,
)


def refuse(value):
    raise LookupError(value)


def sent(value):
    data = json.dumps(encode(value, refuse)).encode("utf-8", "surrogatepass")
    return decode(json.loads(data), refuse)


@given(VALUES)
def test_a_value_arrives_as_it_was(value):
    found = sent(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        -0.0,
        math.inf,
        -math.inf,
        10**400,
        "half a pair \ud800",
        bytearray(b"x"),
        Counter("aab"),
        OrderedDict(b=1, a=2),
        deque([1, 2], maxlen=2),
        datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=UTC),
        time(1, 2, 3),
        timedelta(days=-1, microseconds=1),
        date.max,
        Decimal("1.10"),
        Fraction(1, 3),
        slice(1, None, -1),
        ...,
        int,
        ValueError,
        len,
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_rare_value_arrives_as_it_was(value):
    found = sent(value)
    assert found == value
    assert (type(found), repr(found)) == (type(value), repr(value))


def test_not_a_number_arrives():
    assert math.isnan(sent(math.nan))


@pytest.mark.parametrize(
    "array",
    [np.arange(6).reshape(2, 3), np.array([1.5, np.nan]), np.array(["a", "bc"]), np.zeros((0, 2))],
)
def test_an_array_arrives(array):
    found = sent(array)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_a_number_of_numpy_arrives_as_pythons_own():
    assert (sent(np.float64(0.5)), type(sent(np.int64(3)))) == (0.5, int)


class OwnList(list):
    """A list that may do more."""


@pytest.mark.parametrize("value", [object(), lambda: 0, OwnList(), open, np.dtype("O")])
def test_anything_else_is_left_to_the_caller(value):
    with pytest.raises(LookupError):
        encode([value], refuse)


@pytest.mark.parametrize(
    "data",
    [
        {"a": 1},
        ["int"],
        ["int", "x"],
        ["int", 5],
        ["float", []],
        ["dict", 1],
        ["dict", ["list"], 1],
        ["set", ["list"]],
        ["bytes", "zz"],
        ["range", 1, 2, 0],
        ["Fraction", 1, 0],
        ["Decimal", "x"],
        ["date", "2024-13-01"],
        ["python", "eval"],
        ["python", "__import__"],
        ["array", "|O", ["tuple", 1], "00"],
        ["array", "<f8", ["tuple", 9], "00"],
    ],
    ids=str,
)
def test_data_that_is_no_value_is_refused(data):
    with pytest.raises(ValueError):  # noqa: PT011  each says what it is
        decode(data, refuse)


def test_a_value_that_is_nested_too_deeply_is_refused():
    value = []
    value.append(value)
    with pytest.raises(RecursionError):
        encode(value, refuse)

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.store.upkeep.digest import Digest, Kind, Shape, row_normaliser

KINDS = (("b", Kind.BYTES), ("r", Kind.REAL), ("t", Kind.TEXT), ("w", Kind.WHOLE))
SHAPE = Shape("things", KINDS, ("w",))
rows = st.lists(
    st.tuples(
        st.none() | st.binary(max_size=4),
        st.none() | st.floats(),
        st.none() | st.text(max_size=3),
        st.integers(-(2**63), 2**63 - 1),
    ),
    max_size=5,
)


def hash_of(*pages, shape=SHAPE):
    digest = Digest()
    digest.begin(shape)
    for page in pages:
        digest.add(shape, map(row_normaliser(shape), page))
    return digest.hash


@given(rows, rows)
def test_pages_do_not_matter_and_rows_do(one, two):
    assert hash_of(one, two) == hash_of([*one, *two])
    if list(map(row_normaliser(SHAPE), one)) != list(map(row_normaliser(SHAPE), two)):
        assert hash_of(one) != hash_of(two)


@given(rows.filter(lambda some: len(some) > 1))
def test_order_matters_within_a_table(some):
    spelt = list(map(row_normaliser(SHAPE), some))
    assert (hash_of(some) == hash_of(some[::-1])) == (spelt == spelt[::-1])


def test_the_order_of_tables_does_not_matter():
    other = Shape("others", KINDS[3:], ("w",))
    hashes = set()
    for shapes in ((SHAPE, other), (other, SHAPE)):
        digest = Digest()
        for shape in shapes:
            digest.begin(shape)
        hashes.add(digest.hash)
        assert digest.rows == {"things": 0, "others": 0}
    assert len(hashes) == 1


def test_a_row_is_told_from_two_and_nothing_from_no_text():
    shape = Shape("texts", (("t", Kind.TEXT),), ("t",))
    one, two, none = ([("ab",)], [("a",), ("b",)], [(None,)])
    assert len({hash_of(it, shape=shape) for it in (one, two, none, [("",)], [])}) == 5


@pytest.mark.parametrize(("given", "spelt"), [(math.nan, None), (1, 1.0), (math.inf, math.inf)])
def test_numbers_are_spelt_as_either_database_holds_them(given, spelt):
    assert row_normaliser(SHAPE)((None, given, "", 1)) == (None, spelt, "", 1)


def test_nothing_below_zero_is_zero_and_any_bytes_are_bytes():
    _, real, *_ = row_normaliser(SHAPE)((None, -0.0, "", 1))
    assert math.copysign(1, real) == 1
    assert row_normaliser(SHAPE)((memoryview(b"ab"), None, "", 1))[0] == b"ab"

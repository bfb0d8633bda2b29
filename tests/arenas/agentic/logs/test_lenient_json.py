"""Typed JSON of which the fields may be anything."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import (
    Amount,
    Count,
    Loose,
    loose_document,
    loose_lines,
    quiet_options,
)
from benchmaker.arenas.agentic.logs.options import Options


class Inner(msgspec.Struct):
    n: Count | None = None
    cost: Amount | None = None


class Row(msgspec.Struct, rename="camel"):
    some_name: str | None = None
    inner: Inner | None = None
    many: list[Inner] | str | None = None
    by_key: dict[str, Inner] = {}


ROWS = Loose(Row)


def decoded(data):
    return ROWS.decode(json.dumps(data).encode())


def test_what_fits_is_read_without_complaint():
    assert decoded({"someName": "a", "inner": {"n": 3}, "else": [{}]}) == (
        Row(some_name="a", inner=Inner(n=3)),
        (),
    )


@pytest.mark.parametrize(
    ("data", "left", "complaint"),
    [
        ({"someName": 3, "inner": {"n": 1}}, Row(inner=Inner(n=1)), "someName: "),
        ({"inner": {"n": -3, "cost": 1.5}}, Row(inner=Inner(cost=1.5)), "inner.n: "),
        ({"inner": {"n": 10**13}}, Row(inner=Inner()), "inner.n: "),
        ({"inner": {"n": 10**40}}, Row(inner=Inner()), "inner.n: "),
        ({"inner": {"n": True}}, Row(inner=Inner()), "inner.n: "),
        ({"inner": {"cost": -0.5}}, Row(inner=Inner()), "inner.cost: "),
        ({"inner": [1]}, Row(), "inner: "),
        ({"many": [{"n": 1}, 7, {"n": 2}]}, Row(many=[Inner(n=1), Inner(n=2)]), "many[1]: "),
        ({"byKey": {"x": {"n": "y"}}, "someName": "a"}, Row(some_name="a"), "byKey[...].n: "),
    ],
)
def test_a_field_that_does_not_fit_is_left_out_and_named(data, left, complaint):
    value, complaints = decoded(data)
    assert value == left
    assert complaints[0].startswith(complaint)


@pytest.mark.parametrize(
    ("data", "is_impossible"),
    [({"inner": {"n": -3}}, True), ({"someName": -3}, False), ({"inner": -3}, False)],
)
def test_only_a_negative_figure_is_called_negative(data, is_impossible):
    _, (complaint,) = decoded(data)
    assert ("is negative" in complaint) is is_impossible


def test_not_a_number_is_left_out_too():
    value, complaints = ROWS.decode(b'{"someName": "a", "inner": {"n": NaN}}')
    assert value == Row(some_name="a", inner=Inner())
    assert len(complaints) == 1


@pytest.mark.parametrize("text", [b"", b"3", b"[1]", b'"x"', b'{"a', b'{"a":' * 9_000, b"\xff"])
def test_what_is_no_object_is_refused(text):
    with pytest.raises(DecodingError):
        ROWS.decode(text)


def test_a_row_of_which_hardly_anything_fits_is_refused():
    with pytest.raises(DecodingError):
        decoded({"many": [3] * 1_000})


@given(
    st.dictionaries(
        st.sampled_from(["someName", "inner", "many", "byKey", "other"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda some: (
                st.lists(some, max_size=3)
                | st.dictionaries(st.sampled_from(["n", "cost", "x"]), some, max_size=3)
            ),
            max_leaves=8,
        ),
    )
)
def test_any_object_is_read_or_refused_in_so_many_words(data):
    try:
        value, complaints = decoded(data)
    except DecodingError:
        return
    assert isinstance(value, Row)
    assert bool(complaints) or json.loads(msgspec.json.encode(value)) is not None


def test_lines_tell_what_they_left_out_and_where(tmp_path):
    skipped = []
    path = tmp_path / "a.jsonl"
    path.write_text('{"someName": "a"}\n{"someName": 1}\nno\n\n{"someName": "b"}')
    found = list(loose_lines(path, Options(skip=skipped.append), ROWS))
    assert [(line, row.some_name) for line, row in found] == [(1, "a"), (2, None), (5, "b")]
    assert [it.line for it in skipped] == [2, 3]
    assert skipped[0].reason.startswith("skipped someName")


def test_a_document_is_read_as_a_whole(tmp_path):
    skipped = []
    options = Options(skip=skipped.append, max_document_bytes=100)
    path = tmp_path / "a.json"
    path.write_bytes(b'\xef\xbb\xbf{\n "someName": "a", "inner": 3}')
    assert loose_document(path, options, ROWS) == Row(some_name="a")
    path.write_text("{" + " " * 200 + "}")
    assert loose_document(path, options, ROWS) is None
    path.write_text("no")
    assert loose_document(path, options, ROWS) is None
    assert loose_document(tmp_path / "missing.json", options, ROWS) is None
    assert [it.line for it in skipped] == [0, 0, 0, 0]


def test_a_first_look_tells_nobody_and_keeps_the_bounds(tmp_path):
    skipped = []
    quiet = quiet_options(Options(skip=skipped.append, max_line_bytes=10))
    path = tmp_path / "a.jsonl"
    path.write_text("no\n" + '{"someName": "too long"}\n{}')
    assert [line for line, _ in loose_lines(path, quiet, ROWS)] == [3]
    assert skipped == []

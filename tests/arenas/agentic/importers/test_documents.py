"""Rows found one by one in a JSON document."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.importers.rows.content import coerce, content_digest
from benchmaker.arenas.agentic.importers.rows.document import Damaged, Document
from benchmaker.arenas.agentic.importers.rows.shapes import shape_of

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
rows = st.lists(st.dictionaries(st.text(max_size=4), values, max_size=3), max_size=5)


@given(rows, st.none() | st.integers(0, 3), st.booleans())
def test_every_row_is_found_with_its_line(found, indent, is_listed):
    whole = {"made": {"submissions": [1]}, "submissions": found} if is_listed else found
    text = json.dumps(whole, indent=indent)
    parts = list(Document(text).rows())
    assert repr([json.loads(part) for _, part in parts]) == repr(found)
    lines = text.split("\n")
    for line, part in parts:
        assert part.split("\n")[0] in lines[line - 1]


def keep(coming, parts):
    for _, part in coming:
        parts.append(json.loads(part))


@given(rows.filter(bool), st.data())
def test_a_cut_document_has_the_rows_before_the_cut(found, data):
    text = json.dumps(found, indent=1)
    at = data.draw(st.integers(1, len(text) - 1))
    parts = []
    with pytest.raises(Damaged):
        keep(Document(text[:at]).rows(), parts)
    assert repr(parts) == repr(found[: len(parts)])


@pytest.mark.parametrize(
    ("text", "why", "line"),
    [
        ('[{"a": 1},\n {"a": ', "cut off in the middle", 2),
        ('[{"a": 1},\n {"a": "b', "cut off in the middle", 2),
        ('[{"a": 1}\n {"a": 2}]', "damaged JSON", 2),
        ('{"submissions": [{"a": 1},,]}', "damaged JSON", 1),
        ("[" * 100_000, "nested too deeply", 1),
        ("", "cut off in the middle", 1),
    ],
)
def test_damage_is_told_with_its_line(text, why, line):
    with pytest.raises(Damaged, match=why) as told:
        list(Document(text).rows())
    assert told.value.line == line


@pytest.mark.parametrize(
    ("start", "shape"),
    [
        (b'\xef\xbb\xbf{"a": 1}\n{"a": 2}', "lines"),
        (b'{"a": 1, "b\n{"a": 2}\n', "lines"),
        (b'{"made": 1, "submissions": [{"a": 1}]}', "document"),
        (b'{\n "a": 1\n}', "document"),
        (b'{"a": "' + b"x" * 70_000, "lines"),
        (b"", "table"),
    ],
)
def test_the_beginning_tells_the_shape(start, shape):
    assert shape_of(start) == shape


@given(st.dictionaries(st.text(max_size=4), st.integers() | st.booleans() | st.floats(0, 1e9)))
def test_content_is_the_same_as_texts_and_in_any_order(fields):
    texts = {name: str(value) for name, value in reversed(fields.items())}
    assert content_digest(fields) == content_digest(texts)


@given(st.text())
def test_typing_a_text_twice_changes_nothing(text):
    assert coerce(coerce(text)) == coerce(text)

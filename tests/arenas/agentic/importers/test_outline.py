"""The fields of a document, by its beginning."""

import json

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.importers.outline import outline

NAMES = st.text("abc_ 1", min_size=1, max_size=4)
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=4) | st.lists(VALUES, max_size=4)


def slowly(value, place=""):
    """The paths of all fields that lie in objects, and in lists of objects."""
    if isinstance(value, list):
        for one in value:
            yield from slowly(one, f"{place}[]")
    elif isinstance(value, dict):
        for name, one in value.items():
            path = f"{place}.{name}" if place else name
            yield path
            yield from slowly(one, path)


def depth(path):
    return path.count(".") + path.count("[]")


@given(DOCUMENTS)
def test_the_fields_are_those_of_the_whole_document(value):
    found = outline(json.dumps(value).encode())
    assert {it for it in slowly(value) if depth(it) <= 2} <= found
    assert found <= set(slowly(value))


@given(DOCUMENTS, st.integers(0, 60))
def test_a_beginning_shows_no_field_that_the_whole_has_not(value, size):
    text = json.dumps(value).encode()
    assert outline(text[:size]) <= outline(text)


def test_a_text_that_is_cut_off_has_no_fields():
    text = json.dumps({"role": "user", "content": json.dumps({"trajectory": [{"action": 1}]})})
    for size in range(len(text)):
        assert outline(text[:size].encode()) <= {"role", "content"}


def test_what_is_no_document_has_no_fields():
    assert outline(b"a,b\n1,2\n") == frozenset()
    assert outline(b"") == frozenset()

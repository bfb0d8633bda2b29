import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from benchmaker.spec.documents.source_map import as_text
from benchmaker.spec.suites.case_form import as_case, unfit_label, unfit_text, unfit_texts


def source(path):
    return "source of " + ".".join(map(str, path))


def test_scalars_become_the_text_that_stood_there():
    case = as_case(
        {"id": 7, "prompt": "x", "expected": 1.5, "group": True, "tags": ["a", 2]}, source
    )
    assert case.id == "source of id"
    assert case.expected == "source of expected"
    assert case.group == "source of group"
    assert case.tags == ("a", "source of tags.1")


def test_a_single_tag_needs_no_list():
    assert as_case({"id": "a", "prompt": "x", "tags": "one"}, source).tags == ("one",)
    assert as_case({"id": "a", "prompt": "x", "tags": 5}, source).tags == ("source of tags",)


def test_contents_of_messages_may_be_numbers():
    given_messages = [{"role": "user", "content": 18}]
    case = as_case({"id": "a", "messages": given_messages}, source)
    assert case.messages[0].content == "source of messages.0.content"
    assert given_messages == [{"role": "user", "content": 18}]


@pytest.mark.parametrize("weight", [True, -1, float("nan"), float("inf"), "abc", [1]])
def test_a_weight_is_a_number_from_0_up(weight):
    with pytest.raises(ValidationError):
        as_case({"id": "a", "prompt": "x", "weight": weight}, source)


@given(st.integers() | st.booleans())
def test_as_text_writes_what_a_file_would(value):
    assert as_text(value) == str(value).lower()


@pytest.mark.parametrize(
    ("field", "value", "path"),
    [
        ("id", "a\nb", ("id",)),
        ("category", "\x1b[31m", ("category",)),
        ("tags", ["ok", "\x07"], ("tags", 1)),
        ("prompt", "a\0b", ("prompt",)),
        ("expected", "\ud800", ("expected",)),
        ("metadata", {"k": ["\0"]}, ("metadata", "k", 0)),
        ("metadata", {"k": 2**64}, ("metadata", "k")),
        ("scorer", {"id": "x", "pattern": "\0"}, ("scorer", "pattern")),
    ],
)
def test_texts_that_can_not_be_kept_are_named(field, value, path):
    case = as_case({"id": "a", "prompt": "x", field: value}, source)
    assert [where for where, _ in unfit_texts(case)] == [path]


def test_ordinary_texts_are_fit():
    case = as_case(
        {"id": "é☃\u3000x", "prompt": "a\n\tb\x1b", "expected": "😀", "metadata": {"a": [1, None]}},
        source,
    )
    assert list(unfit_texts(case)) == []
    assert list(unfit_label(("name",), "fine")) == []
    assert list(unfit_text(("description",), "two\nlines")) == []

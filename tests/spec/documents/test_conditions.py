"""Conditions on lines of foreign files."""

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec import AnswerFields
from benchmaker.spec.documents.conditions import condition


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("filter=strict", {"filter": "strict"}, True),
        ("filter=strict", {"filter": "flexible"}, False),
        ("filter!=strict", {"filter": "flexible"}, True),
        ("filter=strict|exact", {"filter": "exact"}, True),
        ("meta.kinds.0=a", {"meta": {"kinds": ["a", "b"]}}, True),
        ("failureReason=2", {"failureReason": 2}, True),
        ("failureReason=2", {}, False),
        ("ok=true", {"ok": True}, True),
        ("a.b=1", {"a.b": 1}, True),
        ("error=", {"error": None}, True),
        ("text=a=b", {"text": "a=b"}, True),
    ],
)
def test_a_condition_compares_texts(text, line, expected):
    assert condition(text)(line) is expected


@pytest.mark.parametrize("text", ["", "filter", "=strict", "!=x"])
def test_another_form_is_refused(text):
    with pytest.raises(ValueError, match="not a condition"):
        condition(text)
    with pytest.raises(SpecError, match="not a condition"):
        AnswerFields(where=text)

"""JSON Schemas that nothing can fit, against jsonschema on many values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from benchmaker.errors import SpecError
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.checks.json_schemas import contradiction

NEVER = (
    False,
    {"not": {}},
    {"not": True},
    {"enum": []},
    {"type": "string", "enum": [1, 2]},
    {"type": "integer", "const": 1.5},
    {"type": "boolean", "const": 1},
    {"type": "string", "minLength": 3, "maxLength": 2},
    {"type": "array", "minItems": 3, "maxItems": 2},
    {"type": "number", "minimum": 3, "maximum": 2},
    {"type": "object", "required": ["a"], "additionalProperties": False},
    {"type": "object", "required": ["a"], "properties": {"a": False}},
    {"type": "array", "minItems": 1, "items": False},
    {"allOf": [True, {"not": {}}]},
    {"anyOf": [False, {"type": "string", "enum": [1]}]},
    {"oneOf": [{}, {}]},
    {"oneOf": [{"type": "string"}, True, {}]},
    {"oneOf": [{"type": "string"}, {"type": "string"}, False]},
)
SOME = (
    True,
    {},
    {"not": {"type": "string"}},
    {"not": False},
    {"type": ["string", "number"], "enum": [1]},
    {"type": "integer", "const": 1.0},
    {"minLength": 3, "maxLength": 2},
    {"type": "object", "required": ["a"], "additionalProperties": False, "properties": {"a": {}}},
    {"type": "object", "required": ["a"], "additionalProperties": False,
     "patternProperties": {"^a": {}}},
    {"type": "array", "minItems": 1, "prefixItems": [{}], "items": False},
    {"anyOf": [False, {}]},
    {"oneOf": [{"type": "string"}, {}]},
    {"oneOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]},
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
)


@pytest.mark.parametrize("schema", NEVER, ids=str)
def test_a_contradiction_is_found(schema):
    assert contradiction(schema)


@pytest.mark.parametrize("schema", SOME, ids=str)
def test_a_schema_that_something_fits_is_none(schema):
    assert contradiction(schema) == ""


@given(value=VALUES, schema=st.sampled_from(NEVER))
def test_nothing_fits_a_contradiction(value, schema):
    assert not Draft202012Validator(schema).is_valid(value)


def test_validate_reports_it_at_the_schema(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(
        "checks: [{type: json_schema, value: false}]\n"
        "cases:\n  - {id: a, prompt: p}\n"
        "  - {id: b, prompt: p, checks: [{type: json_schema, value: {type: string, enum: [1]}}]}\n"
    )
    with pytest.raises(SpecError) as caught:
        load_checked(file)
    assert [(it.line, it.column, it.message) for it in caught.value.findings] == [
        (1, 37, "no answer can pass: the schema is false."),
        (4, 60, "no answer can pass: enum has no value of type string."),
    ]

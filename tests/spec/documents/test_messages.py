import pytest
from pydantic import ValidationError

from benchmaker.spec import Case, Parameters
from benchmaker.spec.documents.messages import faults, kind, refused_fields
from benchmaker.spec.suites.suite_form import CASE_PARTS, SUITE_PARTS, SuiteForm


def words(model, values, parts=CASE_PARTS):
    with pytest.raises(ValidationError) as caught:
        model.model_validate(values)
    return [(fault.path, fault.message, fault.hint) for fault in faults(caught.value, model, parts)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"prompt": "x"}, "id is missing."),
        ({"id": "", "prompt": "x"}, "id must not be empty."),
        ({"id": "x" * 600, "prompt": "x"}, "id is longer than 512 characters."),
        ({"id": [1], "prompt": "x"}, "id must be text, not a list."),
        ({"id": "a"}, "prompt is missing; add prompt or messages."),
        (
            {"id": "a", "prompt": "x", "messages": [{"role": "user", "content": "y"}]},
            "both prompt and messages are given; remove one of them.",
        ),
        ({"id": "a", "prompt": "x", "weight": -1}, "weight must be at least 0, not -1."),
        ({"id": "a", "prompt": "x", "weight": "many"}, "weight must be a number, not 'many'."),
        ({"id": "a", "prompt": "x", "weight": "nan"}, "weight must be a finite number, not 'nan'."),
        ({"id": "a", "prompt": "x", "tags": {}}, "tags must be a list, not a mapping."),
        ({"id": "a", "prompt": "x", "metadata": 5}, "metadata must be a mapping, not 5."),
        ({"id": "a", "prompt": "x", "scorer": 5}, "scorer must be a mapping, not 5."),
        ({"id": "a", "messages": ["hi"]}, "messages[0] must be a mapping, not 'hi'."),
        (
            {"id": "a", "messages": [{"role": "robot", "content": "y"}]},
            "messages[0].role must be 'system', 'user' or 'assistant', not 'robot'.",
        ),
    ],
)
def test_objections_are_in_the_words_of_the_file(values, message):
    assert [found for _, found, _ in words(Case, values)] == [message]


def test_unknown_fields_suggest_those_of_their_owner():
    found = words(Case, {"id": "a", "messages": [{"role": "user", "content": "y", "nam": 1}]})
    assert found == [
        (("messages", 0, "nam"), "unknown field 'nam'.", "Known fields: role, content.")
    ]
    found = words(SuiteForm, {"parameters": {"temprature": 1}}, SUITE_PARTS)
    assert found[0][2] == "Did you mean 'temperature'?"


def test_bounds_are_told():
    found = words(Parameters, {"temperature": 3, "top_p": 0, "max_tokens": 1.5})
    assert [message for _, message, _ in found] == [
        "temperature must be at most 2, not 3.",
        "top_p must be greater than 0, not 0.",
        "max_tokens must be a whole number, not 1.5.",
    ]


def test_long_values_are_cut():
    assert len(kind("x" * 1000)) < 80
    assert (kind(None), kind(True), kind([])) == ("an empty value", "true", "a list")


def test_a_field_that_a_mistyped_one_means_is_not_missing_as_well():
    assert len(words(Case, {"idd": "a", "prompt": "x"})) == 1
    assert len(words(Case, {"id": "a", "messages": [{"rol": "user", "content": "y"}]})) == 1


def test_refused_fields_are_named_as_they_were_meant():
    given = {"idd": "a", "prompt": [1], "wieght": 1, "weight": 2, "zzz": 1, "tags": ["", 5]}
    with pytest.raises(ValidationError) as caught:
        Case.model_validate(given)
    assert refused_fields(caught.value, Case, given) == {"id", "prompt", "tags"}


def test_a_mistyped_field_counts_under_the_name_that_it_means():
    given = {"id": "a", "prompt": "x", "wieght": 1}
    with pytest.raises(ValidationError) as caught:
        Case.model_validate(given)
    assert refused_fields(caught.value, Case, given) == {"weight"}

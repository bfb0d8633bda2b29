"""JSON as a whole, JSON Schema and JSONPath: their limits, faults and contract."""

import asyncio
import json
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import ScorerError, SpecError
from benchmaker.scoring.build import build
from benchmaker.scoring.checks import json_checks
from benchmaker.scoring.checks.json_checks import Json, JsonPath, JsonSchema
from benchmaker.scoring.checks.json_values import NotJson, is_same_json, json_inside, read_json
from benchmaker.scoring.checks.values import TEXT_LENGTH
from benchmaker.spec import ScorerSpec, Suite, profile
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


def score_of(check, text):
    return asyncio.run(check.score(a_case(), a_trial(text=text)))


@given(VALUES)
def test_a_value_written_as_json_is_read_again(value):
    text = json.dumps(value)
    assert is_same_json(read_json(f" {text}\n"), value)
    assert Json().score(a_case(), a_trial(text=text)).score == 1.0
    if isinstance(value, (list, dict)):
        assert list(json_inside(f"so {text} it is")) == [value]


@given(VALUES, VALUES)
def test_equality_of_json_is_that_of_its_sorted_text(one, other):
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert is_same_json(one, other) is same
    assert is_same_json(one, one)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "line 1, column 2"),
        ("[1,\n x]", "line 2, column 2"),
        ("NaN", "NaN is no JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("", "line 1, column 1"),
    ],
)
def test_the_fault_of_a_text_that_is_no_json_is_named(text, reason):
    with pytest.raises(NotJson, match=reason):
        read_json(text)
    assert reason in Json().score(a_case(), a_trial(text=text)).notes


@pytest.mark.parametrize("sign", ["[", "{", '{"a": ', "[{", '["'])
def test_a_million_open_brackets_are_read_in_time_linear_in_their_number(sign):
    assert list(json_inside(sign * (TEXT_LENGTH // len(sign)))) == []


def test_the_first_five_errors_of_a_schema_are_kept():
    check = JsonSchema({"type": "array", "items": {"type": "integer"}})
    score = score_of(check, json.dumps(["a"] * 9))
    assert score.detail["errors"] == [f"$[{at}]: 'a' is not of type 'integer'" for at in range(5)]
    assert check.explain(score)[-1] == "score = 0"
    assert check.explain(score_of(check, "[1]")) == ["it fits", "score = 1"]


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "nothing"}, "invalid JSON Schema: \\$.type: 'nothing' is not valid"),
        ({"minimum": "1"}, "\\$.minimum"),
        ({"$ref": "#/$defs/gone"}, ""),
    ],
)
def test_an_invalid_schema_is_a_fault(schema, reason):
    if reason:
        found = JsonSchema(schema).faults()
        assert found[0].path == ("value",)
    with pytest.raises(SpecError, match=reason or "the reference can't be resolved"):
        score_of(JsonSchema(schema), "1")


def test_a_reference_to_the_network_is_not_loaded():
    with pytest.raises(SpecError, match="the reference can't be resolved"):
        score_of(JsonSchema({"$ref": "http://127.0.0.1:9/schema.json"}), "1")


@pytest.mark.parametrize("path", ["$.", "a.b", "$a", "$[?", "$[?@.a==]", "", "$[?unknown(@)]"])
def test_an_invalid_path_is_a_fault(path):
    assert JsonPath(path).faults()[0].path == ("path",)
    with pytest.raises(SpecError, match="invalid JSONPath"):
        score_of(JsonPath(path), "{}")


def test_valid_rules_have_no_faults():
    assert JsonSchema({"type": "object"}).faults() == []
    assert JsonPath("$..a[?@.b > 1]").faults() == []


EVIL = '"' + "a" * 40 + '!"'


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (JsonSchema({"pattern": "^(a+)+$"}), EVIL),
        (JsonSchema({"patternProperties": {"^(a+)+$": {}}}), f"{{{EVIL}: 1}}"),
        (JsonPath("$[?search(@, '(a+)+$')]"), f"[{EVIL}]"),
    ],
    ids=["pattern", "pattern properties", "search"],
)
def test_a_pattern_that_would_take_hours_is_an_error(check, answer, monkeypatch):
    monkeypatch.setattr(json_checks, "TIMEOUT_S", 1.5)
    with pytest.raises(ScorerError, match="timed out"):
        score_of(check, answer)


def test_what_a_path_selects_is_explained():
    check = JsonPath("$.a[*]", value=3)
    score = score_of(check, '{"a": [1, 2, "x"]}')
    assert check.explain(score) == [
        "path $.a[*]",
        "selected 1",
        "selected 2",
        "selected 'x'",
        "none equals 3: 0",
    ]
    assert check.explain(score_of(check, '{"a": [3]}'))[-1] == "equal to 3: 1"
    assert check.explain(score_of(check, "{}"))[-1] == "the path selects nothing: 0"
    assert check.explain(score_of(check, "no"))[-1].startswith("no JSON: line 1, column 1")


DECIMALS = st.decimals(-(10**6), 10**6, places=3, allow_nan=False)
STEPS = st.sampled_from(["0.01", "0.1", "0.001", "0.3", "0.25", "3", "1e-3", "1.5"])


@settings(max_examples=40, deadline=None)
@given(DECIMALS, STEPS)
def test_a_multiple_is_one_of_the_written_decimals(number, step):
    text = f"{number:f}"
    wanted = (Fraction(text) / Fraction(step)).denominator == 1
    assert score_of(JsonSchema({"multipleOf": json.loads(step)}), text).score == float(wanted)


@pytest.mark.parametrize(
    ("step", "text", "wanted"),
    [
        (0.01, "19.99", 1.0),
        (0.01, "19.995", 0.0),
        (0.1, "0.3", 1.0),
        (0.0001, "0.00751", 0.0),
        (1e-300, "1e300", 1.0),
        (2, str(2**80), 1.0),
        (2, str(2**80 + 1), 0.0),
        (0.01, "true", 1.0),
        (0.01, '"text"', 1.0),
    ],
)
def test_a_multiple_of_a_decimal(step, text, wanted):
    check = JsonSchema({"$schema": "http://json-schema.org/draft-07/schema#", "multipleOf": step})
    assert score_of(check, text).score == wanted
    assert score_of(JsonSchema({"items": {"multipleOf": step}}), f"[{text}]").score == wanted


def test_null_is_a_value_to_compare_with():
    suite = Suite(
        "s",
        [{"id": "a", "prompt": "Q"}],
        checks=[{"type": "json_path", "path": "$.error", "value": None}],
    )
    [check] = suite.checks
    assert check.parameters == {"path": "$.error", "value": None}
    made = build(check.scorer, profile("robust"))
    assert score_of(made, '{"error": null}').score == 1.0
    failed = score_of(made, '{"error": "disk full"}')
    assert (failed.score, failed.notes) == (0.0, "none equals null")
    assert score_of(made, "{}").score == 0.0
    without = Suite(
        "s", [{"id": "a", "prompt": "Q"}], checks=[{"type": "json_path", "path": "$.error"}]
    )
    assert without.content_hash != suite.content_hash
    any_value = build(without.checks[0].scorer, profile("robust"))
    assert score_of(any_value, '{"error": "disk full"}').score == 1.0


@pytest.mark.parametrize("check", [JsonSchema({}), JsonPath("$")])
def test_an_answer_of_more_than_a_million_characters_is_an_error(check):
    with pytest.raises(ScorerError, match="longer than 1,000,000 characters"):
        score_of(check, "[" + "1," * (TEXT_LENGTH // 2) + "1]")


def test_a_schema_in_a_suite_is_its_value():
    made = build(ScorerSpec(id="json_schema", value={"type": "null"}), profile("robust"))
    assert score_of(made, "null").score == 1.0


class TestJson(ScorerContract):
    scorer = Json
    limit_s = 60.0
    examples = (Example('{"a": 1}', score=1.0), Example("{'a': 1}", score=0.0))


class TestJsonInside(TestJson):
    scorer = partial(Json, inside=True)
    examples = (Example('so {"a": 1}', score=1.0), Example("none", score=0.0))


class TestJsonSchema(ScorerContract):
    scorer = partial(JsonSchema, {"type": "object", "required": ["a"]})
    limit_s = 60.0
    examples = (Example('{"a": 1}', score=1.0), Example('{"b": 1}', score=0.0))


class TestJsonPath(ScorerContract):
    scorer = partial(JsonPath, "$.a", value=1)
    limit_s = 60.0
    examples = (Example('{"a": 1}', score=1.0), Example('{"a": 2}', score=0.0))

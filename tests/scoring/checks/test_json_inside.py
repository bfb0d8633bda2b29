"""JSON inside answers: every object and list is found, however many there are."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import ScorerError
from benchmaker.scoring.checks.checks import Checks
from benchmaker.scoring.checks.json_checks import Json, JsonPath, JsonSchema
from benchmaker.scoring.checks.json_scan import spans_inside
from benchmaker.scoring.checks.json_values import NestedTooDeeply, json_inside, read_json
from benchmaker.scoring.checks.values import TEXT_LENGTH
from benchmaker.spec import CheckSpec
from benchmaker.testing import a_case, a_trial

PIECES = (
    *("[", "]", "{", "}", '"', ",", ":", "1", "-", "\\", "a", '"a"', '"a":', " ", "\n", "true"),
    *("null", "NaN", "1.5e3", "[1]", '{"a":1}', '\\"', "\\u00e9", "\\u12", "0", "01", ".", "\t"),
)  # fmt: skip


def refuse(name):
    raise ValueError(name)


def slow_spans(text):
    """Every bracket is tried, whatever failed before."""
    decoder, at = json.JSONDecoder(parse_constant=refuse), 0
    while at < len(text):
        end = at + 1
        if text[at] in "[{":
            try:
                _, end = decoder.raw_decode(text, at)
            except ValueError:
                pass
            else:
                yield at, end
        at = end


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_the_spans_are_those_of_an_attempt_at_each_bracket(text):
    assert list(spans_inside(text)) == list(slow_spans(text))


@pytest.mark.parametrize(
    ("noise", "checks"),
    [
        *((it, "json") for it in ("{x} ", "[", '["', '"[', "[1, x ", '{"a": {"b" ', "[[1] x ")),
        *(("[1, x ", it) for it in ("json_schema", "json_path")),
    ],
)
def test_a_value_after_any_number_of_failed_attempts_is_found(noise, checks):
    value = {"wanted": 7}
    text = f"{noise * (900_000 // len(noise))}\n{json.dumps(value)} and so on"
    schema = {"type": "object", "required": ["wanted"]}
    check = {
        "json": Json(inside=True),
        "json_schema": JsonSchema(schema, inside=True),
        "json_path": JsonPath("$.wanted", value=7, inside=True),
    }[checks]
    made = check.score(a_case(), a_trial(text=text))
    score = made if checks == "json" else asyncio.run(made)
    assert score.score == 1.0, score.notes


@pytest.mark.parametrize("number", [99, 100, 101, 3_000])
def test_all_values_are_examined(number):
    text = " ".join('{"a": 1}' for _ in range(number)) + ' {"b": 2}'
    schema = JsonSchema({"required": ["b"]}, inside=True)
    path = JsonPath("$.b", value=2, inside=True)
    everything = JsonPath("$.*", inside=True)
    scores = [asyncio.run(it.score(a_case(), a_trial(text=text))) for it in (schema, path)]
    assert [it.score for it in scores] == [1.0, 1.0]
    found = asyncio.run(everything.score(a_case(), a_trial(text=text)))
    assert found.detail["selected"] == number + 1


def test_a_path_may_select_any_number_of_values():
    text = json.dumps([*range(30_000), "last"])
    score = asyncio.run(JsonPath("$[*]", value="last").score(a_case(), a_trial(text=text)))
    assert (score.score, score.detail["selected"]) == (1.0, 30_001)


DEEP = "[" * 100_000 + "]" * 100_000


def verdict(text, **check):
    made = Checks((CheckSpec.model_validate(check),))
    score = asyncio.run(made.score(a_case(), a_trial(text=text)))
    return score.score, score.notes


def test_json_that_is_nested_too_deeply_is_json_and_can_not_be_examined():
    with pytest.raises(NestedTooDeeply):
        read_json(f" {DEEP}\n")
    with pytest.raises(NestedTooDeeply):
        list(json_inside(f"so {DEEP}"))
    assert verdict(DEEP, type="json")[0] == 1.0
    assert verdict(f"so {DEEP}", type="json", inside=True)[0] == 1.0
    for inside in (False, True):
        check = {"type": "json_schema", "value": {}, "inside": inside}
        reason = "the check json_schema is undecided: the answer is nested too deeply"
        assert verdict(DEEP, **check) == (None, reason)
    assert verdict(DEEP[:-1], type="json")[0] == 0.0


def test_an_answer_beyond_the_limit_is_undecided_with_the_reason():
    long = "[]" + " " * TEXT_LENGTH
    with pytest.raises(ScorerError, match="longer than 1,000,000 characters"):
        Json(inside=True).score(a_case(), a_trial(text=long))
    reason = "the check not json is undecided: the answer is longer than 1,000,000 characters"
    assert verdict(long, type="json", inside=True, **{"not": True}) == (None, reason)
    assert verdict(long, type="json")[0] == 1.0

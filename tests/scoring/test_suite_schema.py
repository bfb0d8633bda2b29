import dataclasses
import json

import jsonschema
import pytest

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.scoring.build import parameters_of
from benchmaker.scoring.check import load_checked
from benchmaker.scoring.suite_schema import suite_schema


@pytest.fixture(scope="module")
def schema():
    return suite_schema()


@pytest.fixture(scope="module")
def validator(schema):
    """Validates against the schema, which it does not check each time."""
    return jsonschema.Draft202012Validator(schema)


def case(**values):
    return {"id": "a", "prompt": "x", "expected": "1", **values}


def suite(*cases, **values):
    return {"scorer": "exact", "cases": list(cases) or [case()], **values}


GOOD = [
    suite(),
    suite(name=5, description=True, profile="robust", system_prompt=None),
    suite(case(id=7, expected=1.5, weight=0.5, category=1, tags=["a", 2], group=True)),
    suite(case(tags="one", metadata={"any": ["thing"]}, difficulty="easy")),
    suite({"id": "a", "messages": [{"role": "user", "content": 18}], "expected": "x"}),
    suite(scorer={"id": "numeric", "tolerance": 0.01, "curve": "step"}),
    suite(case(scorer={"id": "regex", "pattern": "/a/i"})),
    suite(case(scorer={"id": "boolean", "any_of": ["yes"], "verdict": True})),
    suite(
        scorer={"id": "exact", "extract": ["json", "whole"], "normalise": ["nfc"]}, profile="robust"
    ),
    suite(parameters={"temperature": 0, "benchmark_mode": True}, policies={"truncated": "zero"}),
    {"$schema": "x", **suite()},
    suite(checks=["exact", {"type": "regex", "pattern": "a", "not": True, "weight": 0}]),
    suite(case(checks=[{"type": "numeric", "value": [1, "2"], "metric": "sum"}], threshold=0.5)),
    suite(case(checks=[{"type": "set", "checks": ["exact"], "threshold": 1}], checks_only=True)),
    suite(scorer={"id": "checks", "checks": ["exact"]}),
]

BAD = [
    {},
    [],
    suite(nam="x"),
    suite(profile="robst"),
    suite(scorer="exat"),
    suite(scorer=5),
    suite(checks="exact"),
    suite(checks=[{"value": 1}]),
    suite(checks=[{"type": "exact", "weight": -1}]),
    suite(checks=[{"type": "numeric", "tolerence": 1}]),
    suite(checks=["exact"], threshold=2),
    suite(scorer={"id": "numeric", "tolerence": 1}),
    suite(scorer={"id": "numeric", "tolerance": -1}),
    suite(scorer={"id": "numeric", "curve": "smooth"}),
    suite(scorer={"tolerance": 1}),
    suite(parameters={"temperature": 3}),
    suite(parameters={"temperature": True}),
    suite(policies={"empty": "score"}),
    {"scorer": "exact", "cases": []},
    {"scorer": "exact", "cases": "many"},
    suite({"id": "a"}),
    suite({"prompt": "x"}),
    suite(case(promt="x")),
    suite(case(weight=-1)),
    suite(case(weight=True)),
    suite(case(expected=[])),
    suite(case(expected={"a": "x"})),
    suite(case(expected=["x", {"a": "x"}])),
    suite(case(choices="A")),
    suite(case(messages=[{"role": "user", "content": "x"}])),
    suite({"id": "a", "messages": [{"role": "robot", "content": "x"}]}),
    suite(cases={"fields": {}}),
    suite(cases={"file": "q.jsonl", "fields": {"promt": "x"}}),
    suite(cases={"file": "q.jsonl", "defaults": {"wieght": 1}}),
]


def test_the_schema_itself_is_sound_and_plain_json(schema):
    jsonschema.Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("document", GOOD)
def test_what_loads_is_valid(validator, tmp_path, document):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    load_checked(path)
    validator.validate(document)


@pytest.mark.parametrize("document", BAD)
def test_what_is_refused_is_invalid(validator, tmp_path, document):
    (tmp_path / "q.jsonl").write_text('{"id": "a", "prompt": "x", "expected": "y"}')
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document))
    with pytest.raises(SpecError):
        load_checked(path)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(document)


def test_cases_in_a_data_file_are_valid(validator):
    source = {"file": "q.jsonl", "fields": {"id": "{a}-{b}"}, "defaults": {"scorer": "exact"}}
    validator.validate({"cases": source})


def test_every_scorer_is_described_with_its_parameters(schema):
    described = {
        one["properties"]["id"]["const"]: set(one["properties"]) - {"id"}
        for one in schema["$defs"]["Scorer"]["anyOf"]
        if "const" in one.get("properties", {}).get("id", {})
    }
    for plugin in plugins.list_plugins("scorer"):
        if plugin.error is None:
            assert described[plugin.id] == set(parameters_of(plugins.load("scorer", plugin.id)))


def test_the_family_is_no_parameter(schema):
    assert "family" not in json.dumps(schema["$defs"]["Scorer"])
    assert any(
        field.name == "family" for field in dataclasses.fields(plugins.load("scorer", "exact"))
    )


def test_a_scorer_by_dotted_path_may_have_any_parameters(validator):
    validator.validate(suite(scorer="my.module:Scorer"))
    validator.validate(suite(scorer={"id": "my.module:Scorer", "x": 1}))

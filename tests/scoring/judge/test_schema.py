import json

import jsonschema
import pytest

from benchmaker.scoring.judge import (
    Expect,
    JudgeCriterion,
    checklist_schema,
    parse,
    parse_checklist,
    reply_schema,
)

NONCE = "5f0c9a1e77d2b346"
SAID = {"rationale": "why", "confidence": 0.5, "cannot_judge": False, "nonce": NONCE}
ENTRY = {"id": "facts", "evidence": "Paris"}
CRITERIA = (JudgeCriterion("facts", levels={0: "", 2: ""}),)
FORMS = [
    (Expect(), {"evidence": "", "score": 8}),
    (Expect(criteria=CRITERIA), {"criteria": [{**ENTRY, "level": 2}]}),
    (Expect(mode="checklist", criteria=CRITERIA), {"criteria": [{**ENTRY, "met": True}]}),
    (Expect(mode="pairwise"), {"evidence": "", "verdict": "tie"}),
]


def objects(schema):
    """Each object in a schema, itself included."""
    if schema.get("type") == "object":
        yield schema
    for inner in (*schema.get("properties", {}).values(), schema.get("items")):
        if inner:
            yield from objects(inner)


@pytest.mark.parametrize(("expect", "judged"), FORMS)
def test_a_reply_by_the_schema_is_read(expect, judged):
    reply = {**judged, **SAID}
    jsonschema.validate(reply, reply_schema(expect, nonce=NONCE))
    parsed = parse(json.dumps(reply), nonce=NONCE, expect=expect, structured=True)
    assert parsed.rung == "structured"
    assert parsed.nonce_ok


@pytest.mark.parametrize(("expect", "judged"), FORMS)
def test_every_member_is_required_and_none_may_be_added(expect, judged):
    schema = reply_schema(expect)
    jsonschema.Draft202012Validator.check_schema(schema)
    for form in objects(schema):
        assert form["required"] == list(form["properties"])
        assert form["additionalProperties"] is False
    for name in {**judged, **SAID}:
        reply = {key: value for key, value in {**judged, **SAID}.items() if key != name}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(reply, schema)


@pytest.mark.parametrize(
    ("expect", "order"),
    [
        (Expect(), ["evidence", "rationale", "score", "confidence", "cannot_judge", "nonce"]),
        (
            Expect(criteria=CRITERIA),
            ["criteria", "rationale", "confidence", "cannot_judge", "nonce"],
        ),
    ],
)
def test_the_score_follows_its_reasons_and_the_nonce_ends_it(expect, order):
    assert list(reply_schema(expect)["properties"]) == order


def test_another_nonce_is_refused_where_one_is_named():
    expect, judged = FORMS[0]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**judged, **SAID}, reply_schema(expect, nonce="other"))


def test_ties_are_left_out_where_none_are_allowed():
    schema = reply_schema(Expect(mode="pairwise", ties=False))
    assert schema["properties"]["verdict"]["enum"] == ["A", "B"]


def test_a_checklist_by_its_schema_is_read():
    jsonschema.validate({"items": ["Paris?"], "nonce": NONCE}, checklist_schema(nonce=NONCE))
    assert parse_checklist(f'{{"items": ["Paris?"], "nonce": "{NONCE}"}}', nonce=NONCE)

# ruff: noqa: E501  faults stand on one line, as people see them

from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceMap
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.header import read_header
from benchmaker.spec.suites.value_errors import Objections


def read(text):
    findings = Findings()
    document = read_yaml(text, "f", limits=Limits(), findings=findings)
    objections = Objections(SourceMap("f", document.root), findings)
    form, refused, _ = read_header(document.data, objections)
    return form, refused, [str(one) for one in sorted(findings.items)]


def test_a_header_without_fault_is_taken_whole():
    form, refused, findings = read(
        "name: 2024\ndescription: NO\nsystem_prompt: Be brief.\njudge_prompt: ~\nprofile: robust\n"
        "scorer: {id: numeric, tolerance: 0.01}\nparameters: {temperature: 0, top_p: ~}\n"
        "policies: {truncated: zero}\n$schema: https://example.org\ncases: []\n"
    )
    assert findings == []
    assert not refused
    assert (form.name, form.description, form.profile) == ("2024", "NO", "robust")
    assert form.scorer.parameters == {"tolerance": 0.01}
    assert (form.parameters.temperature, form.parameters.top_p) == (0, None)
    assert form.policies.truncated == "zero"


def test_wrong_fields_are_left_out_and_the_others_kept():
    form, refused, findings = read(
        "name: ''\ndescripton: x\nprofile: robst\nscorer: 5\nparameters: {temperature: true}\n"
        'policies: {empty: maybe, emty: zero}\nsystem_prompt: kept\njudge_prompt: "a\\0"\n'
    )
    assert findings == [
        "f:1:7: name must not be empty.",
        "f:2:1: unknown field 'descripton'. Did you mean 'description'?",
        "f:3:10: unknown profile 'robst'. Did you mean 'robust'? Choose classic or robust.",
        "f:4:9: scorer must be a mapping, not 5. Use the name of a scorer, or {id: name, parameter: value}.",
        "f:5:27: parameters.temperature must be a number, not 'true'.",
        "f:6:19: policies.empty must be 'zero' or 'leave_out', not 'maybe'.",
        "f:6:26: unknown field 'emty'. Did you mean 'empty'?",
        "f:8:15: the control character U+0000 is not allowed. Remove it.",
    ]
    assert (form.name, form.profile, form.system_prompt) == (None, "robust", "kept")
    assert refused == {"name", "scorer", "parameters", "policies"}
    assert form.parameters.temperature == 0.7


MISTYPED = """\
prompt:
  - id: p
    prompt: "{{ question }}"
    parameters: {temprature: 1}
  - id: q
    promt: Q
  - 3
  - id: p
    prompt: R
check: [{type: exact, weight: -1}]
efort: [low, hgih]
vars: {question: x}
"""


def test_values_under_mistyped_fields_are_checked_as_what_they_mean():
    form, refused, findings = read(MISTYPED)
    assert findings == [
        "f:1:1: unknown field 'prompt'. Did you mean 'prompts'?",
        "f:4:18: unknown field 'temprature'. Did you mean 'temperature'?",
        "f:6:5: unknown field 'promt'. Did you mean 'prompt'?",
        "f:7:5: prompts[2] must be a mapping, not 3.",
        "f:8:9: duplicate prompt id 'p'. Give each prompt a unique id.",
        "f:10:1: unknown field 'check'. Did you mean 'checks'?",
        "f:10:31: checks[0].weight must be at least 0, not -1. A weight of 0 only reports.",
        "f:11:1: unknown field 'efort'. Did you mean 'efforts'?",
        "f:11:14: efforts[1] must be 'none', 'minimal', 'low', 'medium', 'high' or 'xhigh', not 'hgih'.",
    ]
    assert [(one.id, one.prompt) for one in form.prompts] == [
        ("p", "{{ question }}"),
        ("q", "Q"),
        ("p (4)", "R"),
    ]
    assert {"prompts", "checks", "efforts"} <= refused


def test_a_mistyped_field_does_not_replace_one_that_is_given():
    form, _, findings = read("prompts: P\npromts: [Q]\n")
    assert findings == ["f:2:1: unknown field 'promts'. Did you mean 'prompts'?"]
    assert [one.prompt for one in form.prompts] == ["P"]


def test_repeated_prompt_ids_are_reported_once():
    form, _, findings = read("prompts: [{id: p, prompt: P}, {id: p, prompt: Q}]\n")
    assert findings == ["f:1:10: prompts: 'p' is given twice, the second time as number 2."]
    assert [one.prompt for one in form.prompts] == ["P", "Q"]

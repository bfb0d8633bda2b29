import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

import benchmaker as bm
from benchmaker.errors import SpecError
from benchmaker.spec import Case, CheckSpec, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.web.form_body import Fields
from benchmaker.web.suites import case_form, header_form
from benchmaker.web.suites.export import as_yaml, plain_case

CHECKS = [
    "exact",
    {"type": "regex", "pattern": "li", "weight": 2, "metric": "format"},
    {"type": "set", "checks": [{"type": "exact", "value": "Cusco", "not": True}], "threshold": 0.5},
]
OWN = [{"type": "numeric", "value": 5, "threshold": 0.25}]
YAML = f"""
name: capitals
checks: {json.dumps(CHECKS)}
threshold: 0.5
cases:
  - {{id: peru, prompt: The capital of Peru?, expected: Lima, checks: {json.dumps(OWN)}}}
  - {{id: chile, prompt: And of Chile?, expected: Santiago, threshold: 1}}
  - {{id: six, prompt: Six?, expected: 6, checks: [numeric], checks_only: true}}
"""


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(YAML)
    return bm.load_suite(path)


def test_a_text_alone_is_a_type():
    assert CheckSpec.model_validate("json").model_dump() == {"type": "json"}


def test_a_check_is_kept_as_written():
    for one in (*CHECKS[1:], *OWN):
        assert CheckSpec.model_validate(one).model_dump() == one


def test_an_empty_value_is_none():
    assert CheckSpec.model_validate({"type": "exact", "weight": None}) == CheckSpec(type="exact")


@pytest.mark.parametrize(
    "wrong",
    [
        {"weight": -1},
        {"weight": True},
        {"weight": float("inf")},
        {"threshold": 1.5},
        {"threshold": "high"},
        {"not": 1},
        {"metric": "mean"},
        {"metric": "strict"},
        {"metric": ""},
        {"type": ""},
        {"type": 5},
    ],
)
def test_a_wrong_value_is_refused(wrong):
    with pytest.raises(ValidationError):
        CheckSpec.model_validate({"type": "exact", **wrong})


def test_the_checks_of_the_suite_come_before_those_of_the_case(suite):
    peru, chile, six = suite.cases
    spec = suite.scorer_of(peru)
    listed = [CheckSpec.model_validate(one).model_dump() for one in (*CHECKS, *OWN)]
    assert (spec.id, spec.parameters) == ("checks", {"checks": listed, "threshold": 0.5})
    assert suite.scorer_of(chile).parameters == {"checks": listed[:-1], "threshold": 1.0}
    assert suite.scorer_of(six).parameters == {"checks": [{"type": "numeric"}], "threshold": 0.5}


@pytest.mark.parametrize(
    ("own", "types"),
    [
        ({}, ["exact", "regex"]),
        ({"scorer": "numeric"}, ["numeric", "regex"]),
        ({"checks": ["boolean"]}, ["exact", "regex", "boolean"]),
        ({"checks": ["boolean"], "scorer": "numeric"}, ["numeric", "regex", "boolean"]),
        ({"checks": ["boolean"], "checks_only": True}, ["boolean"]),
        (
            {"checks": ["boolean"], "checks_only": True, "scorer": "numeric"},
            ["numeric", "boolean"],
        ),
    ],
)
def test_a_scorer_is_the_first_check(own, types):
    suite = Suite("s", [{"id": "a", "prompt": "x", **own}], scorer="exact", checks=["regex"])
    listed = suite.scorer_of(suite.cases[0]).parameters["checks"]
    assert [one["type"] for one in listed] == types


def test_without_checks_the_scorer_applies_alone():
    suite = Suite("s", [{"id": "a", "prompt": "x", "scorer": "numeric"}], scorer="exact")
    assert suite.scorer_of(suite.cases[0]) == ScorerSpec(id="numeric")
    assert suite.default_scorer == ScorerSpec(id="exact")


def test_every_form_of_a_file_has_the_same_hash(suite, tmp_path):
    data = {
        "name": "capitals",
        "checks": CHECKS,
        "threshold": 0.5,
        "cases": [plain_case(case) for case in suite.cases],
    }
    (tmp_path / "as.json").write_text(json.dumps(data))
    (tmp_path / "again.yaml").write_text(as_yaml(suite))
    lines = "".join(json.dumps(plain_case(case)) + "\n" for case in suite.cases)
    (tmp_path / "cases.jsonl").write_text(lines)
    (tmp_path / "lines.yaml").write_text(
        f"name: capitals\nchecks: {json.dumps(CHECKS)}\nthreshold: 0.5\n"
        "cases: {file: cases.jsonl}"
    )
    made = Suite("capitals", data["cases"], checks=CHECKS, threshold=0.5)
    read = [bm.load_suite(tmp_path / it) for it in ("as.json", "again.yaml", "lines.yaml")]
    assert {it.content_hash for it in (*read, made)} == {suite.content_hash}


def test_a_cell_of_a_table_holds_checks_as_json(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(
        'id,prompt,checks,checks_only\na,x,"[{""type"": ""exact"", ""value"": ""y""}]",true\n'
    )
    (case,) = bm.load_suite(path).cases
    assert case.checks == (CheckSpec(type="exact", value="y"),)
    assert case.checks_only


def test_a_suite_without_checks_keeps_its_hash():
    suite = Suite("s", [Case(id="a", prompt="x")])
    assert not {"checks", "threshold", "checks_only"} & {
        *suite.header(),
        *suite.cases[0].model_dump(),
    }


def test_a_store_keeps_checks(suite, tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as store:
        store.put_suite(suite)
        again = store.suite(suite.content_hash)
    assert again.header() == suite.header()
    assert tuple(again.cases) == tuple(suite.cases)


def test_variables_fill_the_texts_of_checks():
    values = {"checks": [{"type": "set", "checks": [{"type": "exact", "value": "{{ x }}"}]}]}
    suite = Suite("s", [{"id": "a", "prompt": "{{ x }}?", "vars": {"x": ["1", "2"]}, **values}])
    inner = [case.checks[0].parameters["checks"][0]["value"] for case in suite.cases]
    assert inner == ["1", "2"]


def test_an_undefined_variable_in_a_check_is_refused():
    check = {"type": "exact", "value": "{{ y }}"}
    with pytest.raises(SpecError, match="y"):
        Suite("s", [{"id": "a", "prompt": "p", "vars": {"x": "1"}, "checks": [check]}])


def test_a_fault_within_checks_has_its_line_and_column(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(
        "checks:\n  - {type: exact, weight: -1}\ncases:\n  - id: a\n    prompt: x\n    checks:\n"
        "      - type: exact\n        metric: mean\n      - weight: 1\n"
    )
    with pytest.raises(SpecError) as caught:
        bm.load_suite(path)
    places = [(it.line, it.column) for it in caught.value.findings]
    assert places == [(2, 27), (8, 17), (9, 9)]


def test_the_pages_edit_checks(suite):
    case = suite.cases[0]
    texts = case_form.case_texts(case)
    assert case_form.read_case(Fields(texts), suite, case).case == case
    changed = {**texts, "checks": "- {type: exact, value: Lima}", "threshold": "0.75"}
    made = case_form.read_case(Fields({**changed, "checks_only": "on"}), suite, case).case
    assert (made.checks, made.threshold) == ((CheckSpec(type="exact", value="Lima"),), 0.75)
    assert made.checks_only
    header = header_form.header_texts(suite)
    again = header_form.read_suite(Fields(header), suite).suite
    assert again.content_hash == suite.content_hash
    plain = {**header, "checks": "", "threshold": "", "scorer": "exact"}
    alone = replace(suite, cases=(case,))
    assert header_form.read_suite(Fields(plain), alone).suite.checks == ()


@pytest.mark.parametrize("text", ["- {type: exact, weight: -1}", "{", "5", "- {typ: exact}"])
def test_the_pages_show_faults_at_the_checks(suite, text):
    texts = {**case_form.case_texts(suite.cases[0]), "checks": text}
    form = case_form.read_case(Fields(texts), suite, suite.cases[0])
    assert form.case is None
    assert form.remarks_for("checks")
    header = {**header_form.header_texts(suite), "checks": text}
    assert header_form.read_suite(Fields(header), suite).remarks_for("checks")

"""A suite is as short in Python as in a file, and means the same."""

import ast
import inspect

import pytest

from benchmaker import load_suite
from benchmaker.errors import SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites import suite as suite_module
from benchmaker.spec.suites.case import CaseDict
from tests.spec.suites.written import FILES


def given_in(text):
    """The plain data of a suite's file, as Python's literals would give them."""
    return read_yaml(text, "suite.yaml", limits=Limits(), findings=Findings()).data


def as_file(text, folder):
    path = folder / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    return load_suite(path)


@pytest.mark.parametrize("name", FILES)
def test_a_mapping_means_what_the_same_file_means(name, tmp_path):
    file = as_file(FILES[name], tmp_path)
    given = load_suite(given_in(FILES[name]))
    assert given.content_hash == file.content_hash
    assert tuple(given.cases) == tuple(file.cases)
    assert given.source is None


@pytest.mark.parametrize("name", FILES)
def test_keywords_mean_what_the_same_file_means(name, tmp_path):
    file = as_file(FILES[name], tmp_path)
    assert Suite(**given_in(FILES[name])).content_hash == file.content_hash


def test_tuples_generators_and_cases_are_lists_of_cases():
    one = {"id": "a", "prompt": "1 + 1?", "expected": 2, "tags": ("sum", 1)}
    made = Case(id="a", prompt="1 + 1?", expected="2", tags=("sum", "1"))
    for cases in ([one], (one,), iter([one]), [made], (it for it in [one])):
        assert tuple(Suite("s", cases, scorer="exact").cases) == (made,)
    assert tuple(load_suite({"scorer": "exact", "cases": [made]}).cases) == (made,)


def test_a_mapping_reads_its_cases_from_a_file(tmp_path, monkeypatch):
    (tmp_path / "cases.jsonl").write_text('{"q": "1 + 1?", "a": 2}\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    fields = {"id": "{$line}", "prompt": "q", "expected": "a"}
    suite = load_suite({"scorer": "exact", "cases": {"file": "cases.jsonl", "fields": fields}})
    assert [(case.id, case.prompt, case.expected) for case in suite.cases] == [("1", "1 + 1?", "2")]


WRONG = [
    {"id": "a", "prompt": "1?", "expcted": 1},
    {"id": "b", "prompt": "1?", "expected": 1, "weight": "two"},
    "c",
    {"id": "d", "prompt": "1?", "expected": 1, "scorer": {"id": "numeric", "tol": 1}},
    {"id": "d", "prompt": "1?", "expected": 1},
]


def findings(call):
    with pytest.raises(SpecError) as caught:
        call()
    return [(one.file, one.message) for one in caught.value.findings]


def test_every_fault_of_a_mapping_is_named_with_its_place():
    found = findings(lambda: load_suite({"name": "s", "scorer": "exact", "cases": WRONG}))
    assert set(found) == {
        ("suite 's', cases[0]", "unknown field 'expcted'."),
        ("suite 's', cases[1].weight", "weight must be a number, not 'two'."),
        ("suite 's', cases[2]", "a case must be a mapping, not 'c'."),
        ("suite 's', cases[3].scorer", "case 'd': unknown parameter 'tol'."),
        ("suite 's', cases[4].id", "duplicate id 'd'; first at suite 's', cases[3].id."),
    }


def test_every_fault_of_the_form_of_listed_cases_is_named_with_its_place():
    assert findings(lambda: Suite("s", WRONG, scorer="exact")) == [
        ("suite 's', cases[0]", "unknown field 'expcted'."),
        ("suite 's', cases[1].weight", "weight must be a number, not 'two'."),
        ("suite 's', cases[2]", "a case must be a Case or a mapping, not 'c'."),
    ]


def test_a_mistyped_argument_is_named_with_the_nearest():
    for wrong, right in (("profil", "profile"), ("scorers", "scorer"), ("check", "checks")):
        with pytest.raises(TypeError, match=f"unexpected keyword.*{wrong!r}. Did you.*{right!r}"):
            Suite("s", [], **{wrong: "x"})


def test_the_typed_arguments_are_the_fields():
    tree = ast.parse(inspect.getsource(suite_module))
    (typed,) = (
        it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef) and it.name == "__init__"
        and len(it.args.kwonlyargs) > 1
    )  # fmt: skip
    names = [it.arg for it in (*typed.args.args[1:], *typed.args.kwonlyargs)]
    assert sorted(names) == sorted(Suite.__dataclass_fields__)


def test_the_typed_case_has_the_fields_of_a_case():
    written = {name for name, field in Case.model_fields.items() if not field.exclude}
    assert CaseDict.__annotations__.keys() == written

"""The case as functions that score get it: every field, with the variables of the suite."""

import json

import pytest

from benchmaker import Suite, export, run
from benchmaker.providers.scripted import Scripted
from benchmaker.scoring.checks.function_result import case_data
from benchmaker.scoring.score import explain
from benchmaker.testing import a_case

FIELDS = {
    "id", "prompt", "messages", "expected", "expectations", "choices", "vars", "metadata",
    "category", "difficulty", "group", "tags",
}  # fmt: skip
SOURCE = (
    "def show(output, case):\n"
    "    return {'passed': True, 'reason': repr(sorted(case['vars'].items()))}\n"
)
CASES = [
    {"id": "plain", "prompt": "plain"},
    {"id": "shared", "prompt": "uses {{ tone }}"},
    {"id": "own", "prompt": "own {{ x }}", "vars": {"x": 1, "tone": "stern"}},
    {"id": "turns", "messages": [{"role": "user", "content": "hey"}]},
]


@pytest.fixture
def made(tmp_path):
    (tmp_path / "c.py").write_text(SOURCE)
    check = {"type": "python", "value": f"{tmp_path}/c.py:show"}
    suite = Suite("s", CASES, vars={"tone": "friendly"}, checks=[check])
    return run(suite, provider=Scripted(lambda _: "42", models=("m",)), home=tmp_path)


def test_a_function_sees_the_variables_that_the_export_has(made):
    friendly = {"tone": "friendly"}
    expected = {"plain": friendly, "shared": friendly, "own": {"x": 1, "tone": "stern"},
                "turns": friendly}  # fmt: skip
    seen = {it.case_id: it.score.checks[0]["reason"] for it in made.trials()}
    assert seen == {name: repr(sorted(it.items())) for name, it in expected.items()}
    rows = map(json.loads, export(made, form="jsonl").splitlines())
    assert {row["case_id"]: row["vars"] for row in rows} == expected


def test_the_explanation_names_the_function_and_not_its_hash(made):
    lines = explain(next(iter(made.trials())).score)
    assert lines[0].startswith("✓ python 'c.py:show' (score 1, weight 1)")
    assert "sha256" not in lines[0]


@pytest.mark.parametrize("case", [a_case(), a_case(choices=("a", "b"), tags=("t",))])
def test_every_field_is_there(case):
    data = case_data(case)
    assert set(data) == FIELDS
    assert (data["vars"], data["metadata"]) == ({}, {})
    assert data["choices"] == list(case.choices)

"""Type checkers know what a suite takes, and find what it does not."""

import re

import pytest
from mypy import api

GOOD = """
from benchmaker import CaseDict, RunResult, Suite, run

def polite(output: str, case: object) -> bool:
    return True

listed = Suite(
    "s",
    [{"id": 1, "prompt": "x", "expected": 42, "tags": "a"}, {"id": "b", "expected": ["a", 1]}],
    scorer="exact", checks=["json", {"type": "contains", "value": "x"}, polite],
    models="openai/a", efforts="low", prompts=["{{ q }}"], parameters={"temperature": 0},
    judge="openai/j", policies={"refused": "leave_out"},
)
made: list[CaseDict] = [{"id": str(n), "prompt": "x", "expected": n} for n in range(3)]
numeric = Suite("t", made, scorer={"id": "numeric", "tolerance": 0.1})
generated = Suite("u", ({"id": n, "prompt": "x"} for n in range(3)), scorer=polite)
result: RunResult = run({"name": "x", "cases": []}, provider=lambda request: "42")
"""
WRONG = {
    'Suite("s", [{"id": "a", "prompt": "x", "expcted": 1}])': "list-item",
    'Suite("s", [], profil="robust")': "call-arg",
    'Suite("s", [], efforts="lowest")': "arg-type",
    'Suite("s", [], parameters=5)': "arg-type",
}


@pytest.mark.long
def test_a_type_checker_finds_mistyped_cases_and_arguments(tmp_path):
    path = tmp_path / "typed.py"
    path.write_text(GOOD + "".join(f"{line}\n" for line in WRONG), encoding="utf-8")
    said, _, _ = api.run(["--strict", "--config-file", "", f"--cache-dir={tmp_path}", str(path)])
    found = re.findall(r"typed\.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE)
    first = GOOD.count("\n") + 1
    assert found == [(str(first + at), code) for at, code in enumerate(WRONG.values())], said

"""Python functions of a suite are found beside its file, from any working directory."""

import hashlib
import json

import pytest

from benchmaker import SpecError, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.scoring.check import load_checked

SOURCE = "def yes(output, case):\n    return output == 'yes'\n"
INSIDE = """\
scorer: {id: python, value: "own/f.py:yes"}
checks:
  - {type: set, checks: [{type: python, value: "own/f.py:yes"}, {type: exact, value: yes}]}
cases:
  - {id: a, prompt: p}
  - {id: b, prompt: p, checks: [{type: python, value: "own/{{ name }}.py:yes"}], vars: {name: f}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of suites with a function; the working directory is another one."""
    own, elsewhere = tmp_path / "suites" / "own", tmp_path / "elsewhere"
    own.mkdir(parents=True)
    elsewhere.mkdir()
    (own / "f.py").write_text(SOURCE)
    monkeypatch.chdir(elsewhere)
    return own.parent


def _functions(spec):
    """The value of each python check in a scorer, at any depth."""
    if isinstance(spec, dict):
        own = [spec["value"]] if "python" in (spec.get("type"), spec.get("id")) else []
        return own + [it for one in spec.get("checks", ()) for it in _functions(one)]
    return _functions(spec.model_dump())


def test_functions_of_a_document_start_at_its_folder(folder):
    (folder / "s.yaml").write_text(INSIDE)
    suite = load_checked(folder / "s.yaml")
    place = str(folder / "own/f.py:yes")
    assert [_functions(suite.scorer_of(case)) for case in suite.cases] == [[place] * 2, [place] * 3]


def test_a_relative_path_of_the_suite_gives_an_absolute_one(folder, monkeypatch):
    (folder / "s.yaml").write_text(INSIDE)
    monkeypatch.chdir(folder)
    suite = load_checked("s.yaml")
    assert set(_functions(suite.default_scorer)) == {str(folder / "own/f.py:yes")}


@pytest.mark.parametrize("many", [1, 3000])
def test_functions_of_a_data_file_and_of_its_defaults(folder, many):
    rows = [{"id": f"a{i}", "prompt": "p"} for i in range(many)]
    rows[0]["scorer"] = {"id": "python", "value": "own/f.py:yes", "timeout": 3}
    (folder / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "s.yaml").write_text(
        'cases: {file: c.jsonl, defaults: {scorer: {id: python, value: "own/f.py:yes"}}}\n'
    )
    suite = load_checked(folder / "s.yaml")
    found = {value for case in suite.cases for value in _functions(suite.scorer_of(case))}
    assert found == {str(folder / "own/f.py:yes")}


def test_functions_of_cases_alone(folder):
    line = {"id": "a", "prompt": "p", "checks": [{"type": "python", "value": "own/f.py:yes"}]}
    (folder / "c.jsonl").write_text(json.dumps(line))
    (case,) = load_checked(folder / "c.jsonl").cases
    assert case.checks[0].parameters["value"] == str(folder / "own/f.py:yes")


def test_an_absolute_path_stays(folder):
    path = f"{folder}/own/f.py:yes"
    (folder / "s.yaml").write_text(
        f"scorer: {{id: python, value: '{path}'}}\ncases: [{{id: a, prompt: p}}]\n"
    )
    assert load_checked(folder / "s.yaml").scorer.parameters["value"] == path


def test_a_missing_file_is_found_at_its_value(folder):
    (folder / "s.yaml").write_text(
        'checks: [{type: python, value: "f.py:yes"}]\ncases: [{id: a, prompt: p}]\n'
    )
    with pytest.raises(SpecError) as caught:
        load_checked(folder / "s.yaml")
    (fault,) = caught.value.findings
    assert (fault.line, fault.column) == (1, 32)
    assert str(folder / "f.py") in fault.message


def test_answers_are_scored_by_the_function_beside_the_suite(folder, tmp_path):
    (folder / "s.yaml").write_text(INSIDE)
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    result = run(folder / "s.yaml", provider=said, home=tmp_path / "home")
    assert [it.score.score for it in result.trials()] == [1.0, 1.0]
    detail = next(result.trials()).score.checks[0]["detail"]
    assert detail["sha256"] == hashlib.sha256(SOURCE.encode()).hexdigest()

"""Python functions of a suite are found beside its file, from any working directory."""

import hashlib
import json
from dataclasses import replace

import pytest

from benchmaker import RunOptions, SpecError, Suite, rescore, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.scoring.check import load_checked
from benchmaker.spec import ScorerSpec
from benchmaker.spec.suites.check_spec import locate_scorer, pin_scorer
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE

PLACE = "{}/own/f.py:yes"
ROBUST = RunOptions(profile="robust")
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
    for case, times in zip(suite.cases, (2, 3), strict=True):
        written = suite.scorer_of(case)
        assert _functions(written) == ["own/f.py:yes"] * times
        assert _functions(locate_scorer(written, suite.folder)) == [PLACE.format(folder)] * times


def test_two_checkouts_have_one_hash_until_a_function_changes(tmp_path):
    hashes = []
    for name, source in (("one", SOURCE), ("two", SOURCE), ("three", f"{SOURCE}# changed\n")):
        own = tmp_path / name / "own"
        own.mkdir(parents=True)
        (own / "f.py").write_text(source)
        (own.parent / "s.yaml").write_text(INSIDE)
        hashes.append(load_checked(own.parent / "s.yaml").content_hash)
    assert hashes[0] == hashes[1] != hashes[2]


@pytest.mark.parametrize(
    "spec",
    [
        {"id": "python", "value": "own/f.py:yes"},
        {
            "id": "checks",
            "checks": [{"type": "set", "checks": [{"type": "python", "value": "own/f.py:yes"}]}],
        },
    ],
)
def test_the_hash_of_the_file_is_pinned_at_any_depth(folder, spec):
    pinned = pin_scorer(ScorerSpec.model_validate(spec), folder)
    assert hashlib.sha256(SOURCE.encode()).hexdigest() in repr(pinned)
    again = pin_scorer(ScorerSpec.model_validate({**spec, "sha256": "own"}), folder)
    assert again.parameters["sha256"] == "own"


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
    assert found == {"own/f.py:yes"}
    digest = hashlib.sha256(SOURCE.encode()).hexdigest()
    assert {suite.scorer_of(case).parameters["sha256"] for case in suite.cases} == {digest}


def test_functions_of_cases_alone(folder):
    line = {"id": "a", "prompt": "p", "checks": [{"type": "python", "value": "own/f.py:yes"}]}
    (folder / "c.jsonl").write_text(json.dumps(line))
    (case,) = load_checked(folder / "c.jsonl").cases
    assert case.checks[0].parameters["value"] == "own/f.py:yes"
    assert len(case.checks[0].parameters["sha256"]) == 64


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


def stored_scores(result):
    return [it.score.score if it.score else None for it in result.trials()]


def test_a_stored_run_finds_the_function_from_anywhere(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "s.yaml").write_text(INSIDE)
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    result = run("s.yaml", provider=said, home=tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    again = rescore(result.run_ids[0], home=tmp_path / "home", options=ROBUST)
    assert stored_scores(again) == [1.0, 1.0]


def test_a_second_checkout_of_a_stored_suite_uses_its_own_file(tmp_path):
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    for name in ("one", "two"):
        own = tmp_path / name / "own"
        own.mkdir(parents=True)
        (own / "f.py").write_text(SOURCE)
        (own.parent / "s.yaml").write_text(INSIDE)
    first = run(tmp_path / "one/s.yaml", provider=said, home=tmp_path / "home")
    (tmp_path / "one/own/f.py").unlink()
    second = run(tmp_path / "two/s.yaml", provider=said, home=tmp_path / "home")
    assert first.runs[0].suite_hash == second.runs[0].suite_hash
    assert stored_scores(second) == [1.0, 1.0]


def test_a_function_that_changed_since_gives_no_score_and_says_so(folder, tmp_path):
    (folder / "s.yaml").write_text(
        'scorer: {id: python, value: "own/f.py:yes"}\ncases: [{id: a, prompt: p}]\n'
    )
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    result = run(folder / "s.yaml", provider=said, home=tmp_path / "home")
    (folder / "own/f.py").write_text(f"{SOURCE}# changed\n")
    with pytest.raises(SpecError, match="has changed since the suite was read"):
        rescore(result.run_ids[0], home=tmp_path / "home", options=ROBUST)
    again = rescore(result.run_ids[0], suite=folder / "s.yaml", home=tmp_path / "home")
    assert stored_scores(again) == [1.0]
    assert again.runs[0].suite_hash != result.runs[0].suite_hash


def test_a_suite_stored_with_an_absolute_path_is_still_scored(folder, tmp_path):
    spec = {"id": "python", "value": f"{folder}/own/f.py:yes"}
    old = Suite("old", [{"id": "a", "prompt": "p"}], scorer=spec)
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    result = run(old, provider=said, home=tmp_path / "home")
    assert stored_scores(rescore(result.run_ids[0], home=tmp_path / "home", options=ROBUST)) == [
        1.0
    ]


def test_an_import_of_the_own_export_leaves_the_place_of_functions(folder, tmp_path):
    (folder / "s.yaml").write_text(INSIDE)
    said = Scripted(lambda _: Completion(text="yes"), models=("m",))
    home = tmp_path / "home"
    result = run(folder / "s.yaml", provider=said, home=home)
    with Store.open(home / STORE_FILE) as store:
        stored = store.suite(result.runs[0].suite_hash)
        exported = replace(stored, source=str(folder.parent / "elsewhere"), places=None)
        store.put_suite(exported)
        assert store.suite(stored.content_hash).source == str(folder / "s.yaml")
    assert stored_scores(rescore(result.run_ids[0], home=home, options=ROBUST)) == [1.0, 1.0]

"""Exports for the viewers of other tools."""

import json
import zipfile

import pytest

from benchmaker import export, run
from benchmaker.arenas.standard.importers.importing import import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.errors import SpecError
from benchmaker.store import Store

SUITE = """\
name: capitals
profile: robust
prompts: [{id: plain, prompt: "Capital of {{land}}?"}, {id: short, prompt: "{{land}}: capital?"}]
cases:
  - {id: peru, vars: {land: Peru}, checks: [{type: contains, value: Lima, metric: named}]}
  - {id: oman, vars: {land: Oman}, checks: [{type: contains, value: Muscat}]}
"""
ANSWERS = [("peru", "plain", "Lima"), ("peru", "short", "Quito"), ("oman", "plain", "Muscat")]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    (folder / "suite.yaml").write_text(SUITE)
    rows = [
        {"id": case, "model": "m", "prompt_id": prompt, "output": text, "latency_s": 0.5,
         "usage": {"input_tokens": 3, "output_tokens": 2}}
        for case, prompt, text in ANSWERS
    ]  # fmt: skip
    rows.append({"id": "oman", "model": "m", "prompt_id": "short", "outcome": "timeout",
                 "error": "too slow"})  # fmt: skip
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in rows))
    result = run(folder / "suite.yaml", recorded=folder / "answers.jsonl", home=folder / "home")
    for form, name in (
        ("inspect", "a-inspect.zip"),
        ("promptfoo", "a.promptfoo"),
        ("lm-eval", "a.zip"),
    ):
        export(result, folder / name, form=form)
    return folder


def members(path):
    with zipfile.ZipFile(path) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def logs_of(path, folder):
    """The members of each log in a zip."""
    with zipfile.ZipFile(path) as packed:
        packed.extractall(folder)
    return {it.name: members(it) for it in sorted(folder.iterdir())}


def test_a_log_of_inspect_for_each_setup_has_a_sample_for_each_trial(exported, tmp_path):
    logs = logs_of(exported / "a-inspect.zip", tmp_path / "logs")
    headers = [json.loads(found["header.json"]) for found in logs.values()]
    samples = [
        json.loads(text)
        for found in logs.values()
        for name, text in found.items()
        if name.startswith("samples/")
    ]
    assert list(logs) == ["1_m_plain.eval", "2_m_short.eval"]
    results = [it["results"] for it in headers]
    assert [it["scores"][0]["metrics"]["mean"]["value"] for it in results] == [1.0, 0.0]
    assert [(it["total_samples"], it["completed_samples"]) for it in results] == [(2, 2), (2, 1)]
    assert [it["scores"][0]["unscored_samples"] for it in results] == [0, 1]
    assert [it["eval"]["model"] for it in headers] == ["m", "m"]
    assert [it["eval"]["metadata"]["prompt_id"] for it in headers] == ["plain", "short"]
    texts = {(it["metadata"]["case_id"], it["metadata"]["prompt_id"]): it for it in samples}
    one = texts["peru", "plain"]
    assert one["input"] == [{"role": "user", "content": "Capital of Peru?"}]
    assert one["scores"]["benchmaker"]["value"] == 1.0
    assert texts["oman", "short"]["error"]["message"] == "too slow"
    assert texts["oman", "short"]["scores"] == {}


def test_logs_of_several_setups_are_imported_with_the_same_cases(exported, tmp_path):
    with zipfile.ZipFile(exported / "a-inspect.zip") as packed:
        packed.extractall(tmp_path / "logs")
    with Store.open(str(tmp_path / "benchmaker.db")) as store:
        done = list(import_evaluations(store, find_sources([tmp_path / "logs"])))
        runs = [store.run(run_id) for it in done for run_id in it.runs]
        cases = [{trial.case_id for trial in store.trials(run.id)} for run in runs]
    assert len(runs) == 2
    assert cases == [{"peru", "oman"}, {"peru", "oman"}]


def test_a_single_log_of_several_setups_is_refused_with_the_remedy(exported, tmp_path):
    with pytest.raises(SpecError, match="the run has 2") as refused:
        export("latest", tmp_path / "a.eval", form="inspect", home=exported / "home")
    assert "a.zip" in str(refused.value)


def test_results_of_promptfoo_have_a_column_for_each_setup(exported):
    data = json.loads((exported / "a.promptfoo").read_text())["results"]
    assert data["version"] == 3
    assert data["stats"] == {"successes": 2, "failures": 1, "errors": 1, "tokenUsage": {}}
    assert [it["label"] for it in data["prompts"]] == ["plain", "short"]
    assert [it["metrics"]["testPassCount"] for it in data["prompts"]] == [2, 0]
    rows = {(it["testCase"]["description"], it["promptIdx"]): it for it in data["results"]}
    assert rows["peru", 0]["prompt"]["raw"] == "Capital of Peru?"
    assert rows["peru", 0]["namedScores"] == {"named": 1.0}
    assert rows["peru", 1]["failureReason"] == 1
    assert rows["oman", 1]["failureReason"] == 2
    assert "gradingResult" not in rows["oman", 1]


def test_samples_of_the_harness_have_a_line_for_each_scored_answer(exported):
    found = members(exported / "a.zip")
    lines = [
        json.loads(line)
        for name, text in found.items()
        if "/samples_capitals_" in name
        for line in text.splitlines()
    ]
    assert sorted((it["doc"]["id"], it["benchmaker"]) for it in lines) == [
        ("oman", 1.0), ("peru", 0.0), ("peru", 1.0),
    ]  # fmt: skip
    results = [json.loads(it) for name, it in found.items() if "/results_" in name]
    assert sorted(it["results"]["capitals"]["benchmaker,none"] for it in results) == [0.0, 1.0]
    assert sorted(it["n-samples"]["capitals"]["effective"] for it in results) == [1, 2]

"""Scores of other tools in full exports, and in the copies of a corrected suite."""

import json

import pytest
import yaml

from tests.arenas.standard.importers.files import (
    inspect_log,
    inspect_sample,
    promptfoo_result,
    write_json,
    write_promptfoo,
)

pytestmark = pytest.mark.long

CITIES = ("Oslo", "Rome", "Paris")


@pytest.fixture
def log(tmp_path):
    """A log of Inspect with a right and two wrong answers."""
    samples = [inspect_sample(at, value="C" if at == 0 else "I") for at in range(3)]
    log = inspect_log(samples)
    metric = {"accuracy": {"name": "accuracy", "value": 1 / 3}}
    log["results"]["scores"] = [{"name": "match", "scorer": "match", "metrics": metric}]
    return write_json(tmp_path / "log.json", log)


def imported_run(cli, path):
    """The run of a file."""
    return cli("import", path, "--json").data["files"][0]["runs"][0]


def rows_of(cli, run, *words):
    """The rows of an export as JSON lines."""
    said = cli("export", run, "--format", "jsonl", *words).stdout
    return [json.loads(line) for line in said.splitlines()]


def test_a_full_export_has_the_scores_and_statements_of_the_tool(cli, log):
    run = imported_run(cli, log)
    document = json.loads(cli("export", run, "--format", "json").stdout)
    assert [it["imported"]["scores"] for it in document["trials"]] == [
        {"inspect/match": value} for value in (1.0, 0.0, 0.0)
    ]
    (figure,) = document["evaluations"][run]["figures"]
    assert (figure["metric"], figure["value"]) == ("accuracy", 1 / 3)


def test_a_full_export_brings_them_into_another_store(cli, log, tmp_path):
    run = imported_run(cli, log)
    file, other = tmp_path / "run.json", tmp_path / "other"
    cli("export", run, "--format", "json", "--output", file)
    cli("import", file, "--home", other)
    assert rows_of(cli, run, "--home", other) == rows_of(cli, run)
    again = cli("import", log, "--home", other, "--json").data["files"][0]
    assert again["runs"] == [run]
    assert [it["value"] for it in again["headline"] if it["metric"] == "accuracy"] == [1 / 3]


def test_own_runs_have_neither(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: s\nscorer: exact\ncases:\n  - {id: a, prompt: A?, expected: A}\n")
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"model": "m", "id": "a", "output": "A"}\n')
    cli("run", suite, "--recorded", answers)
    document = json.loads(cli("export", "latest", "--format", "json").stdout)
    assert "evaluations" not in document
    assert "imported" not in document["trials"][0]


def corrected(cli, run, tmp_path, change):
    """The run with a changed suite; ``change`` edits the list of cases."""
    suite = tmp_path / "suite.yaml"
    document = yaml.safe_load(cli("export", run, "--format", "json").stdout)
    cases = [{**case, "scorer": "exact"} for case in document["cases"]]
    suite.write_text(yaml.safe_dump({**document["suite"], "cases": change(cases)}))
    said = cli("rescore", run, "--suite", suite, "--json").data
    return next(it for it in said["run_ids"] if it != run)


def test_a_corrected_suite_keeps_the_tools_scores_beside_ours(cli, log, tmp_path):
    run = imported_run(cli, log)
    copy = corrected(cli, run, tmp_path, lambda cases: cases[:0:-1])
    rows = {row["case_id"]: row for row in rows_of(cli, copy)}
    assert {name: row["scores"] for name, row in rows.items()} == {
        "1": {"inspect/match": 0.0},
        "2": {"inspect/match": 0.0},
    }
    assert all(row["score"] == 1.0 for row in rows.values())  # the text is right; the tool is not
    scorers = cli("results", copy, "--json").data["models"][0]["scorers"]
    assert scorers == {"inspect/match": {"mean": 0.0, "n": 2}}


def test_a_file_is_never_added_to_such_a_copy(cli, log, tmp_path):
    run = imported_run(cli, log)
    copy = corrected(cli, run, tmp_path, lambda cases: cases)
    again = cli("import", log, "--json").data["files"][0]
    assert again["runs"] == [run]
    cli("delete", run, "--yes")
    new = cli("import", log, "--json").data["files"][0]
    assert new["runs"] not in ([run], [copy])
    assert len(rows_of(cli, new["runs"][0])) == 3


def with_keys(cases):
    """The cases with a right answer each."""
    return [{**case, "expected": "About Rome."} for case in cases]


def test_copies_of_several_setups_keep_each_its_own(cli, tmp_path):
    results = [
        promptfoo_result(test, prompt, city=city, score=(test + prompt) / 10)
        for test, city in enumerate(CITIES)
        for prompt in range(4)
    ]
    run = imported_run(cli, write_promptfoo(tmp_path / "results.json", results))
    before = {(it["setup"], it["case_id"]): it["scores"] for it in rows_of(cli, run)}
    copy = corrected(cli, run, tmp_path, with_keys)
    after = {(it["setup"], it["case_id"]): it["scores"] for it in rows_of(cli, copy)}
    assert after == before
    assert len({it["promptfoo/named"] for it in after.values()}) == 6

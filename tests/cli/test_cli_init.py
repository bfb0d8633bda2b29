import json

import jsonschema
import pytest
from ruamel.yaml import YAML


def test_it_writes_suite_schema_and_answers(cli, tmp_path):
    said = cli("init", tmp_path / "new")
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert names == ["answers.jsonl", "suite.schema.json", "suite.yaml"]
    assert "illustrative" in said.stdout


def test_the_command_it_prints_runs(cli, tmp_path):
    said = cli("init", tmp_path / "new")
    words = said.stdout.partition("Next:")[2].split()
    cli(*words[words.index("run") :])


def test_the_suite_it_writes_is_valid_and_robust(cli, tmp_path):
    cli("init", tmp_path)
    report = cli("validate", tmp_path / "suite.yaml", "--json").data["files"][0]
    assert report["ok"]
    assert report["profile"] == "robust"
    assert set(report["scorers"]) == {"exact", "numeric", "regex", "boolean"}


def test_the_suite_fits_the_schema_beside_it(cli, tmp_path):
    cli("init", tmp_path)
    suite = YAML(typ="safe").load((tmp_path / "suite.yaml").read_text())
    jsonschema.validate(suite, json.loads((tmp_path / "suite.schema.json").read_text()))


def test_the_first_line_names_the_schema(cli, tmp_path):
    cli("init", tmp_path / "mine.yaml")
    first = (tmp_path / "mine.yaml").read_text().partition("\n")[0]
    assert first == "# yaml-language-server: $schema=mine.schema.json"
    assert (tmp_path / "mine.schema.json").exists()


def test_nothing_is_overwritten(cli, tmp_path):
    (tmp_path / "answers.jsonl").write_text("mine")
    said = cli("init", tmp_path, code=2)
    assert "answers.jsonl is already there" in said.stderr
    assert "--force" in said.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["answers.jsonl"]


def test_unless_it_is_forced(cli, tmp_path):
    (tmp_path / "answers.jsonl").write_text("mine")
    cli("init", tmp_path, "--force")
    assert (tmp_path / "answers.jsonl").read_text() != "mine"


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_folder_that_cannot_be_made_is_told(cli, tmp_path, words):
    (tmp_path / "file").write_text("")
    assert "file" in cli("init", tmp_path / "file" / "new", *words, code=2).stderr


def test_json_lists_what_was_written(cli, tmp_path):
    written = cli("init", tmp_path, "--json").data["written"]
    assert written[0] == str(tmp_path / "suite.yaml")

import json

import click
import pytest

from benchmaker.cli.commands.code import COMMANDS, command
from tests.arenas.code.preview import answers


@pytest.fixture
def answer(tmp_path):
    path = tmp_path / "counter.md"
    path.write_text(answers.FILES, encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "told"), COMMANDS.items())
def test_the_list_says_what_the_command_says_of_itself(name, told):
    found = command.get_command(click.Context(command), name)
    assert found.help.partition("\n")[0] == told
    assert all(example.startswith(f"benchmaker code {name}") for example in found.examples)


def test_an_unknown_command_is_refused_with_the_nearest(cli):
    assert "Did you mean 'extract'?" in cli("code", "extrct", code=2).stderr


def test_what_is_found_is_told(cli, answer):
    said = cli("code", "extract", answer).stdout.splitlines()
    assert said[0] == f"{answer}: html index.html"
    assert [line.split()[0].rstrip(":") for line in said[1:]] == [
        "index.html",
        "css/style.css",
        "app.js",
        "logo.svg",
    ]


def test_json_may_stand_before_the_command_or_behind_it(cli, answer):
    first = cli("code", "--json", "extract", answer).data
    assert first == cli("code", "extract", answer, "--json").data
    (found,) = first["answers"]
    assert (found["kind"], found["entry"], found["missing"]) == ("html", "index.html", [])
    start, end = found["files"][0]["spans"][0]
    assert answers.FILES[start:end] == found["files"][0]["text"]


def test_code_and_page_are_written(cli, answer, tmp_path):
    cli("code", "extract", answer, "--out", tmp_path / "out")
    written = tmp_path / "out" / "counter"
    assert (written / "code" / "css" / "style.css").is_file()
    assert "css/style.css" in (written / "page" / "index.html").read_text(encoding="utf-8")
    assert (written / "page" / "app.js").is_file()


def test_without_mapping_libraries_are_missing(cli, tmp_path):
    path = tmp_path / "a.md"
    path.write_text(answers.REACT_CDN, encoding="utf-8")
    assert "mapped https://unpkg.com" in cli("code", "extract", path).stdout
    assert "missing https://unpkg.com" in cli("code", "extract", path, "--no-mapping").stdout


def test_an_answer_without_code_says_why(cli, tmp_path):
    path = tmp_path / "a.md"
    path.write_text("I am sorry.", encoding="utf-8")
    assert "The answer has no code." in cli("code", "extract", path).stdout


def test_a_file_that_is_not_there_is_refused(cli, tmp_path):
    assert "can't be read" in cli("code", "extract", tmp_path / "no.md", code=2).stderr


def test_a_folder_that_cannot_be_written_is_refused(cli, answer, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "counter").write_text("a file", encoding="utf-8")
    said = cli("code", "extract", answer, "--out", tmp_path / "out", code=2).stderr
    assert "can't be written" in said


def test_a_prompt_for_a_page_takes_the_place_of_a_suite(cli, tmp_path):
    answer = tmp_path / "answers.jsonl"
    rows = [{"id": "page", "model": name, "output": "No page."} for name in ("one", "two")]
    answer.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli("code", "run", "--page", "A red page", "--recorded", answer, "--no-judge")
    (run,) = cli("runs", "--json").data["runs"]
    assert run["suite"].startswith("page-a-red-page-")


def test_a_run_takes_a_suite_or_a_prompt_and_not_both(cli, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text("name: s\nscorer: code_judge\ncases: [{id: a, prompt: p}]\n")
    both = cli("code", "run", suite, "--page", "A page", "--no-judge", code=2)
    assert "SUITE and --page exclude each other." in both.stderr
    assert "no suite is given." in cli("code", "run", "--no-judge", code=2).stderr

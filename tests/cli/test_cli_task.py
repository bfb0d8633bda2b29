"""``benchmaker task``, and what is said of a submission's criteria."""

import json

import jsonschema
import pytest
from ruamel.yaml import YAML

from tests.arenas.agentic.judge_server import JudgeServer
from tests.arenas.agentic.log_data import write_claude_log


@pytest.fixture
def task(cli, tmp_path):
    cli("task", "new", tmp_path / "sum")
    return tmp_path / "sum"


def test_a_new_task_is_written_and_the_next_step_told(cli, tmp_path):
    said = cli("task", "new", tmp_path / "sum")
    assert str(tmp_path / "sum" / "task.yaml") in said.stdout
    assert "task check" in said.stderr


def test_a_sound_task_is_found_sound(cli, task):
    said = cli("task", "check", task)
    assert said.stdout.count("as expected") == 5
    assert ": sound" in said.stdout


def test_a_task_that_lets_a_cheat_through_leaves_with_one(cli, task):
    cheat = task / "cheats" / "right" / "total.py"
    cheat.parent.mkdir()
    cheat.write_text((task / "reference" / "total.py").read_text())
    said = cli("task", "check", task, code=1)
    assert "WRONG        cheats/right" in said.stdout
    assert "passed by tests" in said.stdout
    data = cli("task", "check", task, "--json", code=1).data
    assert data["ok"] is False
    assert [trial["name"] for trial in data["trials"] if not trial["ok"]] == ["cheats/right"]
    assert data["trials"][0]["criteria"][0]["result"] == "pass"


def test_a_task_is_stored_once_and_shown(cli, task):
    assert cli("task", "add", task, "--json").data["new"] is True
    assert "already" in cli("task", "add", task).stdout
    assert cli("task", "show").stdout.startswith("sum ")
    shown = cli("task", "show", "sum").stdout
    assert shown == cli("task", "show", task).stdout
    assert "tests_pass" not in shown
    assert "1 hidden criterion not shown: --hidden" in shown
    assert "not shown" not in cli("task", "show", "sum", "--hidden").stdout
    assert "tests_pass" in cli("task", "show", "sum", "--hidden").stdout
    assert cli("task", "show", "--json").data["tasks"][0]["id"] == "sum"
    assert cli("task", "show", "sum", "--json").data["task"]["outputs"] == ["total.py"]


def test_nothing_stored_is_said(cli):
    assert "task add" in cli("task", "show").stdout
    assert "no task folder and no stored task 'x'" in cli("task", "show", "x", code=2).stderr


def test_a_name_is_needed(cli):
    assert "missing" in cli("task", "check", code=2).stderr


def test_the_schema_takes_a_new_task(cli, task):
    schema = json.loads(cli("task", "schema").stdout)
    assert schema == json.loads(cli("schema", "task").stdout)
    jsonschema.validate(YAML(typ="safe").load(task / "task.yaml"), schema)


def test_faults_of_a_task_are_told_with_their_places(cli, task):
    (task / "task.yaml").write_text("id: sum\n")
    assert "task.yaml" in cli("task", "check", task, code=2).stderr


def test_without_bubblewrap_nothing_is_checked(cli, task, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said = cli("task", "check", task, "--unsafe-local", code=3)
    assert "nothing was run" in said.stderr
    assert "can read your files" in said.stderr


def test_tasks_that_ship_are_listed_with_those_that_are_stored(cli, task):
    cli("task", "add", task)
    rows = cli("task", "list", "--json").data["tasks"]
    assert [row["id"] for row in rows if row["where"] == "stored"] == ["sum"]
    assert len([row for row in rows if row["where"] == "shipped"]) == 6
    said = cli("task", "list").stdout.splitlines()
    assert [line.split()[0] for line in said[:2]] == ["id", "bookmark-shelf"]
    assert "where" in said[0].split()
    assert "river-gauges" in said[3]


def test_a_task_that_ships_is_copied_for_a_tool(cli, tmp_path):
    said = cli("task", "copy", "river-gauges", tmp_path / "work", "--start")
    assert "python3 report.py FILE" in said.stdout
    assert (tmp_path / "work" / "report.py").exists()
    assert not (tmp_path / "work" / "reference").exists()
    cli("task", "copy", "river-gauges", tmp_path / "whole")
    assert (tmp_path / "whole" / "task.yaml").exists()
    assert "not empty" in cli("task", "copy", "river-gauges", tmp_path / "whole", code=2).stderr


def test_copying_wants_a_task_and_a_folder(cli, tmp_path):
    assert "missing" in cli("task", "copy", "river-gauges", code=2).stderr
    assert "Did you mean" in cli("task", "copy", "river-gauge", tmp_path / "a", code=2).stderr
    assert "no second folder" in cli("task", "show", "sum", "there", code=2).stderr


def test_a_task_that_ships_is_shown_by_its_name(cli):
    assert "river" in cli("task", "show", "river-gauges").stdout


TASK = """
id: kind-words
prompt: Write a.md.
isolation: none
criteria:
  - {id: done, type: file_exists, path: a.md, required: true}
  - {id: long, type: file_exists, path: a.md, min_bytes: 1000, visibility: hidden, weight: 2}
  - {id: clear, type: llm_rubric, rubric: Is it clear?, paths: [a.md]}
  - {id: kind, type: human_review, question: Is it kind?}
"""


@pytest.fixture
def words(tmp_path):
    """The words that hand in a session for that task, with its workspace."""
    folder, work = tmp_path / "kind-words", tmp_path / "work"
    for one in (folder, work):
        one.mkdir()
    (folder / "task.yaml").write_text(TASK)
    (work / "a.md").write_text("Hello.")
    log = write_claude_log(tmp_path / "session.jsonl")
    return ("submit", log, "--task", folder, "--workspace", work, "--profile", "robust")


def lines_of(text):
    """The lines on criteria, by the criterion's id, spaces made one."""
    lines = [" ".join(line.split()) for line in text.split("Criteria: ")[1].splitlines()]
    told = [line for line in lines[2:] if not line.startswith("Stored: ")]
    return {line.split()[1]: line for line in told if len(line.split()) > 2}


def test_every_criterion_is_said_with_its_evidence(cli, words):
    said = cli(*words).stdout
    assert "Criteria: verified in none, " in said
    assert ", 2 of 4 criteria wait: 1 for a judge, 1 for a person" in said
    lines = lines_of(said)
    assert lines["done"].startswith("pass done file_exists, public, required 1 ")
    assert lines["long"].startswith("fail long file_exists, hidden 2 ")
    assert lines["clear"] == "skipped clear llm_rubric, public 1 no judge given"
    assert lines["kind"].startswith("skipped kind human_review, public 1 no answer yet")


def test_explain_and_trace_say_the_same_of_the_criteria(cli, words):
    lines = lines_of(cli(*words).stdout)
    (row,) = cli(*words, "--json").data["evaluations"]
    name = row["submission_id"]
    for told in (
        cli("explain", name, "--profile", "robust").stdout,
        cli("explain", name).stdout,
        cli("trace", name).stdout,
    ):
        assert {one: lines_of(told)[one] for one in lines if one != "submission"}.items() >= {
            one: lines[one] for one in ("done", "long", "clear", "kind")
        }.items()
    head = cli("explain", name, "--profile", "robust").stdout.splitlines()[1]
    assert head.endswith("isolation none; 2 of 4 criteria wait: 1 for a judge, 1 for a person")


def test_criteria_as_json_are_the_same_everywhere(cli, words):
    data = cli(*words, "--json").data
    assert list(data) == [
        "scale", "profile", "evaluations", "stored", "left_out",
        "skipped_lines", "skipped", "notes", "copies",
        "repeats", "empty", "refused", "refused_rows", "unknown", "verification", "criteria",
    ]  # fmt: skip
    waiting = "2 of 4 criteria wait: 1 for a judge, 1 for a person"
    assert data["evaluations"][0]["waiting"] == waiting
    assert (data["verification"]["has_verdict"], data["verification"]["waiting"]) == (True, waiting)
    first = data["criteria"][0]
    assert (first["id"], first["type"], first["result"]) == ("done", "file_exists", "pass")
    assert (first["weight"], first["required"], first["hidden"]) == (1.0, True, False)
    name = data["evaluations"][0]["submission_id"]
    for words_of in (("explain", name, "--profile", "robust"), ("explain", name), ("trace", name)):
        told = cli(*words_of, "--json").data
        assert told["criteria"] == data["criteria"]
        assert told["verification"]["waiting"] == waiting
    (row,) = cli("evaluate", "--profile", "robust", "--json").data["evaluations"]
    assert row["waiting"] == waiting


def test_a_person_answers_at_the_command_line(cli, words):
    (row,) = cli(*words, "--json").data["evaluations"]
    assert row["correctness_score"] == pytest.approx(100 / 3)
    answer = ("task", "answer", row["submission_id"], "kind", "--note", "polite", "--by", "ann")
    said = cli(*answer, "--holds", "--profile", "robust").stdout
    assert "kind holds, says ann." in said
    assert "under robust/2" in said
    assert "pass kind human_review, public 1 ann: polite" in lines_of(said)["kind"]
    assert ", 1 of 4 criteria waits for a judge" in said
    told = cli(*answer, "--fails", "--profile", "robust", "--json").data
    assert told["profile"] == "robust/2"
    assert told["evaluations"][0]["correctness_score"] == pytest.approx(25.0)
    assert told["criteria"][3]["result"] == "fail"


def test_an_answer_settles_under_the_opening_profile_unless_another_is_named(cli, words):
    (row,) = cli(*words, "--json").data["evaluations"]
    told = cli("task", "answer", row["submission_id"], "kind", "--holds", "--json").data
    assert told["profile"] == "robust/2"
    (classic,) = cli("evaluate", "--profile", "classic", "--json").data["evaluations"]
    assert classic["correctness_score"] == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("kind",), "either --holds or --fails"),
        (("--holds",), "needs a submission, a criterion"),
        (("clear", "--holds"), "no open review of 'clear'"),
        (("kind", "--holds", "--profile", "nobody"), "nobody"),
    ],
)
def test_an_answer_that_can_not_be_taken_is_refused(cli, words, more, said):
    (row,) = cli(*words, "--json").data["evaluations"]
    assert said in cli("task", "answer", row["submission_id"], *more, code=2).stderr


def test_an_answer_to_what_nobody_verified_is_refused(cli, words):
    (row,) = cli(*words[:4], "--json").data["evaluations"]
    said = cli("task", "answer", row["submission_id"], "kind", "--holds", code=2).stderr
    assert "has no verification" in said
    assert "submit LOG --task TASK --workspace DIR" in said


def test_a_live_judge_is_asked_through_the_command(cli, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with JudgeServer().running() as judge:
        for name, value in judge.environ.items():
            monkeypatch.setenv(name, value)
        said = cli(*words, "--judge", "openai/gpt-4o").stdout
    assert len(judge.asked) == 1
    assert "pass clear llm_rubric, public 1 0.90, at least" in lines_of(said)["clear"]
    assert ", 1 of 4 criteria waits for a person" in said

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.spec.tasks.criterion import KINDS
from benchmaker.spec.tasks.task_file import load_task, task_schema

SOUND = """
id: csv-report
prompt: Sum the file.
category: data_analysis
outputs: ["report.json", "src/**"]
criteria:
  - {type: file_exists, path: report.json, required: true}
  - {type: file_exists, path: "src/*.py"}
  - {id: sums, type: output_match, run: [python, src/sum.py], expected: "6"}
"""


def written(folder: Path, text: str = SOUND, **files: str) -> Path:
    (folder / "task.yaml").write_text(text)
    for name, content in files.items():
        path = folder / (name if "/" in name else name.replace("__", "/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def faults(folder: Path, text: str) -> str:
    with pytest.raises(SpecError) as raised:
        load_task(written(folder, text))
    return str(raised.value)


def test_a_task_reads_from_its_folder_or_its_file(tmp_path):
    folder = written(tmp_path)

    one, two = load_task(folder), load_task(folder / "task.yaml")

    assert one == two
    assert [it.id for it in one.task.criteria] == ["file_exists", "file_exists-2", "sums"]
    assert [it.id for it in one.task.required_criteria] == ["file_exists"]
    assert one.task.isolation == "namespace"
    assert one.version == one.digest[:12]


def test_every_fault_is_said_at_once_with_its_place(tmp_path):
    said = faults(
        tmp_path,
        "id: a task\nprompt: x\nweigts: {}\noutputs: [../x]\nlimits: {memory_mb: 1, foo: 2}\n"
        "criteria:\n  - type: file_exist\n    path: a\n  - {type: file_exists, path: /etc}\n"
        "  - {type: tests_pass, at_least: 0}\n  - {type: file_exists, path: a, requird: true}\n",
    )

    assert "task.yaml:3:1: unknown field 'weigts'. Did you mean 'weights'?" in said
    assert "task.yaml:4:11: outputs[0]: expected a path inside the workspace" in said
    assert "task.yaml:5:21: limits.memory_mb must be at least 16, not 1." in said
    assert (
        "task.yaml:7:11: unknown criterion type 'file_exist'. Did you mean 'file_exists'?" in said
    )
    assert "task.yaml:9:31: path: expected a path inside the workspace" in said
    assert "at_least must be at least 1, not 0." in said
    assert "unknown field 'requird'. Did you mean 'required'?" in said


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        ("[{type: llm_rubric, rubric: r, paths: [a]}]", "only a judge would decide"),
        (
            (
                "[{type: file_exists, path: a},"
                " {type: llm_rubric, rubric: r, paths: [a], required: true}]"
            ),
            "only a judge would decide",
        ),
        ("[{type: file_exists, path: a, weight: 0}]", "the weights of the criteria add up to 0"),
        (
            "[{id: x, type: file_exists, path: a}, {id: x, type: file_exists, path: b}]",
            "duplicate criterion 'x'",
        ),
        ("[{type: command, run: [a], isolation: none}]", "the isolation is none"),
        ("[{type: command, run: [a], isolation: container}]", "the task has no image"),
        ("[{type: file_content, path: a}]", "file_content needs contains, not_contains"),
        ("[{type: tests_pass, framework: tap}]", "tests_pass needs run"),
        ("[{type: tests_pass, run: [a]}]", "tests_pass needs report"),
        ("[{type: output_match, run: [a]}]", "needs either expected or expected_file"),
        ("[{type: performance, run: [a]}]", "needs max_seconds or max_memory_mb"),
        ("{type: command}", "criteria must be a list"),
        ("[a]", "a criterion must be a mapping"),
    ],
)
def test_what_can_not_stand_together_is_refused(tmp_path, criteria, said):
    assert said in faults(tmp_path, f"id: a\nprompt: x\ncriteria: {criteria}\n")


def test_weights_must_sum_to_one(tmp_path):
    weights = "{efficiency: 0.5, speed: 0.5, cost: 0.5, correctness: 0}"

    assert "the four weights add up to 1.5, not 1" in faults(
        tmp_path, f"id: a\nprompt: x\nweights: {weights}\n"
    )


def test_a_task_without_criteria_is_a_task(tmp_path):
    assert load_task(written(tmp_path, "id: a\nprompt: x\n")).task.criteria == ()


@pytest.mark.parametrize(
    ("changed", "is_new"),
    [
        ({"tests__test_a.py": "assert True"}, True),
        ({"start__a.txt": "b"}, True),
        ({"reference__a.txt": "b"}, False),
        ({"cheats__empty__a.txt": "b"}, False),
    ],
)
def test_the_version_follows_what_grading_rests_on(tmp_path, changed, is_new):
    before = load_task(written(tmp_path)).digest

    after = load_task(written(tmp_path, **changed)).digest

    assert (before != after) == is_new


def test_neither_order_of_keys_nor_comments_change_the_version(tmp_path):
    before = load_task(written(tmp_path)).digest
    lines = SOUND.strip().splitlines()

    moved = "\n".join(["# words", lines[2], lines[0], lines[1], *lines[3:]])

    assert load_task(written(tmp_path, moved)).digest == before


def test_what_was_compiled_beside_the_files_does_not_change_the_version(tmp_path):
    before = load_task(written(tmp_path, **{"tests/test_a.py": "pass"})).digest

    after = load_task(written(tmp_path, **{"tests/__pycache__/test_a.pyc": "compiled"})).digest

    assert after == before


def test_links_in_a_task_are_refused(tmp_path):
    folder = written(tmp_path, start__a="x")
    (folder / "start" / "link").symlink_to("/etc/passwd")

    with pytest.raises(SpecError, match="not a file or a folder"):
        load_task(folder)


@given(st.text(max_size=60))
def test_no_text_is_a_path_that_leaves_the_workspace(path):
    kind = KINDS["file_exists"]
    try:
        kept = kind.model_validate({"path": path}).path
    except ValueError:
        return
    assert ".." not in kept.split("/")
    assert not kept.startswith("/")


def test_the_schema_is_one_and_takes_what_the_reader_takes(tmp_path):
    schema = task_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    task = load_task(written(tmp_path)).task

    jsonschema.validate(json.loads(task.model_dump_json(by_alias=True)), schema)

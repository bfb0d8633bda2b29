"""What ``codex exec --json`` prints."""

import json

import pytest

from benchmaker.arenas.agentic.importers.codex_exec import CodexExec
from benchmaker.arenas.agentic.logs.events import Failure, LlmCall
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers import slow_codex_exec
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one, tokens, written
from tests.arenas.agentic.importers.samples import figures

EXEC = CodexExec()
VALUES = json.loads(slow_codex_exec.VALUES.read_text())
THREAD = {"type": "thread.started", "thread_id": "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"}
STARTED = {"type": "turn.started"}


def ended(new=100, cached=0, output=10):
    usage = {"input_tokens": new + cached, "cached_input_tokens": cached, "output_tokens": output}
    return {"type": "turn.completed", "usage": usage}


def item(number, kind, *, is_done=True, **fields):
    state = "item.completed" if is_done else "item.started"
    return {"type": state, "item": {"id": f"item_{number}", "type": kind, **fields}}


@pytest.fixture
def log(tmp_path):
    return lambda *lines: written(tmp_path / "out.jsonl", [THREAD, *lines])


@pytest.mark.data
@pytest.mark.parametrize("name", VALUES)
def test_the_figures_are_those_of_the_slow_script(shared, name):
    path = shared / "agent_logs" / "codex_exec_json" / name
    submission = read_one(EXEC, path)
    wanted = VALUES[name]
    assert list(submission.artifacts.files_created) == wanted["files_created"]
    found = figures([submission])
    assert {key: found[key] for key in wanted if key in found} == {
        key: value for key, value in wanted.items() if key != "files_created"
    }


@pytest.mark.data
@pytest.mark.parametrize("name", VALUES)
def test_the_values_are_still_those_that_the_slow_script_finds(shared, name):
    path = shared / "agent_logs" / "codex_exec_json" / name
    assert slow_codex_exec.figures(path.read_text()) == VALUES[name]


def test_model_times_and_the_number_of_requests_are_unknown(log):
    submission = read_one(EXEC, log(STARTED, ended()))
    assert submission.system.model is None
    assert submission.llm_calls is None
    assert submission.time.wall_s is None
    assert submission.usage.reasoning is None
    assert (submission.started_at, submission.finished_at) == (None, None)


def test_the_model_can_be_given(log):
    submission = read_one(EXEC, log(STARTED, ended()), model="gpt-5-codex")
    assert submission.system.model == "gpt-5-codex"
    assert submission.system.name == "codex · gpt-5-codex"


def test_turns_carry_a_running_sum(log):
    submission = read_one(EXEC, log(STARTED, ended(100), STARTED, ended(250, output=30)))
    assert submission.total_tokens == 280
    assert submission.iterations == 2


def test_reasoning_stands_beside_the_words_of_its_turn(log):
    thought, said = item(0, "reasoning", text="Hm."), item(1, "agent_message", text="Yes.")
    cut = (STARTED, item(0, "reasoning", text="Well."))
    events = events_of(EXEC, log(STARTED, thought, said, ended(), *cut))
    answers = [(it.text, it.reasoning) for it in events if isinstance(it, LlmCall)]
    assert answers == [("Yes.", "Hm."), (None, "Well.")]


def test_a_call_that_begins_and_ends_is_one(log):
    begun = item(1, "command_execution", is_done=False, command="ls", status="in_progress")
    done = item(1, "command_execution", command="ls", exit_code=1, status="failed")
    search = item(2, "mcp_tool_call", server="docs", tool="search", status="completed")
    submission = read_one(EXEC, log(STARTED, begun, done, search, ended()))
    assert submission.tools_by_name == {"command_execution": 1, "docs.search": 1}
    assert submission.tool_errors == 1


def test_files_are_those_of_the_changes_that_were_made(log):
    changes = [{"path": "/a", "kind": "add"}, {"path": "/b", "kind": "update"}]
    declined = [{"path": "/c", "kind": "add"}]
    submission = read_one(
        EXEC,
        log(
            STARTED,
            item(1, "file_change", changes=changes, status="completed"),
            item(2, "file_change", changes=declined, status="failed"),
            ended(),
        ),
    )
    assert submission.artifacts.files_created == ("/a",)
    assert submission.artifacts.files_modified == ("/b",)
    assert submission.tool_calls == 2


def test_a_turn_that_failed_says_why(log):
    path = log(STARTED, {"type": "turn.failed", "error": {"message": "quota exceeded"}})
    submission = read_one(EXEC, path)
    assert submission.outcome.status is Status.FAILED
    assert [e.message for e in events_of(EXEC, path) if isinstance(e, Failure)] == [
        "quota exceeded"
    ]


def test_a_copy_and_a_cut_file_never_raise_the_total(log, tmp_path):
    path = log(STARTED, ended(100), STARTED, ended(250, output=30))
    whole = path.read_bytes()
    copy = written(tmp_path / "copy.jsonl", [whole])
    assert tokens(read(EXEC, path, copy)) == 280
    for size in range(len(whole)):
        copy.write_bytes(whole[:size])
        assert tokens(read(EXEC, copy)) <= 280


def test_bad_lines_are_named_and_the_others_are_read(log):
    skipped = []
    submission = read_one(EXEC, log(STARTED, "{", ended()), skipped=skipped)
    assert submission.total_tokens == 110
    assert [it.line for it in skipped] == [3]


def test_it_knows_its_own_logs_from_others(log, tmp_path):
    assert EXEC.sniff(head_of(log(STARTED))) > 0.5
    other = written(tmp_path / "x.jsonl", [{"type": "session_meta", "payload": {}}])
    assert EXEC.sniff(head_of(other)) == 0

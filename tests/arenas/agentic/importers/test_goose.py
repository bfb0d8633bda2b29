"""The database of Goose."""

import json
import sqlite3
from contextlib import closing

import pytest

from benchmaker.arenas.agentic.importers.goose import Goose
from benchmaker.arenas.agentic.logs.events import LlmCall
from tests.arenas.agentic.importers.logs import events_of, head_of, read

GOOSE = Goose()


@pytest.fixture
def database(tmp_path):
    return stored(tmp_path / "sessions.db")


def stored(path):
    with closing(sqlite3.connect(path)) as base, base:
        base.execute(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT, created_at TEXT,"
            " provider_name TEXT, model_config_json TEXT, accumulated_total_tokens INTEGER,"
            " accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER)"
        )
        base.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,"
            " content_json TEXT, created_timestamp INTEGER)"
        )
        model = json.dumps({"model_name": "claude-sonnet-4-5"})
        facts = ("/work", "2026-01-01 10:00:00", "anthropic", model, 130, 100, 30)
        base.execute("INSERT INTO sessions VALUES (?,?,?,?,?,?,?,?)", ("20260101_1", *facts))
        call = {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}
        failed = {"status": "error", "error": "no such file"}
        said = [
            ("user", [{"type": "text", "text": "What is here?"}]),
            ("assistant", [{"type": "toolRequest", "id": "call_1", "toolCall": call}]),
            ("user", [{"type": "toolResponse", "id": "call_1", "toolResult": failed}]),
            (
                "assistant",
                [{"type": "thinking", "thinking": "No."}, {"type": "text", "text": "Nothing."}],
            ),
        ]
        for number, (role, content) in enumerate(said):
            row = ("20260101_1", role, json.dumps(content), 1_767_261_600 + number)
            base.execute(
                "INSERT INTO messages (session_id, role, content_json, created_timestamp)"
                " VALUES (?,?,?,?)",
                row,
            )
    return path


def test_a_session_has_the_sums_that_the_database_keeps(database):
    (found,) = read(GOOSE, database)
    assert (found.usage.input_uncached, found.usage.output, found.total_tokens) == (100, 30, 130)
    assert (found.llm_calls, found.tool_calls, found.tool_errors) == (None, 1, 1)
    assert found.iterations == 1
    assert (found.system.model, found.system.provider) == ("claude-sonnet-4-5", "anthropic")
    assert found.session_id == "20260101_1@2026-01-01 10:00:00"


def test_nothing_in_the_database_changes(database):
    before = database.read_bytes()
    read(GOOSE, database)
    assert database.read_bytes() == before


def test_other_databases_are_not_its_own(tmp_path, database):
    assert GOOSE.sniff(head_of(database)) > 0.5
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as base, base:
        base.execute("CREATE TABLE sessions (id TEXT)")
    assert GOOSE.sniff(head_of(other)) == 0
    broken = tmp_path / "broken.db"
    broken.write_bytes(database.read_bytes()[:2_000])
    assert GOOSE.sniff(head_of(broken)) == 0


def test_what_the_model_thought_stands_beside_its_answer(database):
    answers = [it for it in events_of(GOOSE, database) if isinstance(it, LlmCall)]
    assert [(it.text, it.reasoning) for it in answers] == [(None, None), ("Nothing.", "No.")]
    assert "No." not in repr(events_of(GOOSE, database, drop_content=True))

"""Sessions of OpenCode, and Kilo Code's."""

import json
import sqlite3
from contextlib import closing

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.kilo import Kilo
from benchmaker.arenas.agentic.importers.opencode import OpenCode
from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one, written

OPEN, KILO = OpenCode(), Kilo()
SESSION, CHILD = "ses_0000000000000000000000001", "ses_0000000000000000000000002"
TOKENS = {"input": 10, "output": 5, "reasoning": 2, "cache": {"read": 100, "write": 7}}
ASKED = {"role": "user", "time": {"created": 1_767_261_600_000}}
ANSWERED = {"role": "assistant", "modelID": "gpt-5", "tokens": TOKENS, "cost": 0.25,
            "time": {"created": 1_767_261_601_000, "completed": 1_767_261_605_000}}  # fmt: skip
FINISHED = {"type": "step-finish", "reason": "stop", "tokens": TOKENS, "cost": 0.25}


def tool(**state):
    whole = {"status": "completed", "input": {"command": "ls"}, "output": "no"} | state
    return {"type": "tool", "tool": "bash", "callID": "call_00000000000001", "state": whole}


def stored(path, messages, *, kilo=False):
    """A database with these messages: (session, info, parts)."""
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE session (id, parent_id, directory, version, model)")
        base.execute("CREATE TABLE message (id, session_id, time_created, data)")
        base.execute("CREATE TABLE part (id, message_id, session_id, data)")
        if kilo:
            base.execute("CREATE INDEX recall_part_search_idx ON part (session_id)")
        model = json.dumps({"id": "gpt-5", "providerID": "openai"})
        base.execute("INSERT INTO session VALUES (?,NULL,'/work','1.18',?)", (SESSION, model))
        base.execute("INSERT INTO session VALUES (?,?,'/work','1.18',?)", (CHILD, SESSION, model))
        for number, (session, info, parts) in enumerate(messages):
            name = f"msg_00000000000000000{number}"
            base.execute(
                "INSERT INTO message VALUES (?,?,?,?)", (name, session, number, json.dumps(info))
            )
            for at, part in enumerate(parts):
                row = (f"prt_000000000000000{number}{at}", name, session, json.dumps(part))
                base.execute("INSERT INTO part VALUES (?,?,?,?)", row)
    return path


TALK = [
    (SESSION, ASKED, [{"type": "text", "text": "What is here?"}]),
    (SESSION, ANSWERED, [tool(metadata={"exit": 2}), FINISHED | {"reason": "tool-calls"}]),
    (SESSION, ANSWERED, [{"type": "text", "text": "Nothing."}, FINISHED]),
]


def test_a_session_has_tokens_calls_prompts_and_its_cost(tmp_path):
    path = stored(tmp_path / "a.db", TALK)
    found = read_one(OPEN, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.cache_write_5m, usage.output) == (
        20,
        200,
        14,
        14,
    )
    assert (found.llm_calls, found.tool_calls, found.tool_errors, found.iterations) == (2, 1, 1, 1)
    assert (found.cost.reported_usd, found.system.model) == (0.5, "gpt-5")
    assert found.outcome.status is Status.COMPLETED
    assert (OPEN.sniff(head_of(path)) > 0.5, KILO.sniff(head_of(path))) == (True, 0)


def test_a_session_that_another_sent_out_is_its_subagent(tmp_path):
    task = tool(metadata={"sessionId": CHILD}) | {"tool": "task"}
    below = (CHILD, ANSWERED, [FINISHED])
    talk = [TALK[0], (SESSION, ANSWERED, [task, FINISHED]), below]
    (found,) = read(OPEN, stored(tmp_path / "a.db", talk))
    assert (found.total_tokens, found.main.total_tokens, found.subagents) == (248, 124, 1)


def test_an_answer_that_a_person_stopped_is_an_interruption(tmp_path):
    stopped = ANSWERED | {"tokens": None, "cost": 0, "error": {"name": "MessageAbortedError"}}
    found = read_one(OPEN, stored(tmp_path / "a.db", [*TALK, (SESSION, stopped, [])]))
    assert found.outcome.status is Status.CANCELLED
    assert (found.llm_calls, found.behaviour.interruptions) == (2, 1)


def test_a_message_without_steps_counts_by_its_own_tokens(tmp_path):
    found = read_one(OPEN, stored(tmp_path / "a.db", [TALK[0], (SESSION, ANSWERED, [])]))
    assert (found.llm_calls, found.total_tokens) == (1, 124)


def test_kilo_code_is_told_by_its_own_index(tmp_path):
    path = stored(tmp_path / "kilo.db", TALK, kilo=True)
    assert (OPEN.sniff(head_of(path)), KILO.sniff(head_of(path)) > 0.5) == (0, True)
    assert read_one(KILO, path).system.harness == "kilo-code"


@pytest.mark.parametrize("name", ["a.db", "claude.jsonl"])
def test_the_database_the_export_and_the_print_are_one_session(tmp_path, name):
    base = stored(tmp_path / name, TALK)
    about = {"id": SESSION, "slug": "s", "projectID": "p", "directory": "/work"}
    messages = [
        {"info": info | {"id": f"msg_00000000000000000{n}"},
         "parts": [part | {"id": f"prt_000000000000000{n}{at}"} for at, part in enumerate(parts)]}
        for n, (_, info, parts) in enumerate(TALK)
    ]  # fmt: skip
    export = tmp_path / "export.txt"
    export.write_text(json.dumps({"info": about, "messages": messages}))
    part = FINISHED | {"id": "prt_00000000000000021", "messageID": "msg_000000000000000002"}
    row = {"type": "step_finish", "timestamp": 1_767_261_605_000, "sessionID": SESSION}
    told = written(tmp_path / "print.out", [row | {"part": part}])
    (found,) = import_logs([told, export, base], dry_run=True).submissions
    assert (found.total_tokens, found.llm_calls, found.cost.reported_usd) == (248, 2, 0.5)


def test_a_damaged_database_is_named(tmp_path):
    path = stored(tmp_path / "a.db", TALK)
    path.write_bytes(path.read_bytes()[:9_000])
    told = []
    refs = list(OPEN.scan(path)) if OPEN.sniff(head_of(path)) else []
    for ref in refs:
        read(OPEN, path, skipped=told)
        assert ref.session == SESSION


def test_a_column_of_another_type_is_reported_and_read_no_further(tmp_path):
    path = stored(tmp_path / "a.db", TALK)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE message SET data = 9 WHERE time_created = 2")
        base.execute("UPDATE session SET directory = x'00', version = 2")
    told = []
    found = read_one(OPEN, path, skipped=told)
    assert (found.llm_calls, found.system.harness_version) == (1, None)
    assert [it.reason for it in told] == ["message msg_000000000000000002: not JSON"]


def test_what_the_model_thought_stands_beside_its_answer(tmp_path):
    thought = {"type": "reasoning", "text": "Look first."}
    path = stored(tmp_path / "a.db", [TALK[0], (SESSION, ANSWERED, [thought, FINISHED]), TALK[2]])
    answers = [it for it in events_of(OPEN, path) if isinstance(it, LlmCall)]
    assert [it.reasoning for it in answers] == ["Look first.", None]
    assert "Look first." not in repr(events_of(OPEN, path, drop_content=True))

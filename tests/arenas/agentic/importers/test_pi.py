"""Session files of Pi, and OpenClaw's."""

from benchmaker.arenas.agentic.importers.openclaw import OpenClaw
from benchmaker.arenas.agentic.importers.pi import Pi
from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, head_of, read, read_one, tokens, written

PI, CLAW = Pi(), OpenClaw()
SESSION = "0a1b2c3d-0000-4000-8000-000000000001"
HEAD = {"type": "session", "id": SESSION, "timestamp": "2026-01-01T10:00:00Z", "cwd": "/work"}
ASKED = {"type": "message", "timestamp": "2026-01-01T10:00:01Z",
         "message": {"role": "user", "content": [{"type": "text", "text": "Go."}]}}  # fmt: skip
CALL = {"type": "toolCall", "id": "toolu_00000000000001", "name": "bash", "arguments": {"c": "ls"}}
USAGE = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 7, "cost": {"total": 0.25}}


def answer(*content, reason="stop", **more):
    said = {"role": "assistant", "content": list(content), "model": "claude-opus-4-5",
            "usage": USAGE, "stopReason": reason} | more  # fmt: skip
    return {"type": "message", "timestamp": "2026-01-01T10:00:02Z", "message": said}


def result(**more):
    message = {"role": "toolResult", "toolCallId": CALL["id"], "content": "a.py"} | more
    return {"type": "message", "timestamp": "2026-01-01T10:00:03Z", "message": message}


TEXT = {"type": "text", "text": "One file, a.py."}
ROWS = [HEAD, ASKED, answer(CALL, reason="toolUse"), result(), answer(TEXT, timestamp=1767261605)]


def test_a_session_has_tokens_calls_prompts_and_its_cost(tmp_path):
    found = read_one(PI, written(tmp_path / "s.jsonl", ROWS))
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.cache_write_5m, usage.output) == (
        20,
        200,
        14,
        10,
    )
    assert (found.llm_calls, found.tool_calls, found.tool_errors, found.iterations) == (2, 1, 0, 1)
    assert found.cost.reported_usd == 0.5
    assert (found.session_id, found.project) == (SESSION, "/work")
    assert found.outcome.status is Status.COMPLETED


def test_reasoning_is_a_part_of_the_output(tmp_path):
    rows = [HEAD, ASKED, answer(TEXT, usage=USAGE | {"reasoning": 3})]
    found = read_one(PI, written(tmp_path / "s.jsonl", rows))
    assert (found.usage.output, found.usage.reasoning, found.total_tokens) == (5, 3, 122)


def test_what_a_branch_copies_counts_once(tmp_path):
    first = written(tmp_path / "a.jsonl", ROWS)
    branch = HEAD | {"id": SESSION.replace("1", "2"), "branchedFrom": str(first)}
    more = answer(TEXT, timestamp=1767261700)
    second = written(tmp_path / "b.jsonl", [branch, *ROWS[1:], more])
    assert tokens(read(PI, first, second)) == 3 * 122


def test_an_answer_that_was_stopped_is_an_interruption(tmp_path):
    found = read_one(PI, written(tmp_path / "s.jsonl", [HEAD, ASKED, answer(reason="aborted")]))
    assert found.outcome.status is Status.CANCELLED
    assert found.behaviour.interruptions == 1


def test_openclaw_is_told_by_its_own_row(tmp_path):
    own = {"type": "custom", "customType": "model-snapshot", "data": {"modelId": "gpt-5"}}
    path = written(tmp_path / "s.jsonl", [HEAD, own, *ROWS[1:]])
    assert (PI.sniff(head_of(path)), CLAW.sniff(head_of(path)) > 0.5) == (0, True)
    assert read_one(CLAW, path).system.harness == "openclaw"
    plain = written(tmp_path / "p.jsonl", ROWS)
    assert (PI.sniff(head_of(plain)) > 0.5, CLAW.sniff(head_of(plain))) == (True, 0)


def test_what_the_model_thought_stands_beside_its_answer(tmp_path):
    thought = {"type": "thinking", "thinking": "One file?"}
    path = written(tmp_path / "s.jsonl", [HEAD, ASKED, answer(thought, TEXT)])
    (found,) = (it for it in events_of(PI, path) if isinstance(it, LlmCall))
    assert (found.text, found.reasoning) == ("One file, a.py.", "One file?")
    assert "One file?" not in repr(events_of(PI, path, drop_content=True))

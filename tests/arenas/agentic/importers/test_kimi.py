"""What Kimi CLI writes down of what passes between the agent and its screen."""

from benchmaker.arenas.agentic.importers.kimi import Kimi
from benchmaker.arenas.agentic.logs.events import LlmCall, ToolCall
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, head_of, read_one, written

KIMI = Kimi()
COUNTED = {"input_other": 10, "output": 5, "input_cache_read": 100, "input_cache_creation": 0}


def line(kind, at=1_770_000_000, **payload):
    return {"timestamp": at, "message": {"type": kind, "payload": payload}}


def call(name="Shell", arguments='{"command": "ls"}', number=1):
    function = {"name": name, "arguments": arguments}
    return line("ToolCall", type="function", id=f"tool_0000000000{number}", function=function)


def result(number=1):
    returned = {"is_error": False, "output": "a.py"}
    return line("ToolResult", tool_call_id=f"tool_0000000000{number}", return_value=returned)


ROWS = [
    {"type": "metadata", "protocol_version": "1.1"},
    line("TurnBegin", user_input="What is here?"),
    line("StepBegin", n=1),
    line("ContentPart", type="text", text="Let me "),
    line("ContentPart", type="text", text="look."),
    call(),
    line("StatusUpdate", token_usage=COUNTED, message_id="chatcmpl-000000000001"),
    result(),
    line("StepBegin", n=2),
    line("StatusUpdate", 1_770_000_009, token_usage=COUNTED, message_id="chatcmpl-000000000002"),
    line("TurnEnd", 1_770_000_010),
]


def log(tmp_path, *rows):
    return written(tmp_path / "0a1b" / "wire.jsonl", rows or ROWS)


def test_a_session_has_tokens_calls_and_prompts(tmp_path):
    path = log(tmp_path)
    found = read_one(KIMI, path)
    assert (found.total_tokens, found.usage.cache_read) == (230, 200)
    assert (found.llm_calls, found.tool_calls, found.tool_errors, found.iterations) == (2, 1, 0, 1)
    assert found.system.model is None
    assert found.outcome.status is Status.COMPLETED
    assert KIMI.sniff(head_of(path)) > 0.5


def test_arguments_may_come_in_pieces(tmp_path):
    parts = (line("ToolCallPart", arguments_part=it) for it in ('{"comm', 'and": "ls"}'))
    events = events_of(KIMI, log(tmp_path, call(arguments=None), *parts, result()))
    assert [it.arguments for it in events if isinstance(it, ToolCall)] == ['{"command": "ls"}']


def test_a_subagents_requests_are_its_own(tmp_path):
    inside = {"type": "StatusUpdate", "payload": {"token_usage": COUNTED, "message_id": "m" * 20}}
    row = line("SubagentEvent", parent_tool_call_id="tool_00000000001", event=inside)
    found = read_one(KIMI, log(tmp_path, *ROWS, row))
    assert (found.total_tokens, found.main.total_tokens, found.subagents) == (345, 230, 1)


def test_a_step_that_was_stopped_is_an_interruption(tmp_path):
    found = read_one(KIMI, log(tmp_path, *ROWS[:3], line("StepInterrupted")))
    assert found.outcome.status is Status.CANCELLED


def test_what_the_model_thought_stands_beside_its_answer(tmp_path):
    thoughts = (line("ContentPart", type="think", think=it) for it in ("Look ", "first."))
    path = log(tmp_path, *ROWS[:3], *thoughts, *ROWS[3:])
    answers = [it for it in events_of(KIMI, path) if isinstance(it, LlmCall)]
    assert [(it.text, it.reasoning) for it in answers] == [
        ("Let me look.", "Look first."),
        (None, None),
    ]
    assert "first." not in repr(events_of(KIMI, path, drop_content=True))

"""Sessions of Qwen Code."""

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.claude_code import ClaudeCode
from benchmaker.arenas.agentic.importers.qwen_code import QwenCode
from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import events_of, head_of, read_one, written

QWEN = QwenCode()
SESSION = "5d480f37-0000-4000-8000-000000000001"
COUNTED = {
    "promptTokenCount": 110,
    "candidatesTokenCount": 9,
    "thoughtsTokenCount": 4,
    "cachedContentTokenCount": 100,
    "totalTokenCount": 119,
}
CALL = {"id": "call_000000000000001", "name": "run_shell_command", "args": {"command": "ls"}}


def row(kind, number, **more):
    moment = f"2026-01-01T10:00:{number:02}.000Z"
    facts = {"sessionId": SESSION, "timestamp": moment, "cwd": "/work", "version": "0.15.10"}
    return {"uuid": f"{number:08}-0000-4000-8000-000000000000", "type": kind} | facts | more


def measured(number, **more):
    event = {"event.name": "qwen-code.api_response", "duration_ms": 1500} | more
    return row("system", number, subtype="ui_telemetry", systemPayload={"uiEvent": event})


def said(number, *parts, counted=COUNTED):
    message = {"role": "model", "parts": list(parts)}
    return row("assistant", number, model="qwen3-coder", message=message, usageMetadata=counted)


ASKED = row("user", 1, message={"role": "user", "parts": [{"text": "What is here?"}]})
DONE = row(
    "tool_result",
    4,
    message={"parts": [{"functionResponse": {"id": CALL["id"], "response": {"output": "no"}}}]},
    toolCallResult={"callId": CALL["id"], "status": "error"},
)
ROWS = [
    ASKED,
    measured(2, response_id="chatcmpl-000000000001"),
    said(3, {"text": "Hm.", "thought": True}, {"functionCall": CALL}),
    DONE,
    said(5, {"text": "Nothing."}),
]


def chat(folder, *rows):
    return written(folder / "chat.jsonl", rows or ROWS)


def lines(*parts):
    begun = {"type": "system", "subtype": "init", "model": "qwen3-coder", "cwd": "/work",
             "session_id": SESSION, "qwen_code_version": "0.15.10"}  # fmt: skip
    return [begun, *({"session_id": SESSION} | part for part in parts)]


def printed(number, used, *content):
    name = f"{number:08}-1111-4000-8000-000000000000"
    message = {"id": name, "role": "assistant", "model": "qwen3-coder", "usage": used}
    return {"type": "assistant", "uuid": name, "message": message | {"content": list(content)}}


NOTHING = {"input_tokens": 0, "output_tokens": 0}
USED = {"input_tokens": 110, "output_tokens": 9, "cache_read_input_tokens": 100}
TEXT = {"type": "text", "text": "Listing."}
USE = {"type": "tool_use", "id": CALL["id"], "name": CALL["name"], "input": CALL["args"]}


def test_a_chat_has_tokens_calls_and_prompts(tmp_path):
    path = chat(tmp_path)
    found = read_one(QWEN, path)
    usage = found.usage
    assert (usage.input_uncached, usage.cache_read, usage.output, usage.reasoning) == (
        20,
        200,
        18,
        8,
    )
    assert (found.llm_calls, found.tool_calls, found.tool_errors, found.iterations) == (2, 1, 1, 1)
    assert found.system.harness == "qwen-code"
    assert found.time.llm_s == 1.5
    texts = [it.text for it in events_of(QWEN, path) if isinstance(it, LlmCall)]
    assert texts == [None, "Nothing."]


def test_a_request_without_a_row_of_its_own_counts(tmp_path):
    hidden = measured(
        6, response_id="chatcmpl-000000000009", input_token_count=50, output_token_count=5
    )
    found = read_one(QWEN, chat(tmp_path, *ROWS, hidden))
    assert (found.llm_calls, found.total_tokens) == (3, 238 + 55)


def test_thoughts_beside_the_answer_are_added_to_it(tmp_path):
    beside = COUNTED | {"totalTokenCount": 123}
    found = read_one(QWEN, chat(tmp_path, ASKED, said(3, {"text": "So."}, counted=beside)))
    assert (found.usage.output, found.usage.reasoning) == (13, 4)


def test_an_answer_that_is_printed_in_pieces_is_one(tmp_path):
    end = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 2_000}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": ""}
    pieces = printed(3, NOTHING, thought), printed(1, NOTHING, TEXT), printed(2, USED, USE)
    rows = lines(*pieces, end)
    path = written(tmp_path / "print.out", rows)
    found = read_one(QWEN, path)
    assert (found.llm_calls, found.total_tokens, found.tool_calls) == (1, 119, 1)
    assert (found.iterations, found.time.wall_s) == (1, 2.0)
    assert found.outcome.status is Status.COMPLETED
    (call,) = (it for it in events_of(QWEN, path) if isinstance(it, LlmCall))
    assert (call.text, call.reasoning) == ("Listing.", "Hm.")


def test_neither_form_is_taken_for_claude_codes(tmp_path):
    forms = chat(tmp_path), written(tmp_path / "print.out", lines(printed(2, USED, USE)))
    for path in forms:
        assert QWEN.sniff(head_of(path)) > 0.5
        assert ClaudeCode().sniff(head_of(path)) == 0
    (found,) = import_logs(forms, dry_run=True).submissions
    assert (found.system.harness, found.total_tokens) == ("qwen-code", 238)


def test_what_the_model_thought_stands_beside_its_answer(tmp_path):
    path = chat(tmp_path)
    answers = [it for it in events_of(QWEN, path) if isinstance(it, LlmCall)]
    assert [(it.text, it.reasoning) for it in answers] == [(None, "Hm."), ("Nothing.", None)]
    assert "Hm." not in repr(events_of(QWEN, path, drop_content=True))

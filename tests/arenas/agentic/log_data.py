"""Small logs that several tests read."""

import json
from pathlib import Path

SESSION = "0a1b2c3d-0000-4000-8000-000000000001"


def write_claude_log(path: Path) -> Path:
    """A session of Claude Code: a prompt, an answer with two calls, an answer."""
    head = {"sessionId": SESSION, "version": "2.1.38", "cwd": "/work"}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 900, "output_tokens": 40}
    said = {
        "id": "msg_00000000000000000001", "role": "assistant", "model": "claude-sonnet-4-5",
        "usage": usage,
    }  # fmt: skip
    look = {"type": "tool_use", "id": "toolu_000000000000001", "name": "Bash",
            "input": {"command": "ls"}}  # fmt: skip
    again = look | {"id": "toolu_000000000000002"}
    done = {"type": "tool_result", "tool_use_id": look["id"], "content": "a.py"}
    failed = done | {"tool_use_id": again["id"], "content": "no such file", "is_error": True}
    rows = [
        {"type": "user", "uuid": "u1", "timestamp": "2026-02-10T12:00:00Z",
         "message": {"role": "user", "content": "What is here?"}},
        {"type": "assistant", "uuid": "a1", "timestamp": "2026-02-10T12:00:03Z",
         "message": said | {"content": [{"type": "text", "text": "Let me look."}]}},
        {"type": "assistant", "uuid": "a2", "timestamp": "2026-02-10T12:00:04Z",
         "message": said | {"content": [look, again]}},
        {"type": "user", "uuid": "u2", "timestamp": "2026-02-10T12:00:06Z",
         "message": {"role": "user", "content": [done, failed]}},
        {"type": "assistant", "uuid": "a3", "timestamp": "2026-02-10T12:00:09Z",
         "message": said | {"id": "msg_00000000000000000002",
                            "content": [{"type": "text", "text": "One file, a.py."}]}},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(head | row) + "\n" for row in rows))
    return path

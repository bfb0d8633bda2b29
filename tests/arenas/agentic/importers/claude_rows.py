"""Rows of Claude Code's logs, as small as they can be."""

SESSION = "11111111-2222-4333-8444-555555555555"


def at(second):
    return f"2026-03-01T10:{second // 60:02d}:{second % 60:02d}.000Z"


def row(kind, second=0, **fields):
    return {
        "type": kind,
        "sessionId": SESSION,
        "uuid": f"row-of-{kind}-{second}-{len(str(fields))}",
        "version": "2.1.50",
        "cwd": "/home/ada/project",
        "timestamp": at(second),
        **fields,
    }


def usage(new=3, output=5, read=100, write=20, hour=None):
    counted = {
        "input_tokens": new,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }
    if hour is not None:
        counted["cache_creation"] = {
            "ephemeral_5m_input_tokens": write - hour,
            "ephemeral_1h_input_tokens": hour,
        }
    return counted


def answer(id="msg_1", second=0, *, content=(), model="claude-opus-4-6", used=None, **fields):  # noqa: A002
    message = {
        "id": id,
        "role": "assistant",
        "model": model,
        "usage": usage() if used is None else used,
        "content": list(content) or [{"type": "text", "text": "Well."}],
    }
    return row("assistant", second, message=message, requestId=f"req_{id}", **fields)


def call(id, name="Bash", **given):  # noqa: A002
    return {"type": "tool_use", "id": id, "name": name, "input": given or {"command": "ls"}}


def result(id, second=0, *, outcome=None, **block):  # noqa: A002
    content = [{"type": "tool_result", "tool_use_id": id, "content": "done", **block}]
    fields = {} if outcome is None else {"toolUseResult": outcome}
    return row("user", second, message={"role": "user", "content": content}, **fields)


def prompt(text, second=0, **fields):
    return row("user", second, message={"role": "user", "content": text}, **fields)


def progress(agent, inner, second=0, *, call_id="toolu_task"):
    data = {"type": "agent_progress", "agentId": agent, "message": inner, "prompt": "Do it."}
    return row("progress", second, data=data, isSidechain=False, parentToolUseID=call_id)

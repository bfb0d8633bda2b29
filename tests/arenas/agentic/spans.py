"""Sessions of Claude Code whose answers lie at chosen times."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

MODEL = "claude-sonnet-4-5"


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def answer_row(
    session: str, number: int, when: float, *, output: int = 1_000, model: str = MODEL, **more: Any
) -> dict[str, Any]:
    """A row of an answer; ``more`` are further fields of the row."""
    return {
        "type": "assistant", "uuid": f"u-{session}-{number}", "sessionId": session,
        "version": "2.1.197", "timestamp": iso(when),
        "message": {
            "id": f"msg_{session[:8]}_{number:016}", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": f"answer {number}"}],
            "usage": {
                "input_tokens": 10, "cache_read_input_tokens": 2_000,
                "cache_creation_input_tokens": 300, "output_tokens": output,
            },
        },
    } | more  # fmt: skip


def write_session(
    projects: Path,
    session: str,
    times: Iterable[float],
    *,
    project: str = "/home/ada/shop",
    **more: Any,
) -> Path:
    """The log of a session with an answer at each time."""
    rows = [answer_row(session, n, when, cwd=project, **more) for n, when in enumerate(times)]
    return write_rows(projects / project.replace("/", "-") / f"{session}.jsonl", rows)


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    return path

"""Reading agent logs: megabytes a second of one core, and memory, over a made-up session.

The session is one of Claude Code's, in the mix of rows that real ones have: most are progress,
answers come block by block, results of tools stand in a row twice. It is made anew in a temporary
folder. Limits of the same run: counting its lines, and decoding each line into plain data. What is
held in memory of a log are some numbers for each answer and call, so that none counts twice.
"""

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
from figures import Figure, against, arguments, at_least, show
from process import Took, bytecode, took

IMPORT = (
    "import sys;from benchmaker.arenas.agentic import import_logs;"
    "d=import_logs(sys.argv[1],dry_run=True,drop_content=sys.argv[2]=='numbers');"
    "print(d.skipped,sum(it.total_tokens or 0 for it in d.submissions))"
)
COUNT = "import sys;print(sum(1 for _ in open(sys.argv[1],'rb')))"
DECODE = (
    "import sys,msgspec;decode=msgspec.json.Decoder().decode\n"
    "for line in open(sys.argv[1],'rb'): decode(line)"
)
SESSION = "7d444840-9dc0-4c6b-b0d3-1a2b3c4d5e6f"
MIB = 2**20


def row(kind: str, number: int, **fields: object) -> dict[str, object]:
    """A row with what every row has."""
    hour, minute, second = number // 3600 % 24, number // 60 % 60, number % 60
    day = number // 86_400 % 28 + 1
    return {
        "parentUuid": f"{number - 1:08x}-0000-4000-8000-000000000000",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ada/project",
        "sessionId": SESSION,
        "version": "2.1.39",
        "gitBranch": "main",
        "type": kind,
        "uuid": f"{number:08x}-0000-4000-8000-000000000000",
        "timestamp": f"2026-02-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z",
        **fields,
    }


def exchange(number: int, text: str) -> Iterator[dict[str, object]]:
    """One answer with a call: two rows of the answer, six of progress, one of the result."""
    call = f"toolu_{number:024}"
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 1_200,
        "cache_read_input_tokens": 40_000 + number % 100_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 1_200},
        "output_tokens": 40,
        "service_tier": "standard",
    }
    for block, tokens in (
        ({"type": "text", "text": text[:400]}, 40),
        (
            {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": text[:200]}},
            180,
        ),
    ):
        message = {
            "model": "claude-opus-4-6",
            "id": f"msg_{number:024}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "usage": usage | {"output_tokens": tokens},
        }
        yield row("assistant", number, message=message, requestId=f"req_{number:024}")
    for step in range(6):
        data = {
            "type": "bash_progress",
            "output": text[step * 100 : step * 100 + 900],
            "fullOutput": text[:900],
            "elapsedTimeSeconds": step,
        }
        yield row("progress", number, data=data, toolUseID=f"bash-{step}", parentToolUseID=call)
    result = {"tool_use_id": call, "type": "tool_result", "content": text, "is_error": False}
    outcome = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    message = {"role": "user", "content": [result]}
    yield row("user", number, message=message, toolUseResult=outcome)


def write(path: Path, megabytes: int) -> int:
    """A session of about that size; returns how many answers it has."""
    rng = random.Random(7)  # noqa: S311  not a secret
    words = ["def", "return", "the", "tests", "pass", '"value"', "\n    ", "src/module.py", "0x1f"]
    texts = [" ".join(rng.choices(words, k=300)) for _ in range(50)]
    encode, written, number = msgspec.json.Encoder().encode, 0, 0
    with path.open("wb") as file:
        while written < megabytes * MIB:
            number += 1
            for it in exchange(number, texts[number % len(texts)]):
                written += file.write(encode(it) + b"\n")
    return number


def main() -> None:
    given = arguments(__doc__, megabytes=2_000, small=200)
    with tempfile.TemporaryDirectory() as name:
        path, small = Path(name) / f"{SESSION}.jsonl", Path(name) / "small" / f"{SESSION}.jsonl"
        tiny = Path(name) / "tiny" / f"{SESSION}.jsonl"
        for folder in (small.parent, tiny.parent):
            folder.mkdir()
        few, many = write(small, given.small), write(path, given.megabytes)
        size, small_size = (it.stat().st_size / 1e6 for it in (path, small))

        def run(code: str, file: Path, *more: str) -> Took:
            command = [sys.executable, "-c", code, str(file), *more]
            return took(command, environment=bytecode())

        write(tiny, 1)
        run(IMPORT, tiny, "content")
        lines, plain = run(COUNT, path), run(DECODE, path)
        first, whole = run(IMPORT, small, "numbers"), run(IMPORT, path, "numbers")
        content = run(IMPORT, small, "content")
    grown = (whole.peak_mb - first.peak_mb) * MIB / (many - few)
    figures = [
        Figure("counting the lines", size / lines.cpu_s, "MB/s"),
        Figure("decoding each line into plain data", size / plain.cpu_s, "MB/s"),
        at_least(f"import of {size:,.0f} MB without content", size / whole.cpu_s, 100, "MB/s"),
        against("the same in time", whole.cpu_s, plain.cpu_s, unit="s", name="decoding"),
        Figure(
            f"import of {small_size:,.0f} MB with content and its scan for keys",
            small_size / content.cpu_s,
            "MB/s",
        ),
        against(
            f"peak memory at {size:,.0f} MB",
            whole.peak_mb,
            first.peak_mb,
            unit="MB",
            name=f"{small_size:,.0f} MB",
            bar=1.3,
        ),
        Figure("memory for each answer with its call", grown, "bytes"),
    ]
    show("python benchmarks/agent_logs.py", figures)


if __name__ == "__main__":
    main()

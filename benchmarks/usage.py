"""``benchmaker usage`` beside ccusage over the same folder: time, memory, and whether totals agree.

``python benchmarks/usage.py FOLDER`` installs ccusage from npm into FOLDER on the first call, and
writes sessions of Claude Code for it to read. ccusage reads everything at each call. Ours takes in
what is new: the first call all of it, the second nothing, the third one session that has grown. The
status line of both is asked twice, after the index was made. Both price offline.
"""

import argparse
import json
import math
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ccusage import VERSION, program_in
from process import Took, bytecode, took

START = 1_772_323_200
"""2026-03-01 in UTC."""

DAYS = 28
ANSWERS = 60
GOES_ON, PAUSE_S = 0.97, 40_000
HELP = 2.0
"""So many times the cost of ``--help`` the status line may take."""

BENCHMAKER = (sys.executable, "-m", "benchmaker")


@dataclass(frozen=True, slots=True)
class Call:
    """One measured call."""

    name: str
    took: Took


def row(session: str, number: int, at: float, rng: random.Random) -> dict[str, object]:
    """A row of an answer, with some text as real ones have."""
    moment = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
    model = rng.choice(("claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"))
    return {
        "type": "assistant", "uuid": f"{session}-{number}", "sessionId": session,
        "requestId": f"req_{session[:8]}_{number:08}", "cwd": "/home/ada/shop",
        "version": "2.1.197", "timestamp": moment,
        "message": {
            "id": f"msg_{session[:8]}_{number:016}", "type": "message", "role": "assistant",
            "model": model, "content": [{"type": "text", "text": "word " * rng.randint(20, 400)}],
            "usage": {
                "input_tokens": rng.randint(1, 50), "output_tokens": rng.randint(10, 3_000),
                "cache_read_input_tokens": rng.randint(0, 150_000),
                "cache_creation_input_tokens": rng.randint(0, 5_000),
            },
        },
    }  # fmt: skip


def line(data: dict[str, object]) -> str:
    """A row as Claude Code writes it: without blanks, which ccusage relies on."""
    return json.dumps(data, separators=(",", ":")) + "\n"


def write_logs(home: Path, megabytes: int) -> tuple[Path, int]:
    """Sessions over four weeks, some of them over several days; the last one, and all bytes."""
    rng = random.Random(11)  # noqa: S311  not a secret
    size, number = 0, 0
    while size < megabytes * 2**20:
        session = f"{number:08x}-0000-4000-8000-{number:012x}"
        path = home / ".claude" / "projects" / f"-home-ada-{number % 9}" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        at = START + rng.random() * (DAYS - 3) * 86_400
        with path.open("w") as stream:
            for answer in range(ANSWERS):
                at += rng.expovariate(1 / 120) if rng.random() < GOES_ON else PAUSE_S
                stream.write(line(row(session, answer, at, rng)))
        size += path.stat().st_size
        number += 1
    return path, size


def measured(program: Path, home: Path, last: Path) -> Iterator[Call]:
    """Every call, one after the other."""
    variables = {"HOME": str(home), "BENCHMAKER_HOME": str(home / "data"), "TZ": "UTC"}
    variables |= bytecode()
    for name in ("CLAUDE_CONFIG_DIR", "BENCHMAKER_LOGS", "XDG_CONFIG_HOME"):
        os.environ.pop(name, None)
    theirs = (str(program), "daily", "--json", "--offline")
    ours = (*BENCHMAKER, "usage", "--json", "--utc")

    def call(name: str, *command: str) -> Call:
        return Call(name, took(command, environment=variables, quiet=True))

    with tempfile.TemporaryDirectory() as other:
        write_logs(Path(other), 1)
        warm = variables | {"HOME": other, "BENCHMAKER_HOME": f"{other}/data"}
        took(ours, environment=warm, quiet=True)
    yield call("ccusage daily", *theirs)
    yield call("usage, first call", *ours)
    yield call("usage, nothing new", *ours)
    with last.open("a") as stream:
        more = row(last.stem, ANSWERS, START + DAYS * 86_400, random.Random(12))  # noqa: S311  not a secret
        stream.write(line(more))
    yield call("usage, one session grown", *ours)
    yield call("ccusage daily, after that", *theirs)
    yield call("--help", *BENCHMAKER, "--help")
    call("", *BENCHMAKER, "usage", "statusline")
    yield call("usage statusline", *BENCHMAKER, "usage", "statusline")


def days_of_ccusage(said: str) -> dict[str, tuple[int, float]]:
    """Tokens and dollars by day."""
    rows = json.loads(said)["daily"]
    return {row["period" if "period" in row else "date"]: _of_theirs(row) for row in rows}


def _of_theirs(row: dict[str, float]) -> tuple[int, float]:
    return int(row["totalTokens"]), row["totalCost"]


def days_of_ours(said: str) -> dict[str, tuple[int, float]]:
    """The same of ours."""
    rows = json.loads(said)["rows"]
    return {row["key"]: (row["total_tokens"], row["cost_usd"]) for row in rows}


def differing(
    theirs: dict[str, tuple[int, float]], ours: dict[str, tuple[int, float]]
) -> list[str]:
    """The days on which tokens or dollars differ."""
    return [
        day
        for day in sorted(theirs.keys() | ours.keys())
        if theirs.get(day, (0, 0.0))[0] != ours.get(day, (0, 0.0))[0]
        or not math.isclose(theirs[day][1], ours[day][1], rel_tol=1e-6, abs_tol=1e-6)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where ccusage is installed")
    parser.add_argument("--megabytes", type=int, default=100)
    given = parser.parse_args()
    program = program_in(given.folder.resolve())
    with tempfile.TemporaryDirectory() as scratch:
        last, size = write_logs(Path(scratch), given.megabytes)
        calls = list(measured(program, Path(scratch), last))
    said = {it.name: it.took for it in calls}
    print(f"`python benchmarks/usage.py` · ccusage {VERSION} · {size / 2**20:,.0f} MB of logs\n")
    print("| call | wall | processor | peak memory |\n|---|--:|--:|--:|")
    for call in calls:
        it = call.took
        print(f"| {call.name} | {it.wall_s:.2f} s | {it.cpu_s:.2f} s | {it.peak_mb:,.0f} MB |")
    theirs = days_of_ccusage(said["ccusage daily, after that"].said)
    ours = days_of_ours(said["usage, one session grown"].said)
    wrong = differing(theirs, ours)
    print(f"\n{len(ours)} days; tokens and dollars differ on {', '.join(wrong) or 'none'}.")
    ratio = said["usage statusline"].cpu_s / said["--help"].cpu_s
    print(f"The status line costs {ratio:.2f} × --help; the bar is {HELP:.0f} ×.")


if __name__ == "__main__":
    main()

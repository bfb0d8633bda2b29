"""The totals of ccusage beside ours, over the same logs: what differs, and what both take.

``python benchmarks/ccusage.py FOLDER LOGS`` installs ccusage from npm into FOLDER on the first
call, in the version that stands here, and reads the samples below LOGS. Each is laid where ccusage
looks for it; both price offline, from the prices in their packages. ``--days LOGS`` names a folder
with the sessions of several tools over several days, which ``usage`` and ccusage sum up by day;
over all of them together the time and the memory of both commands are measured.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from process import Took, bytecode, took

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.sessions.stored_usage import usage

VERSION = "20.0.24"
KINDS = ("input", "cache read", "cache write", "output", "total", "dollars")
HOMES = {
    "claude": ".claude/projects/project",
    "codex": ".codex/sessions/2026/02/23",
    "gemini": ".gemini/tmp/project/chats",
    "copilot": ".copilot/session-state/session",
    "grok": ".grok/sessions/project/session",
}
SAMPLES = (
    ("claude", "claude_code/short.jsonl", ""),
    ("claude", "claude_code/tool_heavy.jsonl", ""),
    ("claude", "claude_code/subagent.jsonl", ""),
    ("claude", "claude_code/ccusage_fixture_alpha.jsonl", ""),
    ("codex", "codex_cli/rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9.jsonl",
     ""),
    ("codex", "codex_cli/rollout-2026-02-23T13-19-38-019c8a70-dda7-7f33-98ea-f30553347322.jsonl",
     ""),
    ("gemini", "gemini_cli/vct_gemini.jsonl", "session-2026-01-01-a.jsonl"),
    ("copilot", "copilot_cli/vct_copilot.jsonl", "events.jsonl"),
    ("grok", "grok_cli/updates.jsonl", "updates.jsonl"),
)  # fmt: skip
"""The tool, its log, and the name that it has to have; the same where none is given."""

FOLDERS = (
    ("claude", "claude_code/projects", ".claude/projects"),
    ("codex", "codex_cli/sessions", ".codex/sessions"),
    ("gemini", "gemini_cli/tmp", ".gemini/tmp"),
    ("qwen", "qwen_code/projects", ".qwen/projects"),
    ("opencode", "opencode", ".local/share/opencode"),
)
"""The tool, its sessions below the folder of ``--days``, and the place where ccusage looks."""


@dataclass(frozen=True, slots=True)
class Line:
    """What both say of one sample, by kind."""

    name: str
    theirs: dict[str, float]
    ours: dict[str, float]

    @property
    def differing(self) -> list[str]:
        """The kinds in which they differ by more than rounding."""
        return [
            kind
            for kind in KINDS
            if not math.isclose(self.theirs[kind], self.ours[kind], rel_tol=1e-6, abs_tol=1e-9)
        ]


def program_in(folder: Path) -> Path:
    """The program of ccusage, installed unless it is there."""
    program = folder / "node_modules" / ".bin" / "ccusage"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-save", "--prefix", str(folder), f"ccusage@{VERSION}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return program


def theirs(program: Path, tool: str, home: Path) -> dict[str, float]:
    """The totals of ccusage for the logs below a home."""
    return _figures(_said(program, tool, "session", home).get("totals") or {})


def their_days(program: Path, tool: str, home: Path) -> dict[str, dict[str, float]]:
    """The sums of ccusage by day in UTC."""
    rows = _said(program, tool, "daily", home, "--timezone", "UTC")["daily"]
    return {row["date"]: _figures(row) for row in rows}


def _said(program: Path, tool: str, view: str, home: Path, *words: str) -> dict[str, Any]:
    said = subprocess.run(
        [program, tool, view, "--json", "--offline", *words],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    data: dict[str, Any] = json.loads(said)
    return data


def _figures(totals: dict[str, Any]) -> dict[str, float]:
    return {
        "input": totals.get("inputTokens", 0),
        "cache read": totals.get("cacheReadTokens", 0),
        "cache write": totals.get("cacheCreationTokens", 0),
        "output": totals.get("outputTokens", 0),
        "total": totals.get("totalTokens", 0),
        "dollars": totals.get("totalCost", totals.get("costUSD", 0)),
    }


def ours(home: Path) -> dict[str, float]:
    """Our totals for the same."""
    found = import_logs(home, dry_run=True, home=home / "none").submissions
    usages = [it.usage for it in found]
    return {
        "input": sum(it.input_uncached or 0 for it in usages),
        "cache read": sum(it.cache_read or 0 for it in usages),
        "cache write": sum((it.cache_write_5m or 0) + (it.cache_write_1h or 0) for it in usages),
        "output": sum(it.output or 0 for it in usages),
        "total": sum(it.total_tokens or 0 for it in found),
        "dollars": math.fsum(it.cost.usd or 0 for it in found),
    }


def our_days(home: Path) -> dict[str, dict[str, float]]:
    """The sums of ``usage`` by day in UTC."""
    import_logs(home, home=home / "data")
    rows = usage(by="day", zone=UTC, home=home / "data").rows
    return {
        row.key: {
            "input": row.usage.input_uncached or 0,
            "cache read": row.usage.cache_read or 0,
            "cache write": (row.usage.cache_write_5m or 0) + (row.usage.cache_write_1h or 0),
            "output": row.usage.output or 0,
            "total": row.total_tokens or 0,
            "dollars": row.cost_usd or 0,
        }
        for row in rows
    }


def compared_days(program: Path, logs: Path) -> Iterator[Line]:
    """Tool by tool and day by day."""
    for tool, folder, target in FOLDERS:
        with tempfile.TemporaryDirectory() as scratch:
            home = Path(scratch)
            shutil.copytree(logs / folder, home / target)
            found, known = their_days(program, tool, home), our_days(home)
            for day in sorted({*found, *known}):
                nothing = dict.fromkeys(KINDS, 0.0)
                yield Line(f"{tool}, {day}", found.get(day, nothing), known.get(day, nothing))


def compared(program: Path, logs: Path) -> Iterator[Line]:
    """Sample by sample."""
    for tool, name, named in SAMPLES:
        with tempfile.TemporaryDirectory() as scratch:
            home = Path(scratch)
            target = home / HOMES[tool] / (named or Path(name).name)
            target.parent.mkdir(parents=True)
            shutil.copy(logs / name, target)
            yield Line(name, theirs(program, tool, home), ours(home))


def measured(program: Path, logs: Path) -> Iterator[tuple[str, Took]]:
    """Both commands over the sessions of all tools, in processes of their own."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for _, folder, target in FOLDERS:
            shutil.copytree(logs / folder, home / target)
        variables = {"HOME": scratch, "BENCHMAKER_HOME": str(home / "data"), "TZ": "UTC"}
        variables |= bytecode()
        theirs = (str(program), "daily", "--json", "--offline")
        ours = (sys.executable, "-m", "benchmaker", "usage", "--json", "--utc")
        warm = variables | {"BENCHMAKER_HOME": str(home / "other")}
        took(ours, environment=warm, quiet=True)
        for name, command in (
            ("ccusage daily", theirs),
            ("usage, first call", ours),
            ("usage, nothing new", ours),
        ):
            yield name, took(command, environment=variables, quiet=True)


def _show_taken(taken: Iterator[tuple[str, Took]]) -> None:
    print("\n| command | processor | peak memory |\n|---|--:|--:|")
    for name, it in taken:
        print(f"| {name} | {it.cpu_s:.2f} s | {it.peak_mb:,.0f} MB |", flush=True)


def _show(lines: list[Line]) -> None:
    print(f"`python benchmarks/ccusage.py` · ccusage {VERSION}\n")
    print("| log | figure | ccusage | Benchmaker |\n|---|---|--:|--:|")
    for line in lines:
        for kind in line.differing or ["total"]:
            form = "{:.6f}" if kind == "dollars" else "{:,}"
            what = kind if line.differing else "all six the same; total"
            both = (form.format(side[kind]) for side in (line.theirs, line.ours))
            print(f"| {line.name} | {what} | {' | '.join(both)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where ccusage is installed")
    parser.add_argument("logs", type=Path, help="the folder with the samples")
    parser.add_argument("--days", type=Path, metavar="LOGS", help="sessions over several days")
    given = parser.parse_args()
    program = program_in(given.folder.resolve())
    _show(
        [
            *compared(program, given.logs),
            *(compared_days(program, given.days) if given.days else ()),
        ]
    )
    if given.days:
        _show_taken(measured(program, given.days))


if __name__ == "__main__":
    main()

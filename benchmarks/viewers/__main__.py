"""Five tasks in the pages of Benchmaker, promptfoo and Inspect: clicks and bytes, on the same data.

    python -m benchmarks.viewers [--promptfoo PROGRAM] [--inspect PYTHON] [--only TASK] [--json]

Two runs of 40 cases with three setups are made with each tool: Benchmaker queries a model server
of this process, promptfoo and Inspect replay the same answers. Every task begins at the viewer's
first page in a fresh browser profile; sharing begins at the view to share. A click, a key press
that does something, and a typed field count 1 each. Scrolling and reading count nothing. Bytes are
the bodies of all responses as transferred, the first page included. Without ``--promptfoo`` (its
program) or ``--inspect`` (a Python that has inspect_ai), that column is left out.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmaker.arenas.code.probe import find_browser
from benchmarks.viewers import inspect_logs, ours, promptfoo_evals

LIGHTEST = "chromium-headless-shell"

WORDS = {
    "worse": "three cases that got worse between two runs",
    "why": "why a case failed",
    "cheapest": "the cheapest setup within 2 points of the best",
    "share": "share this view by link",
    "repeat": "repeat the failures",
}


@dataclass(frozen=True, slots=True)
class Line:
    """What a task took in a viewer; ``acts`` is None if the viewer cannot do it."""

    tool: str
    task: str
    acts: int | None = None
    transferred: int | None = None
    note: str = ""


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--promptfoo", type=Path, help="its program")
    parser.add_argument("--inspect", type=Path, help="a Python with inspect_ai")
    parser.add_argument("--only", choices=WORDS, action="append", default=[], help="this task")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    given = parser.parse_args()
    tools = [(ours, None)]
    tools += [(promptfoo_evals, given.promptfoo)] if given.promptfoo else []
    tools += [(inspect_logs, given.inspect)] if given.inspect else []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=shutil.which(LIGHTEST) or find_browser(), args=as_root
        )
        lines = [
            line
            for tool, program in tools
            for line in _lines(tool, program, browser, Path(name), given.only or list(WORDS))
        ]
        browser.close()
    if given.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
    else:
        print("\n".join(_table(lines)))


def _lines(tool, program, browser: Browser, folder: Path, tasks: list[str]) -> Iterator[Line]:
    place = folder / tool.NAME
    place.mkdir()
    with tool.viewer(browser, place, program) as viewer:
        for task in tasks:
            print(f"{tool.NAME}: {task}", file=sys.stderr, flush=True)
            do = tool.TASKS.get(task)
            if do is None:
                yield Line(tool.NAME, task, note=tool.MISSING[task])
                continue
            with do(viewer) as tab:
                line = Line(tool.NAME, task, tab.acts, tab.transferred(), tool.NOTES.get(task, ""))
            print(_cell(line), file=sys.stderr, flush=True)
            yield line


def _table(lines: list[Line]) -> Iterator[str]:
    tools = list(dict.fromkeys(line.tool for line in lines))
    found = {(line.tool, line.task): line for line in lines}
    yield f"| task | {' | '.join(tools)} |"
    yield f"|---|{'---|' * len(tools)}"
    for task in dict.fromkeys(line.task for line in lines):
        yield f"| {WORDS[task]} | {' | '.join(_cell(found[tool, task]) for tool in tools)} |"


def _cell(line: Line) -> str:
    if line.acts is None:
        return f"none: {line.note}"
    note = f" ({line.note})" if line.note else ""
    return f"{line.acts}, {line.transferred / 1_000:,.0f} kB{note}"


if __name__ == "__main__":
    main()

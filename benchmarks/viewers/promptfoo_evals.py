"""promptfoo's viewer: two evals of the workload, and the tasks that it can do."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.viewers import workload
from benchmarks.viewers.counting import Tab, free_port, opened, until_open

NAME = "promptfoo"
NOTES = {
    "worse": "40 rows of six columns, compared by eye",
    "share": "address bar",
}
MISSING = {"repeat": "not measured"}
PROVIDER = """
const fs = require('fs');
module.exports = class {
  constructor(options) { this.given = options.config; }
  id() { return this.given.model; }
  async callApi(prompt) {
    const output = JSON.parse(fs.readFileSync(this.given.answers))[prompt];
    const tokenUsage = {total: 70, prompt: 30, completion: 40};
    return {output, cost: this.given.usd, tokenUsage};
  }
};
"""
"""A provider that replays the answers of a file."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """The address of ``promptfoo view`` over the evals."""

    address: str
    browser: Browser

    def tab(self):
        """A tab with an empty cache at the first page, which is the newest eval."""
        return opened(self.browser, self.address)


@contextmanager
def viewer(browser: Browser, folder: Path, program: Path) -> Iterator[Viewer]:
    """Run the evals, then serve them until the end of the block."""
    switches = ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")
    env = {
        **os.environ,
        **{f"PROMPTFOO_DISABLE_{it}": "1" for it in switches},
        "PROMPTFOO_CONFIG_DIR": str(folder / "config"),
    }
    (folder / "config").mkdir()
    (folder / "recorded.js").write_text(PROVIDER)
    for run in workload.RUNS:
        config = _write_config(folder, run)
        command = [str(program), "eval", "--config", str(config), "--no-cache", "--no-table"]
        # It ends with 100 where an assertion fails.
        subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True)
    port = free_port()
    serve = [str(program), "view", "--no", "--port", str(port)]
    with subprocess.Popen(serve, cwd=folder, env=env, stdout=subprocess.DEVNULL) as process:
        try:
            until_open(port)
            yield Viewer(f"http://127.0.0.1:{port}/", browser)
        finally:
            process.terminate()


@contextmanager
def three_worse(viewer: Viewer) -> Iterator[Tab]:
    """Eval actions, Compare with another eval, the older one: six columns."""
    with viewer.tab() as tab:
        _compare(tab)
        yield tab


@contextmanager
def why_failed(viewer: Viewer) -> Iterator[Tab]:
    """Nothing: the reason is in the cell."""
    with viewer.tab() as tab:
        tab.shows('Expected output to contain " 154."')
        yield tab


@contextmanager
def cheapest(viewer: Viewer) -> Iterator[Tab]:
    """Nothing: the heads of the columns have the shares of passes and the costs."""
    with viewer.tab() as tab:
        tab.shows("92.50%", "$0.04", "$0.24")
        yield tab


@contextmanager
def share(viewer: Viewer) -> Iterator[Tab]:
    """The comparison: its address is copied from the address bar, by two key presses."""
    with viewer.tab() as tab:
        _compare(tab)
        tab.forget()
        tab.press("Control+L")
        tab.press("Control+C")
        yield tab


TASKS = {"worse": three_worse, "why": why_failed, "cheapest": cheapest, "share": share}


def _compare(tab: Tab) -> None:
    tab.click(tab.page.get_by_role("button", name=re.compile("Eval actions")))
    tab.click(tab.page.get_by_role("menuitem", name=re.compile("Compare")))
    tab.click(tab.page.get_by_role("dialog").get_by_text("before", exact=True))
    tab.shows("80.00%", "75.00%")


def _write_config(folder: Path, run: str) -> Path:
    config = {
        "description": run,
        "prompts": ["{{question}}"],
        "providers": [_provider(folder, run, model) for model in workload.USD],
        "tests": [
            {
                "description": it.id,
                "vars": {"question": it.question},
                "assert": [{"type": "contains", "value": f" {it.expected}."}],
            }
            for it in workload.SUMS
        ],
    }
    path = folder / f"{run}.config.json"
    path.write_text(json.dumps(config))
    return path


def _provider(folder: Path, run: str, model: str) -> dict:
    answers = folder / f"{run}-{model}.json"
    answers.write_text(json.dumps({it.question: it.answer(run, model) for it in workload.SUMS}))
    given = {"model": model, "answers": str(answers), "usd": workload.USD[model]}
    return {"id": f"file://{folder / 'recorded.js'}", "label": model, "config": given}

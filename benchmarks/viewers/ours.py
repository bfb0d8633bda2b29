"""Benchmaker's pages: two runs of the workload, and the five tasks."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

from playwright.sync_api import Browser

from benchmarks.viewers import workload
from benchmarks.viewers.counting import Tab, opened

NAME = "Benchmaker"
NOTES: dict[str, str] = {}
_SUITE = "name: Cups\nprofile: robust\nscorer: numeric\ncases:\n  file: cases.jsonl\n"
_TOKENS = {"prompt_tokens": 30, "completion_tokens": 40, "total_tokens": 70}


@dataclass(slots=True)
class Viewer:
    """The address of a server over two stored runs, and the session of its visitor."""

    address: str
    browser: Browser
    state: dict = field(default_factory=dict)

    def tab(self):
        """A tab with an empty cache at the first page."""
        return opened(self.browser, self.address, self.state)


@contextmanager
def viewer(browser: Browser, folder: Path, program: None) -> Iterator[Viewer]:  # noqa: ARG001  as its siblings
    """Run the suite twice, then serve the results until the end of the block."""
    with _models() as (url, speaks):
        env = {
            **os.environ,
            "BENCHMAKER_HOME": str(folder / "home"),
            "OPENAI_API_KEY": "sk-of-nobody",
            "OPENAI_BASE_URL": url,
            "PYTHONUNBUFFERED": "1",
        }
        for run in workload.RUNS:
            speaks["run"] = run
            _run(folder, env)
        with _served(env) as link:
            address = link.partition("/?")[0]
            context = browser.new_context()
            context.new_page().goto(link)
            state = context.storage_state()
            context.close()
            yield Viewer(address, browser, state)


@contextmanager
def three_worse(viewer: Viewer) -> Iterator[Tab]:
    """Nothing: Home lists the failed cases of the newest result, the largest losses first."""
    with viewer.tab() as tab:
        rows = tab.page.locator("table.failed tbody tr").all_inner_texts()
        found = [row.split()[0] for row in rows if "before 100.0" in row]
        if sorted(found) != sorted(workload.WORSE):
            raise ValueError(f"the cases that got worse are {found}")
        yield tab


@contextmanager
def why_failed(viewer: Viewer) -> Iterator[Tab]:
    """Nothing: Home has the expected value, the answer and the reason of each of these cases."""
    with viewer.tab() as tab:
        row = tab.page.locator("table.failed tbody tr", has_text="sum-33").inner_text()
        if not all(word in row for word in ("154", "144", "too far off")):
            raise ValueError(f"the row is {row!r}")
        yield tab


@contextmanager
def cheapest(viewer: Viewer) -> Iterator[Tab]:
    """Nothing: Home has the accuracy and the cost of each setup of the newest result."""
    with viewer.tab() as tab:
        newest = tab.page.locator("details.unfold[open]").inner_text()
        if not re.search(r"medium.*92\.5%.*\$0\.04", newest):
            raise ValueError(f"Home has {newest!r}")
        yield tab


@contextmanager
def share(viewer: Viewer) -> Iterator[Tab]:
    """From the changes, Copy link: the clipboard has the address."""
    with viewer.tab() as tab:
        tab.click(tab.page.get_by_role("link", name="Cups", exact=True).first)
        tab.click(tab.page.get_by_role("link", name="Changes", exact=True))
        tab.forget()
        tab.click(tab.page.get_by_role("link", name="Copy link"))
        copied = tab.page.evaluate("navigator.clipboard.readText()")
        if unquote(copied) != unquote(tab.page.url):
            raise ValueError(f"the clipboard has {copied!r}")
        yield tab


@contextmanager
def repeat_failures(viewer: Viewer) -> Iterator[Tab]:
    """Home, Run failed cases, Run Benchmark: a run of these cases begins."""
    with viewer.tab() as tab:
        tab.click(tab.page.get_by_role("link", name="Run failed cases"))
        tab.click(tab.page.get_by_role("button", name="Run Benchmark"))
        tab.page.wait_for_url(re.compile("/arena/[0-9]"))
        yield tab


TASKS = {
    "worse": three_worse,
    "why": why_failed,
    "cheapest": cheapest,
    "share": share,
    "repeat": repeat_failures,
}


def _run(folder: Path, env: Mapping[str, str]) -> None:
    (folder / "suite.yaml").write_text(_SUITE)
    (folder / "cases.jsonl").write_text(
        "".join(
            json.dumps({"id": it.id, "prompt": it.question, "expected": it.expected}) + "\n"
            for it in workload.SUMS
        )
    )
    home = folder / "home"
    home.mkdir(exist_ok=True)
    prices = {
        f"openai/{it}": {"input": 0, "output": usd * 25_000} for it, usd in workload.USD.items()
    }
    (home / "prices.yaml").write_text(json.dumps({"prices": prices}))
    models = [word for it in workload.USD for word in ("--model", f"openai/{it}")]
    command = [sys.executable, "-m", "benchmaker", "run", "suite.yaml", *models, "--no-stream"]
    subprocess.run(command, cwd=folder, env=dict(env), check=True, capture_output=True)


@contextmanager
def _served(env: Mapping[str, str]) -> Iterator[str]:
    """The address of ``benchmaker serve`` with its token."""
    command = [sys.executable, "-m", "benchmaker", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(env), text=True) as process:
        try:
            said = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield json.loads(said)["address"]
        finally:
            process.terminate()


@contextmanager
def _models() -> Iterator[tuple[str, dict[str, str]]]:
    """The models at an address; ``run`` in the second value says which answers they give."""
    speaks = {"run": workload.RUNS[0]}
    by_question = {it.question: it for it in workload.SUMS}

    class Models(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked = by_question[body["messages"][-1]["content"]]
            message = {"role": "assistant", "content": asked.answer(speaks["run"], body["model"])}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = {"model": body["model"], "choices": [choice], "usage": _TOKENS}
            payload = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", speaks
    finally:
        server.shutdown()

"""Inspect's viewer: six logs of the workload, and the tasks that it can do."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator

from benchmarks.viewers import workload
from benchmarks.viewers.counting import Tab, free_port, opened, until_open

NAME = "Inspect"
NOTES = {
    "worse": "two lists of 40 rows, compared by eye",
    "share": "address bar",
}
MISSING = {
    "cheapest": "these logs have no cost",
    "repeat": "not measured",
}
WRITER = Path(__file__).with_name("write_inspect_logs.py")


@dataclass(frozen=True, slots=True)
class Viewer:
    """The address of ``inspect view`` over the logs."""

    address: str
    browser: Browser

    def tab(self):
        """A tab with an empty cache at the first page."""
        return opened(self.browser, self.address)


@contextmanager
def viewer(browser: Browser, folder: Path, python: Path) -> Iterator[Viewer]:
    """Write the logs, then serve them until the end of the block."""
    workload.write_answers(folder / "answers.json")
    command = [str(python), str(WRITER), str(folder / "answers.json"), str(folder / "logs")]
    subprocess.run(command, check=True, capture_output=True)
    port = free_port()
    serve = [str(python.with_name("inspect")), "view", "start", "--log-dir", str(folder / "logs")]
    with subprocess.Popen([*serve, "--port", str(port)], stdout=subprocess.DEVNULL) as process:
        try:
            until_open(port)
            yield Viewer(f"http://127.0.0.1:{port}/", browser)
        finally:
            process.terminate()


@contextmanager
def three_worse(viewer: Viewer) -> Iterator[Tab]:
    """The newer log of the setup, back, the older one: both lists are compared by eye."""
    with viewer.tab() as tab:
        tab.click(_log(tab, "after"))
        tab.shows("sum-00")
        tab.go_back()
        tab.click(_log(tab, "before"))
        tab.shows("sum-00")
        yield tab


@contextmanager
def why_failed(viewer: Viewer) -> Iterator[Tab]:
    """The log, the sample: target, answer and explanation."""
    with viewer.tab() as tab:
        tab.click(_log(tab, "after"))
        tab.click(tab.page.get_by_role("row").filter(has_text="sum-07"))
        tab.shows("Explanation")
        yield tab


@contextmanager
def share(viewer: Viewer) -> Iterator[Tab]:
    """The log is the view: its address is copied from the address bar, by two key presses."""
    with viewer.tab() as tab:
        tab.click(_log(tab, "after"))
        tab.forget()
        tab.press("Control+L")
        tab.press("Control+C")
        yield tab


TASKS = {"worse": three_worse, "why": why_failed, "share": share}


def _log(tab: Tab, run: str) -> Locator:
    """The log of the cheapest setup; the newest logs come first."""
    rows = tab.page.get_by_role("row").filter(has_text="mockllm/mini")
    return rows.first if run == "after" else rows.last

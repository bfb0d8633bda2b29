"""Parts of the probe that need no browser."""

import asyncio
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.code.probe import Prober, page_of_file, static_report
from benchmaker.arenas.code.probe.browser_events import MOST_MESSAGES, Witness
from benchmaker.arenas.code.probe.memory import MemoryWatch, held_mb
from benchmaker.arenas.code.probe.prober import Turns
from benchmaker.arenas.code.probe.reading import read_document
from benchmaker.arenas.code.probe.scripts import axe
from benchmaker.arenas.code.probe.sources import kind_of
from benchmaker.processes import tree
from benchmaker.record import ProbeIsolation, ProbeOutcome
from tests.waiting import until

PAGE = """<!DOCTYPE html><html lang="de"><head><title>Eine Seite</title>
<meta name="viewport" content="width=device-width"><style>p { color: red !important }</style>
</head><body><h1>Kopf</h1><p id="a" style="x:y">Text</p><p id="a"><button onclick="go()">x</button>
<script>document.getElementById("a"); document.getElementById("nowhere");</script></body></html>"""


def test_reading_finds_what_stands_in_a_document():
    found = read_document(PAGE)
    assert (found.title, found.lang, found.viewport_meta) == ("Eine Seite", "de", True)
    assert found.headings == ("h1 Kopf",)
    assert found.duplicate_ids == ("a",)
    assert found.quirks is False
    facts = found.facts
    assert (facts.scripts, facts.styles, facts.important) == (1, 1, 1)
    assert (facts.inline_handlers, facts.inline_styles) == (1, 1)
    assert facts.missing_ids == ("nowhere",)
    assert facts.missing_handlers == ("go",)
    assert facts.bytes == len(PAGE.encode())


def test_what_assembling_puts_in_is_no_fact_of_the_answer():
    made = page_of_file("x.html", PAGE.encode())
    assert read_document(made.bundle.document).facts == read_document(PAGE).facts


@given(st.text(alphabet="<>/!-\"'= abchtmlscriptstyle\n", max_size=300))
def test_reading_never_fails(text):
    read_document(text)


def test_without_a_browser_a_page_is_read_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr("benchmaker.arenas.code.probe.prober.find_browser", lambda: None)
    bundle = page_of_file("x.html", PAGE.encode()).bundle

    async def probed():
        async with Prober.open() as prober:
            assert prober.browser is None
            return await prober.probe(bundle)

    report, shots = asyncio.run(probed())
    assert shots == {}
    assert report == static_report(bundle)
    assert report.outcome is ProbeOutcome.NO_BROWSER
    assert report.isolation is ProbeIsolation.STATIC
    assert (report.title, report.text_len, report.click) == ("Eine Seite", None, None)


def test_an_answer_that_is_no_page_is_looked_through():
    made = page_of_file("answer.md", b"Here:\n```html\n<p>hello</p>\n```\n")
    assert "<p>hello</p>" in made.bundle.document


def test_hosts_of_packages_are_told_from_others():
    assert kind_of("https://cdn.tailwindcss.com/") == "cdn"
    assert kind_of("https://unpkg.com/x") == "cdn"
    assert kind_of("https://notunpkg.com/x") == "other"
    assert kind_of("ws://127.0.0.1:9/") == "other"


def test_a_message_is_kept_once_and_without_its_stack():
    notes = Witness()
    thrown = {
        "text": "Uncaught",
        "exception": {"className": "TypeError", "description": "TypeError: no\n    at x.js:1"},
    }
    for _ in range(3):
        notes.record_exception(thrown)
    notes.record_exception({"text": "Uncaught (in promise)", "exception": {"value": 7}})
    assert (notes.page_errors, notes.rejections, notes.failures) == (["no"], ["7"], 4)


def test_what_a_page_says_is_bounded():
    notes = Witness()
    for number in range(1000):
        notes.record_exception({"text": f"Uncaught {number}"})
        notes.refuse(f"http://x.invalid/{number}" + "y" * 10_000)
    assert len(notes.page_errors) == len(notes.blocked) == MOST_MESSAGES
    assert max(map(len, notes.blocked)) <= 500


def test_a_socket_that_the_policy_refused_is_listed():
    notes = Witness()
    notes.console(
        "error", "Connecting to 'ws://x.invalid/s' violates the following Content Security Policy"
    )
    assert notes.blocked == {"ws://x.invalid/s"}


def test_who_is_alone_is_alone():
    async def played() -> list[tuple[str, int]]:
        turns, inside, log = Turns(2), 0, []

        async def work(kind: str) -> None:
            nonlocal inside
            async with turns.acquire_exclusive() if kind == "alone" else turns.acquire():
                inside += 1
                log.append((kind, inside))
                await asyncio.sleep(0.01)
                inside -= 1

        await asyncio.gather(*(work(kind) for kind in ("one", "one", "alone", "one", "one", "one")))
        return log

    log = asyncio.run(played())
    assert [most for kind, most in log if kind == "alone"] == [1]
    assert max(most for kind, most in log if kind == "one") == 2
    assert len(log) == 6


def test_the_memory_of_a_process_is_known_and_of_none_is_nothing():
    assert held_mb(os.getpid()) > 1
    assert held_mb(2**22 + 1) == 0


def test_the_accessibility_rules_are_there():
    assert "axe" in axe()[:200]


@contextmanager
def named_as_a_browser(folder):
    """A process that lasts, and what it started, by the name that a browser's have."""
    program = shutil.copy(shutil.which("sleep"), folder / "chromium")
    with subprocess.Popen(["bash", "-c", f"'{program}' 600 & wait"], cwd=folder) as process:
        until(lambda: len(tree(process.pid)) == 2)
        try:
            yield process
        finally:
            if process.poll() is None:
                for pid in reversed(tree(process.pid)):
                    os.kill(pid, 9)


def _command(pid):
    """The words of a process; none once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_what_is_left_of_a_browser_is_ended(tmp_path):
    with named_as_a_browser(tmp_path) as process:
        watch = MemoryWatch(process.pid, most_mb=100)
        below = tree(process.pid)[1]
        watch.kill_all()
        assert process.wait(60) == -9
        assert (watch.total_mb(), watch.largest_mb()) == (0, 0)
    until(lambda: "chromium" not in _command(below))


def test_who_has_a_number_that_was_the_browsers_is_left_alone(tmp_path):
    with named_as_a_browser(tmp_path) as another:
        watch = MemoryWatch(another.pid, most_mb=0)
        watch.largest_mb()
        watch._seen = {pid: str(int(start) - 1) for pid, start in watch._seen.items()}
        watch._look()
        watch.kill_all()
        assert watch.kills == 0
        assert another.poll() is None
        assert len(tree(another.pid)) == 2

"""Ten hostile pages in previews at once: the workbench answers, and nothing leaves the machine."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from benchmaker.arenas.code.probe.selftest import Listener
from tests.web.code_pages import page, stored_run
from tests.web.serving import serving

SCRIPTS = {
    "a loop": "for (;;);",
    "microtasks": "function f() { Promise.resolve().then(f); } f()",
    "timers": "setInterval(() => { const t = Date.now(); while (Date.now() - t < 500); })",
    "nodes": (
        "setInterval(() => { for (let i = 0; i < 2000; i++)"
        " document.body.append(document.createElement('div')); }, 50)"
    ),
    "messages": "setInterval(() => { for (let i = 0; i < 500; i++) top.postMessage(i, '*'); }, 50)",
    "dialogs": "for (;;) alert(1)",
    "workers": (
        "for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(['for (;;);'])))"
    ),
    "requests": (
        "setInterval(() => fetch('http://{at}/fetch').catch(() => {{}}), 20);"
        "new Image().src = 'http://{at}/image'; navigator.sendBeacon('http://{at}/beacon')"
    ),
    "sockets": (
        "new WebSocket('ws://{at}/socket'); new EventSource('http://{at}/events');"
        "for (let i = 0; i < 50; i++) open('http://{at}/popup')"
    ),
    "forms": (
        "document.body.innerHTML = '<form action=http://{at}/form method=post></form>';"
        "setInterval(() => document.forms[0].submit(), 50)"
    ),
}
REACHING = ("requests", "sockets", "forms")
"""Scripts with the address of the listener."""


@contextmanager
def listening():
    """A listener in a loop of its own: its port, and what it heard."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    listener = Listener()

    def run(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result(60)

    run(listener.__aenter__())
    assert run(listener.hears())
    yield listener
    run(listener.__aexit__())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def hostile_answers(port: int) -> dict[str, str]:
    """An answer for each of ten models."""
    at = f"127.0.0.1:{port}"
    scripts = {
        name: text.format(at=at) if name in REACHING else text for name, text in SCRIPTS.items()
    }
    return {
        f"model-{number}": page(name, body=f"<script>{script}</script>")
        for number, (name, script) in enumerate(scripts.items())
    }


def statuses(address: str, times: int) -> list[int]:
    """The status of each of some requests, one after the other."""
    found = []
    for _ in range(times):
        with urlopen(f"{address}/code", timeout=60) as answer:  # noqa: S310  a server of ours
            found.append(answer.status)
    return found


@pytest.mark.long
def test_ten_hostile_previews_reach_nothing_and_stop_nothing(whole_chromium, tmp_path):
    with listening() as listener:
        run_id = stored_run(tmp_path, hostile_answers(listener.port))
        context = whole_chromium.new_context()
        with serving(tmp_path, previews=True, works=False) as address, ThreadPoolExecutor() as pool:
            tab = context.new_page()
            tab.goto(f"{address}/code/{run_id}/1/live", wait_until="domcontentloaded")
            tab.wait_for_function("n => document.querySelectorAll('iframe').length === n", arg=10)
            answers = pool.submit(statuses, address, 20)
            ticks = tab.evaluate(
                "new Promise((done) => { let n = 0; const t = setInterval(() => {"
                " if (++n === 40) { clearInterval(t); done(n); } }, 50); })"
            )
            assert ticks == 40
            assert answers.result(120) == [200] * 20
            stopped = tab.get_by_text("This preview stopped responding.")
            expect(stopped.first).to_be_visible(timeout=60_000)
            assert tab.url == f"{address}/code/{run_id}/1/live"
            assert listener.heard == []
            context.close()

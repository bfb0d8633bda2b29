"""Hostile pages in previews: the workbench answers, neighbours go on, and nothing is sent."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit
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
LEAVING = {
    "a form": "{form}; document.forms[0].submit()",
    "a form that asks for a page": (
        "{form}; document.forms[0].method = 'get'; document.forms[0].submit()"
    ),
    "a form in a frame": (
        "f.srcdoc = '<form action=http://{at}/ method=post></form>"
        "<script>document.forms[0].submit()<\\/script>'; document.body.append(f)"
    ),
    "a form for the whole window": (
        "{form}; document.forms[0].target = '_top'; document.forms[0].submit()"
    ),
    "a navigation": "location = 'http://{at}/'",
    "a navigation of the window": "top.location = 'http://{at}/'",
    "a link": "document.body.innerHTML = '<a href=http://{at}/>x</a>'; document.links[0].click()",
    "a ping": (
        "document.body.innerHTML = '<a href=#x ping=http://{at}/>x</a>'; document.links[0].click()"
    ),
    "a refresh": "head('<meta http-equiv=refresh content=\"0;url=http://{at}/\">')",
    "an early connection": "head('<link rel=preconnect href=http://{at}/>')",
    "an early name": "head('<link rel=dns-prefetch href=http://{at}/>')",
    "an early page": "head('<link rel=prefetch href=http://{at}/>')",
    "an early module": "head('<link rel=modulepreload href=http://{at}/m.js>')",
    "an icon": "head('<link rel=icon href=http://{at}/i.ico>')",
    "rules of speculation": (
        "const s = document.createElement('script'); s.type = 'speculationrules';"
        "s.text = JSON.stringify({{prefetch: [{{source: 'list', urls: ['http://{at}/']}}]}});"
        "document.head.append(s)"
    ),
    "a window": "open('http://{at}/')",
    "a frame": "f.src = 'http://{at}/'; document.body.append(f)",
    "a call": (
        "document.body.append(f); const p = new f.contentWindow.RTCPeerConnection({{iceServers:"
        " [{{urls: 'stun:{at}'}}, {{urls: 'turn:{at}?transport=tcp', username: 'a', credential:"
        " 'b'}}]}}); p.createDataChannel('x');"
        " p.createOffer().then((it) => p.setLocalDescription(it))"
    ),
}
"""Ways out of a page that are not requests for a part of it."""

PREPARED = (
    "const f = document.createElement('iframe');"
    "const head = (it) => document.head.insertAdjacentHTML('beforeend', it);"
)
FORM = "document.body.innerHTML = '<form action=http://{at}/ method=post></form>'"

REACHING = ("requests", "sockets", "forms")
"""Scripts with the address of the listener."""


TICKS = (
    "new Promise((done) => { let n = 0; const t = setInterval(() => {"
    " if (++n === 40) { clearInterval(t); done(n); } }, 50); })"
)
"""Two seconds of the page around the previews."""


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
        with urlopen(f"{address}/code", timeout=300) as answer:  # noqa: S310  a server of ours
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
            answers = pool.submit(statuses, address, 5)
            assert tab.evaluate(TICKS) == 40
            assert answers.result(600) == [200] * 5
            expect(tab.locator(".stopped:visible").first).to_be_visible(timeout=60_000)
            assert tab.url == f"{address}/code/{run_id}/1/live"
            assert listener.heard == []
            context.close()


@pytest.mark.long
def test_no_way_out_of_a_preview_opens_a_connection(whole_chromium, tmp_path):
    with listening() as listener:
        at = f"127.0.0.1:{listener.port}"
        scripts = [
            PREPARED + text.format(at=at, form=FORM.format(at=at)) for text in LEAVING.values()
        ]
        answers = {
            f"model-{number}": page(f"Page {number}", body=f"<script>{script}</script>")
            for number, script in enumerate(scripts)
        }
        run_id = stored_run(tmp_path, answers)
        context = whole_chromium.new_context()
        with serving(tmp_path, previews=True, works=False) as address:
            tab = context.new_page()
            tab.goto(f"{address}/code/{run_id}/1/live", wait_until="domcontentloaded")
            count = len(LEAVING)
            tab.wait_for_function(
                "n => document.querySelectorAll('iframe').length === n", arg=count
            )
            tab.wait_for_load_state("load")
            tab.evaluate(TICKS)
            assert tab.url == f"{address}/code/{run_id}/1/live"
            assert listener.heard == []
            context.close()


BEATING = (
    "<output>0</output><script>"
    "setInterval(() => document.querySelector('output').value++, 50)</script>"
)


@pytest.mark.long
def test_a_loop_in_a_preview_stops_neither_its_neighbour_nor_the_page(whole_chromium, tmp_path):
    answers = {
        "model-loop": page("Loop", body="<script>setTimeout(() => { for (;;); }, 300)</script>"),
        "model-well": page("Well", body=BEATING),
    }
    run_id = stored_run(tmp_path, answers)
    context = whole_chromium.new_context()
    with serving(tmp_path, previews=True, works=False) as address:
        tab = context.new_page()
        tab.goto(f"{address}/code/{run_id}/1/live", wait_until="domcontentloaded")
        shown = tab.locator("iframe")
        expect(shown).to_have_count(2)
        addresses = {it.get_attribute("src") for it in shown.all()}
        assert len({urlsplit(it).netloc for it in addresses}) == 2
        expect(tab.get_by_text("it did not respond for 10 seconds")).to_be_visible(timeout=60_000)
        expect(shown).to_have_count(1)
        output = shown.content_frame.locator("output")
        beats = output.inner_text(timeout=60_000)
        expect(output).not_to_have_text(beats, timeout=60_000)
        assert tab.evaluate(TICKS) == 40
        expect(tab.locator(".stopped:visible")).to_have_count(1)
        context.close()

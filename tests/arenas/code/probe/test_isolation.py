"""A listener on loopback hears nothing of hostile pages; the self-test notices a missing wall."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmaker.arenas.code.probe import Prober, page_of_file, selftest
from benchmaker.arenas.code.probe import browser as browsers
from benchmaker.arenas.code.probe.network_isolation import (
    Wall,
    find_browser,
    require_browser,
    walls,
)
from benchmaker.arenas.code.probe.selftest import Listener, try_walls
from benchmaker.errors import PrerequisiteError, RenderError
from benchmaker.record import ProbeIsolation
from tests.arenas.code.probe.conftest import BUDGET_S, WIDEST

ATTACK = """<!doctype html><title>x</title><link rel=preconnect href="http://127.0.0.1:{port}">
<link rel=dns-prefetch href="//probe.invalid"><img src="http://127.0.0.1:{port}/image">
<iframe srcdoc="<script>new RTCPeerConnection({{iceServers:[{{urls:'stun:127.0.0.1:{port}'}}]}})
.createDataChannel('x')</script>"></iframe>
<form id=f method=post action="http://127.0.0.1:{port}/form"></form><script>
const at = "127.0.0.1:{port}";
const go = (work) => {{ try {{ work(); }} catch {{}} }};
go(() => fetch("http://" + at + "/fetch").catch(() => {{}}));
go(() => fetch("http://probe.invalid:{port}/name").catch(() => {{}}));
go(() => new WebSocket("ws://" + at + "/socket"));
go(() => new EventSource("http://" + at + "/events"));
go(() => navigator.sendBeacon("http://" + at + "/beacon", "x"));
go(() => new Worker(URL.createObjectURL(new Blob(['new WebSocket("ws://' + at + '/w")']))));
const child = document.createElement("iframe");
document.body.append(child);
go(() => {{
  const Peer = window.RTCPeerConnection ?? child.contentWindow.RTCPeerConnection;
  const peer = new Peer({{ iceServers: [{{ urls: "stun:" + at }},
    {{ urls: "turn:" + at + "?transport=tcp", username: "u", credential: "p" }}] }});
  peer.createDataChannel("x");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
}});
go(() => window.open("http://" + at + "/popup"));
setTimeout(() => {end}, 500);
</script>"""


ENDS = ("document.forms[0].submit()", "location.href = 'http://' + at")


def test_nothing_of_hostile_pages_reaches_a_listener(probing):
    assert probing.prober.isolation == "namespace"
    assert probing.run(heard(probing.prober)) == []


def test_nothing_reaches_a_listener_past_the_flags_alone():
    assert asyncio.run(heard_of_another("flags")) == []


async def heard_of_another(isolation: str) -> list[str]:
    async with Prober.open(isolation=isolation, budget_s=BUDGET_S) as prober:
        assert prober.isolation == isolation
        return await heard(prober)


async def heard(prober: Prober) -> list[str]:
    async with Listener() as listener:
        assert await listener.hears()
        for end in ENDS:
            page = ATTACK.format(port=listener.port, end=end)
            made = page_of_file("page.html", page.encode())
            report, _ = await prober.probe(made.bundle, viewports=WIDEST)
            assert report.isolation == prober.isolation
            assert any("127.0.0.1" in url for url in report.blocked)
        return listener.heard


def test_the_self_test_hears_a_browser_without_walls(monkeypatch):
    """On a busy machine what gets out may take a while."""
    monkeypatch.setattr(browsers, "FLAGS", ())
    monkeypatch.setattr(selftest, "_WAIT_S", 10)
    wall = next(wall for wall in walls() if wall.isolation is ProbeIsolation.FLAGS)
    test = asyncio.run(tried(wall, ProbeIsolation.NAMESPACE))
    assert test.controls
    assert {line.split(" ")[0] for line in test.seen} == {"tcp", "udp"}


async def tried(wall: Wall, isolation: ProbeIsolation):
    from playwright.async_api import async_playwright  # noqa: PLC0415

    async with async_playwright() as playwright:
        path = find_browser()
        assert path
        browser = await browsers.start(playwright, path, wall, most_mb=1200)
        async with browser:
            return await try_walls(browser, isolation)


def test_without_a_wall_that_holds_nothing_is_rendered(monkeypatch):
    monkeypatch.setattr("benchmaker.arenas.code.probe.prober.walls", lambda _: ())
    with pytest.raises(RenderError, match="pages can't be isolated from the network"):
        asyncio.run(heard_of_another("auto"))


async def opened(browser: Path | str) -> None:
    async with Prober.open(browser=str(browser)):
        pass


def a_program(folder: Path, script: str) -> Path:
    program = folder / "chromium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that the browser's user may read."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield folder


def test_a_browser_that_does_not_start_is_told_with_its_words(readable: Path):
    fake = a_program(readable, "echo broken >&2; exit 1")
    with pytest.raises(PrerequisiteError) as caught:
        asyncio.run(opened(fake))
    assert caught.value.message == (
        'nothing rendered: the browser did not start: its message is "broken".'
    )
    assert caught.value.where == str(fake)
    assert "--browser" in caught.value.hint


def test_a_browser_that_does_not_answer_is_started_once(readable: Path, monkeypatch):
    monkeypatch.setattr(browsers, "START_S", 0.5)
    starts = readable / "starts"
    starts.touch()
    starts.chmod(0o666)
    fake = a_program(readable, f"echo start >> {starts}; sleep 100")
    with pytest.raises(PrerequisiteError) as caught:
        asyncio.run(opened(fake))
    assert caught.value.message == "nothing rendered: the browser did not answer within 0.5 s."
    assert starts.read_text() == "start\n"


def test_a_browser_in_the_current_folder_is_found(readable: Path, monkeypatch):
    monkeypatch.chdir(readable)
    program = a_program(readable, "exit 1")
    assert require_browser("./chromium") == str(program)


def test_a_name_that_is_only_in_the_current_folder_is_explained(readable: Path, monkeypatch):
    monkeypatch.chdir(readable)
    a_program(readable, "exit 1").rename("wrap")
    with pytest.raises(PrerequisiteError, match=r"no such browser on PATH\. .* is \./wrap"):
        require_browser("wrap")


def test_an_empty_path_of_a_browser_is_refused():
    with pytest.raises(PrerequisiteError, match="the path of the browser is empty"):
        asyncio.run(opened(""))


def test_a_program_that_is_no_browser_is_reported_with_its_exit_status():
    with pytest.raises(PrerequisiteError, match="ended immediately, with exit status 0"):
        asyncio.run(opened(Path("/bin/true")))


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("none", "the browser does not exist."),
        (".", "the browser is a folder, not a program."),
        ("plain", "the browser is not executable."),
    ],
)
def test_a_wrong_path_of_the_browser_is_named(tmp_path: Path, name, fault):
    (tmp_path / "plain").write_text("text")
    with pytest.raises(PrerequisiteError) as caught:
        asyncio.run(opened(tmp_path / name))
    assert (caught.value.message, caught.value.where) == (fault, str(tmp_path / name))
    assert "isolated" not in str(caught.value)


def test_the_browser_leaves_no_files(monkeypatch):
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        monkeypatch.setattr("tempfile.tempdir", made)
        while_open = asyncio.run(names_while_open(folder))
        assert while_open
        assert list(folder.iterdir()) == []


async def names_while_open(folder: Path) -> list[str]:
    async with Prober.open():
        return await asyncio.to_thread(os.listdir, folder)

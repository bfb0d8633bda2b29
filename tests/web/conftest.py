"""A workbench over the demo's data, and a real Chromium that complains of nothing."""

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

import benchmaker
from benchmaker import RunOptions
from benchmaker.arenas.code.probe import find_browser
from tests.left_out import leave_out
from tests.web import accessible
from tests.web.browser import PATIENCE_MS, Tab, browser_server
from tests.web.serving import serving

DEMO = Path(benchmaker.__file__).parent / "resources" / "demo"


def pytest_configure(config):
    """What the quick suite leaves out of a test that asks axe."""
    if "not long" in config.option.markexpr:
        accessible.asked_for[:] = accessible.QUICK


def pytest_collection_modifyitems(config, items):
    """Without Chromium its tests fail under CI, and are deselected with a word elsewhere."""
    if os.environ.get("CI", "") in {"1", "true"} or find_browser():
        return
    out = [item for item in items if "playwright" in getattr(item, "fixturenames", ())]
    why = "of pages not run: Chromium is missing. Install it with: make system"
    leave_out(config, items, out, why)


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory) -> Path:
    """A data folder with the demo's series of three runs; nobody writes to it."""
    home = tmp_path_factory.mktemp("home")
    with ThreadPoolExecutor(1) as aside:  # Playwright runs a loop in the main thread
        aside.submit(
            benchmaker.run,
            DEMO / "suite.yaml",
            recorded=DEMO / "answers.jsonl",
            home=home,
            options=RunOptions(runs=3),
        ).result()
    return home


@pytest.fixture(scope="session")
def demo(demo_home) -> Iterator[str]:
    """The address of a server over the demo's data."""
    with serving(demo_home) as address:
        yield address


@pytest.fixture
def home(demo_home, tmp_path) -> Path:
    """A copy of the demo's data that a test may change."""
    return Path(shutil.copytree(demo_home, tmp_path / "home"))


@pytest.fixture(scope="session")
def chromium_address(tmp_path_factory) -> Iterator[str]:
    """Where the worker's Chromium listens."""
    with browser_server(tmp_path_factory.mktemp("chromium")) as address:
        yield address


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """What drives browsers, for one module: meanwhile a loop runs in this thread."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def chromium(playwright, chromium_address) -> Iterator[Browser]:
    """The worker's Chromium."""
    browser = playwright.chromium.connect(chromium_address)
    yield browser
    browser.close()


@pytest.fixture
def whole_chromium(playwright) -> Iterator[Browser]:
    """The Chromium that people have, which gives each sandboxed frame a process of its own."""
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=find_browser(), args=as_root)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def window(chromium) -> Iterator[Tab]:
    """What the module's tests see pages in."""
    held = Tab(chromium)
    yield held
    held.close()


@pytest.fixture
def tab(window) -> Iterator[Page]:
    """A page as in a fresh profile; whatever the console complains of fails the test."""
    complaints: list[str] = []
    with window.use() as page:
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text) if said.type in {"error", "warning"} else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.complaints = complaints
        yield page
    assert not complaints, complaints

"""A workbench over the demo's data, and a real Chromium that complains of nothing."""

import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import benchmaker
from tests.left_out import leave_out
from tests.web import accessible
from tests.web.serving import serving

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DEMO = Path(benchmaker.__file__).parent / "resources" / "demo"


def _browser() -> str | None:
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def pytest_configure(config):
    """What the quick suite leaves out of a test that asks axe."""
    if "not long" in config.option.markexpr:
        accessible.asked_for[:] = accessible.QUICK


def pytest_collection_modifyitems(config, items):
    """Without Chromium its tests fail under CI, and are deselected with a word elsewhere."""
    if os.environ.get("CI", "") in {"1", "true"} or _browser():
        return
    out = [item for item in items if "chromium" in getattr(item, "fixturenames", ())]
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
            runs=3,
            home=home,
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


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, for one module: as long as it lives, a loop runs in this thread."""
    found = _browser()
    assert found, "Chromium is missing. Install it with: make system"
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=as_root)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium) -> Iterator[Page]:
    """A page in a fresh profile; whatever the console complains of fails the test."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    page = context.new_page()
    complaints: list[str] = []
    page.on(
        "console",
        lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None,
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.complaints = complaints
    yield page
    context.close()
    assert not complaints, complaints

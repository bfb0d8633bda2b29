"""The system's Chromium, which reaches nothing but this machine."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.left_out import leave_out

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


def _browser() -> str | None:
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def pytest_collection_modifyitems(config, items):
    """Without Chromium its tests fail under CI, and are deselected with a word elsewhere."""
    if os.environ.get("CI", "") in {"1", "true"} or _browser():
        return
    out = [item for item in items if "offline" in getattr(item, "fixturenames", ())]
    why = "of previews not run: Chromium is missing. Install it with: make system"
    leave_out(config, items, out, why)


@pytest.fixture(scope="module")
def offline() -> Iterator[Browser]:
    """Chromium, for one module: as long as it lives, a loop runs in this thread."""
    found = _browser()
    assert found, "Chromium is missing. Install it with: make system"
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=[_NO_NETWORK, *as_root])
        yield browser
        browser.close()

"""Small disks, to be filled: file systems in memory, which root may mount where the system lets it.

``small_disk`` is a folder that is one, its room said by ``@pytest.mark.small_disk(room=…)``. What
mounts one by itself has the mark alone. Where none may be mounted, these tests are left out.
"""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.left_out import leave_out

MARK = "small_disk"


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark."""
    config.addinivalue_line("markers", f"{MARK}(room): needs a disk of so many bytes, to be filled")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what can't be run here."""
    out = [item for item in items if item.get_closest_marker(MARK)]
    if out and not may_mount():
        leave_out(config, items, out, "of a full disk not run: nothing may be mounted here")


@pytest.fixture
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder with as much room as the test's mark says."""
    folder = tmp_path / "disk"
    folder.mkdir()
    with mounted(folder, request.node.get_closest_marker(MARK).kwargs["room"]):
        yield folder


@contextmanager
def mounted(folder: Path, room: int) -> Iterator[None]:
    """A file system of so many bytes, in memory, at that folder."""
    options = ["-t", "tmpfs", "-o", f"size={room}", "tmpfs"]
    subprocess.run(["mount", *options, str(folder)], check=True, capture_output=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def enlarge(folder: Path, room: int) -> None:
    """Give it more room."""
    options = ["-o", f"remount,size={room}"]
    subprocess.run(["mount", *options, str(folder)], check=True)


@cache
def may_mount() -> bool:
    """Whether one may be mounted here, by trying."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            with mounted(Path(folder), 1_000_000):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False

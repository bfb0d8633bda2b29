"""Files on disk, and what is found wrong with them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmaker.errors import SpecError
from benchmaker.spec.suites.load import load_suite


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file into the test's own folder."""

    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path

    return to


@pytest.fixture
def faults(write, tmp_path) -> Callable[..., list[str]]:
    """What is wrong with a suite of this name and content, folder names left out."""

    def of(name: str, content: str | bytes, **options) -> list[str]:
        try:
            load_suite(write(name, content), **options)
        except SpecError as exc:
            return str(exc).replace(f"{tmp_path}/", "").splitlines()
        return []

    return of

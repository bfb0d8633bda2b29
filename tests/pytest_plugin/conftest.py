"""Projects to run pytest in."""

from pathlib import Path

import pytest

from tests.pytest_plugin.projects import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without tests."""
    return Project(tmp_path)

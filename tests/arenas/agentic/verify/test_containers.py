"""Verification that asks for a container: refused without one, never believed unheard."""

import pytest

from benchmaker.arenas.agentic.verify import verify
from benchmaker.errors import PrerequisiteError
from tests.arenas.agentic.verify.made import a_task, graded, written

IN_A_CONTAINER = {"isolation": "container", "image": "some/image"}
TESTS = {
    "tests/test_a.py": """
        import unittest

        class A(unittest.TestCase):
            def test_a(self):
                pass
        """
}
HEARD = [
    {"type": "tests_pass", "framework": "unittest"},
    {"type": "tests_pass", "framework": "pytest"},
    {"type": "http_probe", "start": ["python", "s.py"], "port": 8123},
]


def test_without_a_program_nothing_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    task = a_task(tmp_path / "task", {"type": "command", "run": ["true"]}, **IN_A_CONTAINER)
    with pytest.raises(PrerequisiteError, match="neither podman nor docker") as refused:
        verify(task, written(tmp_path / "work", {"a": "1"}))
    assert "apt-get install podman" in refused.value.hint


@pytest.mark.parametrize("criterion", HEARD)
def test_a_container_that_can_not_be_heard_is_an_error_and_no_fail(
    tmp_path, monkeypatch, criterion
):
    bin_, trace = tmp_path / "bin", tmp_path / "trace"
    bin_.mkdir()
    (bin_ / "docker").write_text(f'#!/bin/sh\n[ "$1" = info ] || echo "$1" >> {trace}\nexit 0\n')
    (bin_ / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_))
    work = {"s.py": "print()"}
    found = graded(tmp_path, criterion, work, files=TESTS, task=IN_A_CONTAINER)
    assert found.result == "error", found
    assert "install podman" in found.evidence
    assert "run" not in trace.read_text().split()

"""Refusing where the walls are too weak."""

import pytest

from benchmaker.errors import PrerequisiteError, SandboxError
from benchmaker.sandbox import Isolation, SandboxCommand, isolation_levels, require, run_sandboxed
from benchmaker.sandbox.isolation_check import unmet_prerequisite


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine on which nothing is installed."""
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("allow_unsafe", [True, False])
@pytest.mark.parametrize("least", ["namespace", "container"])
def test_without_the_program_it_refuses_with_the_command(least, allow_unsafe):
    with pytest.raises(PrerequisiteError) as refused:
        require(Isolation(least), allow_unsafe=allow_unsafe)
    assert "nothing was run" in str(refused.value)
    assert "apt-get install" in refused.value.hint


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("level", ["namespace", "container"])
def test_without_the_program_nothing_runs(level, tmp_path):
    trace = tmp_path / "trace"
    with pytest.raises(PrerequisiteError):
        run_sandboxed(
            SandboxCommand(("/bin/touch", str(trace)), image="x"), isolation=Isolation(level)
        )
    assert not trace.exists()


@pytest.mark.usefixtures("bare")
def test_a_process_is_offered_only_to_who_asked_for_the_risk():
    assert require(Isolation.PROCESS, allow_unsafe=True) is Isolation.PROCESS
    with pytest.raises(PrerequisiteError):
        require(Isolation.PROCESS)


@pytest.mark.usefixtures("bare")
def test_reading_needs_nothing():
    assert require(Isolation.NONE) is Isolation.NONE
    assert isolation_levels()[Isolation.NONE] is None


def test_isolation_none_runs_nothing():
    with pytest.raises(SandboxError, match="can't run commands"):
        run_sandboxed(SandboxCommand(("true",)), isolation=Isolation.NONE)


def test_the_levels_are_in_order():
    assert sorted(Isolation, key=lambda level: level.rank) == list(Isolation)
    assert Isolation.PROCESS.rank < Isolation.NAMESPACE.rank < Isolation.CONTAINER.rank


@pytest.mark.usefixtures("walls")
def test_a_namespace_goes_before_a_process():
    assert require(Isolation.PROCESS, allow_unsafe=True) is Isolation.NAMESPACE
    assert require(Isolation.NONE) is Isolation.NAMESPACE


def test_a_program_that_can_not_make_a_namespace_is_told(monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = unmet_prerequisite(Isolation.NAMESPACE)
    assert missing is not None
    assert "namespace" in missing.message
    assert missing.hint
    with pytest.raises(PrerequisiteError):
        run_sandboxed(SandboxCommand(("true",)), isolation=Isolation.NAMESPACE)


def test_a_container_service_that_does_not_answer_is_told(monkeypatch, tmp_path):
    silent = tmp_path / "docker"
    silent.write_text("#!/bin/sh\necho 'Is the docker daemon running?' >&2\nexit 1\n")
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="daemon running"):
        require(Isolation.CONTAINER)

"""Calls of podman and docker: their faults in words, the end of a container, and what is left."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from benchmaker.errors import PrerequisiteError, SandboxError
from benchmaker.processes import start_time
from benchmaker.sandbox import Isolation, ResourceLimits, SandboxCommand, run_sandboxed
from benchmaker.sandbox.container_images import build_image, folder_archive, image_path, pull_image
from benchmaker.sandbox.container_program import connection_problem, owner, remove_orphans
from tests.container_engines import scripted_engine
from tests.waiting import until

IMAGE = "localhost/some:1"
LIMITS = ResourceLimits(wall_s=30, memory_mb=256, processes=30, disk_mb=16, inodes=500)
DEAD = "2147483647"


@pytest.fixture(params=["podman", "docker"])
def engine(tmp_path, monkeypatch, request):
    made = scripted_engine(tmp_path, monkeypatch, name=request.param)
    made.add_image(IMAGE, Env=["A=1", "PATH=/opt/own/bin:/bin"])
    return made


def run(*argv, limits=LIMITS, image=IMAGE, **more):
    command = SandboxCommand(argv, image=image, **more)
    return run_sandboxed(command, isolation=Isolation.CONTAINER, limits=limits)


@pytest.mark.usefixtures("engine")
class TestExits:
    def test_a_missing_image_starts_nothing(self):
        ended = run("true", image="none/such")
        assert (ended.reason, ended.exit_status) == ("not_started", None)
        assert "image not known" in ended.detail

    @pytest.mark.parametrize("status", [125, 126, 127])
    def test_a_command_can_not_pass_its_exit_off_as_a_fault_of_the_engine(self, status):
        ended = run("sh", "-c", f"echo 'Error: OCI runtime error' >&2; exit {status}")
        assert (ended.reason, ended.exit_status) == ("exited", status)

    def test_a_program_that_the_image_lacks_is_not_started(self):
        ended = run("no-such-program")
        assert ended.reason == "not_started"
        assert "executable file not found" in ended.detail

    def test_exit_137_is_a_kill(self):
        ended = run("sh", "-c", "kill -9 $$")
        assert (ended.reason, ended.signal) == ("killed", signal.SIGKILL)


class TestRun:
    def test_a_command_runs_and_its_container_is_removed(self, engine):
        ended = run("sh", "-c", "cat; pwd", stdin=b"hello ")
        assert (ended.reason, ended.stdout) == ("exited", b"hello /workspace\n"), ended
        assert engine.containers() == []
        assert [words[0] for words in engine.calls()] == ["info", "run", "container", "rm"]

    @pytest.mark.parametrize("status", [125, 126, 127])
    def test_a_fault_of_the_engine_is_no_exit(self, engine, status):
        engine.answer("run", status=status, stderr="Error: OCI runtime error\n")
        ended = run("true")
        assert (ended.reason, ended.detail) == ("not_started", "Error: OCI runtime error")

    def test_a_container_out_of_memory_is_named(self, engine):
        state = '[{"State": {"StartedAt": "2026-11-29T19:48:38Z", "OOMKilled": true}}]'
        engine.answer("container inspect", stdout=state)
        ended = run("sh", "-c", "exit 137")
        assert (ended.reason, ended.signal) == ("memory", signal.SIGKILL)

    def test_a_time_limit_ends_the_whole_container(self, engine):
        ended = run("sleep", "60", limits=ResourceLimits(wall_s=1, memory_mb=256))
        assert ended.reason == "timeout"
        assert engine.containers() == []
        assert len(engine.calls("rm", "--force")) == 1


class TestFaults:
    def test_no_service_is_a_missing_prerequisite(self, engine):
        engine.answer("info", status=1, stderr="Cannot connect to the daemon.\n")
        with pytest.raises(PrerequisiteError, match="Cannot connect to the daemon"):
            run("true")
        assert engine.calls("run") == []

    def test_a_failing_build_is_told_with_its_last_lines(self, engine, tmp_path):
        engine.answer("build", status=1, stdout="STEP 2/2: RUN false\n", stderr="exit status 1\n")
        (tmp_path / "Dockerfile").write_text("FROM debian\nRUN false\n", encoding="utf-8")
        with pytest.raises(PrerequisiteError) as refused:
            build_image(engine.program, "a:1", tmp_path, name="environment/Dockerfile")
        said = str(refused.value)
        assert "environment/Dockerfile:2 can't be built (status 1)" in said
        assert said.index("STEP 2/2: RUN false") < said.index("exit status 1")

    def test_an_image_that_can_not_be_pulled_is_named(self, engine):
        with pytest.raises(PrerequisiteError, match="some/other can't be pulled: Error: init"):
            pull_image(engine.program, "some/other")

    def test_an_image_that_is_not_there_can_not_be_read(self, engine):
        with (
            pytest.raises(SandboxError, match="image not known"),
            folder_archive(engine.program, "none/such", "/app"),
        ):
            pass

    def test_the_search_path_of_an_image_is_read(self, engine):
        assert image_path(engine.program, IMAGE) == "/opt/own/bin:/bin"


class TestOrphans:
    def test_containers_of_killed_processes_are_removed_and_no_others(self, engine):
        host, _, rest = owner().partition("/")
        engine.add_container("benchmaker-living", **{"benchmaker.owner": owner()})
        engine.add_container("benchmaker-killed", **{"benchmaker.owner": f"{host}/{DEAD}/1"})
        engine.add_container("benchmaker-reused", **{"benchmaker.owner": f"{host}/{os.getpid()}/1"})
        engine.add_container("benchmaker-remote", **{"benchmaker.owner": f"not-{host}/{rest}"})
        assert remove_orphans(engine.program) == 2
        assert engine.containers() == ["benchmaker-living", "benchmaker-remote"]

    def test_the_label_is_this_process(self):
        assert owner().endswith(f"/{os.getpid()}/{start_time(os.getpid())}")

    def test_the_container_of_a_killed_runner_is_ended_and_removed_later(self, engine):
        code = f"""
            from benchmaker.sandbox import *
            command = SandboxCommand(("sh", "-c", "echo $$ > pid; sleep 99"), image={IMAGE!r})
            run_sandboxed(command, isolation=Isolation.CONTAINER)
        """
        runner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
        until(engine.containers)
        time.sleep(0.1)
        runner.kill()
        runner.wait()
        (left,) = engine.containers()
        assert remove_orphans(engine.program) == 1
        assert left not in engine.containers()


def test_docker_without_a_service_is_told_in_its_own_words():
    """The real client, where it is installed and its service is not."""
    program = shutil.which("docker")
    problem = connection_problem(program) if program else None
    assert problem is None or "docker" in problem.lower()

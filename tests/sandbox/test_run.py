"""Running a command: what goes in, what comes out, how it is told."""

import asyncio
import time

import pytest

from benchmaker.errors import SandboxError, SpecError
from benchmaker.sandbox import (
    VERDICT_FD,
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    arun_sandboxed,
    run_sandboxed,
)
from benchmaker.sandbox.selftest import _environment, self_test
from benchmaker.sandbox.supervisor import VERDICT

LASTS_S = 120
"""How long a command lasts that nothing ends; on a busy machine, others have to end before."""


def test_what_a_command_says_is_told_apart(attacker):
    ended = attacker.command(
        "sh", "-c", "cat; echo bad >&2; echo v >&$BENCHMAKER_VERDICT_FD; exit 7", stdin="hello"
    )
    assert (ended.stdout, ended.stderr, ended.channel) == ("hello", "bad\n", "v\n")
    assert (ended.reason, ended.exit_status, ended.signal) == ("exited", 7, None)


def test_a_command_that_is_not_there_is_not_started(attacker):
    ended = attacker.command("no-such-program")
    assert (ended.reason, ended.exit_status) == ("not_started", None)
    assert "no-such-program" in ended.detail


def test_a_signal_is_told(attacker):
    ended = attacker.command("sh", "-c", "kill -SEGV $$")
    assert (ended.reason, ended.signal, ended.detail) == ("killed", 11, "SIGSEGV")


def test_input_that_nobody_reads_is_no_trouble(attacker):
    assert attacker.command("true", stdin="x" * 500_000).exit_status == 0


def test_the_environment_is_what_was_given(attacker):
    ended = attacker.command("env", env={"A": "1 2"})
    names = {line.partition("=")[0] for line in ended.stdout.splitlines()}
    assert names == {"A", "BENCHMAKER_VERDICT_FD", "HOME", "LANG", "PATH", "TMPDIR"}


def test_outputs_are_chosen_by_name(attacker):
    attacker.folder.chmod(0o777)
    outputs = attacker.folder / "outputs"
    ended = attacker.command(
        "sh", "-c", "mkdir -p a/b; echo 1 > a/b/c; echo 2 > a/d", outputs=str(outputs)
    )
    assert ended.exit_status == 0
    assert (outputs / "a/b/c").read_text() == "1\n"


@pytest.mark.usefixtures("walls")
def test_patterns_choose_outputs(tmp_path):
    made = SandboxCommand(
        ("sh", "-c", "mkdir -p src/in x; touch src/in/a.py src/b.txt x/c.py d.py")
    )
    for names, wanted in {
        ("**/*.py",): {"src/in/a.py", "x/c.py", "d.py"},
        ("*.py",): {"d.py"},
        ("src",): {"src/in/a.py", "src/b.txt"},
        ("src/*", "x/?.py"): {"src/in/a.py", "src/b.txt", "x/c.py"},
    }.items():
        into = tmp_path / str(len(list(tmp_path.iterdir())))
        run_sandboxed(made, isolation=Isolation.NAMESPACE, outputs=Outputs(into, names))
        found = {str(path.relative_to(into)) for path in into.rglob("*") if path.is_file()}
        assert found == wanted, names


@pytest.mark.usefixtures("walls")
def test_a_folder_that_is_not_empty_takes_no_outputs(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(SandboxError, match="not empty"):
        run_sandboxed(
            SandboxCommand(("true",)), isolation=Isolation.NAMESPACE, outputs=Outputs(tmp_path)
        )


@pytest.mark.parametrize("cwd", ["..", "/etc", "a/../.."])
def test_a_command_does_not_start_outside_the_workspace(cwd):
    with pytest.raises(SandboxError, match="not in the workspace"):
        run_sandboxed(SandboxCommand(("true",), cwd=cwd), isolation=Isolation.PROCESS)


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize("inside", ["/", "/proc/x", "/dev", "/workspace/x", "relative", "/a/../"])
def test_what_is_read_covers_no_wall(inside):
    with pytest.raises(SandboxError, match="not a valid place"):
        run_sandboxed(
            SandboxCommand(("true",), reads={"/usr": inside}), isolation=Isolation.NAMESPACE
        )


@pytest.mark.parametrize(
    "command",
    [SandboxCommand(()), SandboxCommand(("a\0b",)), SandboxCommand(("a",), env={"=": ""})],
)
def test_a_command_that_can_not_be_passed_is_refused(command):
    with pytest.raises(SandboxError):
        run_sandboxed(command, isolation=Isolation.PROCESS)


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_a_limit_that_limits_nothing_is_refused(value):
    with pytest.raises(SpecError, match="wall_s"):
        ResourceLimits(wall_s=value)


@pytest.mark.usefixtures("walls")
def test_many_at_once_do_not_take_each_others_processes():
    async def all_of_them():
        limits = ResourceLimits(processes=12, wall_s=LASTS_S)
        command = SandboxCommand(("sh", "-c", "for i in 1 2 3 4 5 6; do sleep 0.4 & done; wait"))
        each = [
            arun_sandboxed(command, isolation=Isolation.NAMESPACE, limits=limits) for _ in range(4)
        ]
        return await asyncio.gather(*each)

    assert [ended.is_clean for ended in asyncio.run(all_of_them())] == [True] * 4


@pytest.mark.usefixtures("walls")
def test_a_cancelled_run_is_ended_at_once():
    async def cancelled():
        command = SandboxCommand(("sleep", str(LASTS_S)))
        limits = ResourceLimits(wall_s=2 * LASTS_S)
        work = asyncio.create_task(
            arun_sandboxed(command, isolation=Isolation.NAMESPACE, limits=limits)
        )
        await asyncio.sleep(0.3)
        work.cancel()
        await asyncio.wait([work])
        return work.cancelled()

    began = time.monotonic()
    assert asyncio.run(cancelled())
    assert time.monotonic() - began < LASTS_S


def test_a_process_gets_a_copy_limits_and_a_bare_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # noqa: S108  others reach it
    (tmp_path / "a").write_text("1")
    code = f"cat a; echo 2 > a; env; sleep {LASTS_S} & setsid sleep {LASTS_S} &"
    began = time.monotonic()
    limits = ResourceLimits(wall_s=2 * LASTS_S)
    ended = run_sandboxed(
        SandboxCommand(("sh", "-c", code)), tmp_path, isolation=Isolation.PROCESS, limits=limits
    )
    assert ended.is_clean, ended
    assert time.monotonic() - began < LASTS_S
    assert ended.stdout.startswith(b"1")
    assert b"SECRET_KEY" not in ended.stdout
    assert (tmp_path / "a").read_text() == "1"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("f=x; while :; do f=$f$f; done", "memory"),
        ("i=0; while :; do i=$((i+1)); : > $i; done", "disk"),
        (f"(while :; do sleep {LASTS_S} & done); exec sleep {LASTS_S}", "processes"),
        (f"(f=x; (while :; do f=$f$f; done) &); exec sleep {LASTS_S}", "memory"),
    ],
)
def test_a_process_is_ended_by_name(code, reason, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # noqa: S108  others reach it
    limits = ResourceLimits(wall_s=LASTS_S, memory_mb=64, processes=24, inodes=200)
    ended = run_sandboxed(
        SandboxCommand(("sh", "-c", code)), isolation=Isolation.PROCESS, limits=limits
    )
    assert ended.reason == reason, ended


@pytest.mark.usefixtures("walls")
def test_the_self_test_finds_every_wall_standing():
    assert [finding for finding in self_test() if not finding.holds] == []


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(("inside", "holds"), [(str(VERDICT), False), ("", True)])
def test_the_self_test_finds_a_variable_of_the_host_that_is_inside(inside, holds, monkeypatch):
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    monkeypatch.setenv(VERDICT_FD, inside)
    assert _environment(Isolation.NAMESPACE)[0] is holds


def test_a_container_is_asked_for_with_its_walls(monkeypatch, tmp_path):
    docker = tmp_path / "docker"
    docker.write_text('#!/bin/sh\n[ "$1" = run ] && printf "%s\\n" "$@"\nexit 0\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", lambda name: str(docker) if name == "docker" else None)
    command = SandboxCommand(("sh", "-c", "true"), image="some/image", env={"A": "1"})
    ended = run_sandboxed(command, isolation=Isolation.CONTAINER)
    words = ended.stdout.decode().splitlines()
    assert words[words.index("--network") + 1] == "none"
    assert {"--read-only", "--cap-drop", "--pids-limit", "--memory", "A=1"} <= set(words)
    assert words[-4:] == ["sh", "some/image", "-c", "true"]


def test_a_folder_of_the_workspace_has_a_second_path(tmp_path):
    (tmp_path / "project").mkdir()
    words = ("sh", "-c", "pwd; echo a > /app/a; cat /workspace/project/a")
    command = SandboxCommand(words, cwd="project", places={"/app": "project"})
    ended = run_sandboxed(command, tmp_path, isolation=Isolation.NAMESPACE)
    assert ended.stdout == b"/app\na\n", ended


@pytest.mark.parametrize("place", ["/", "/usr/lib", "/proc", "/workspace", "app", "/etc/x"])
def test_a_second_path_covers_nothing_of_the_sandbox(place):
    command = SandboxCommand(("true",), places={place: "."})
    with pytest.raises(SandboxError, match="not a valid place for the workspace"):
        run_sandboxed(command, isolation=Isolation.NAMESPACE)

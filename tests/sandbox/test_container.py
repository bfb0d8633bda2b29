"""The command line of podman and docker against what both document, and a container where one runs.

The flags are those of podman-run(1) of podman 4.3 and of the reference of ``docker run`` 28.
"""

import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from benchmaker.errors import SandboxError
from benchmaker.sandbox import (
    Isolation,
    Outputs,
    ResourceLimits,
    SandboxCommand,
    container,
    container_program,
    run_sandboxed,
)

LIMITS = ResourceLimits(
    memory_mb=128, processes=24, disk_mb=16, inodes=500, file_mb=8, open_files=99
)
SWITCHES = {"--interactive", "--read-only", "--read-only-tmpfs=false"}
BOTH = {
    *SWITCHES - {"--read-only-tmpfs=false"},
    *("--name", "--pull", "--network", "--cap-drop", "--security-opt", "--memory"),
    *("--memory-swap", "--pids-limit", "--ulimit", "--user", "--tmpfs", "--volume"),
    *("--workdir", "--env", "--entrypoint", "--label", "--log-driver"),
}
DOCUMENTED = {
    "docker": BOTH,
    "podman": BOTH | {"--preserve-fds", "--read-only-tmpfs=false", "--userns"},
}
TMPFS = {"docker": {"size", "mode", "nr_inodes"}, "podman": {"size", "mode", "notmpcopyup"}}
PROGRAMS = pytest.mark.parametrize("program", ["podman", "docker"])


def flags_of(program, **command):
    """The flags with their values, what comes after them, and the whole order."""
    order = {"argv": ("sh", "-c", "true"), "image": "some/image", **command}
    made = container.wrap_command(
        SandboxCommand(**order), Path("/copy"), LIMITS, program=f"/usr/bin/{program}", name="one"
    )
    first, word, *rest = made.argv
    assert (first, word) == (f"/usr/bin/{program}", "run")
    flags = []
    while rest and rest[0].startswith("--"):
        flag = rest.pop(0)
        flags.append((flag, "" if flag in SWITCHES else rest.pop(0)))
    return flags, rest, made


def values(flags, name):
    return [value for flag, value in flags if flag == name]


@PROGRAMS
def test_every_flag_is_a_documented_one(program):
    flags, rest, _ = flags_of(program)
    assert {flag for flag, _ in flags} <= DOCUMENTED[program]
    assert rest == ["some/image", "-c", "true"]
    assert values(flags, "--entrypoint") == ["sh"]


@PROGRAMS
def test_the_walls_are_asked_for(program):
    flags, _, _ = flags_of(program)
    wanted = {
        "--network": ["none"],
        "--cap-drop": ["ALL"],
        "--security-opt": ["no-new-privileges", "label=disable"],
        "--read-only": [""],
        "--memory": ["128m"],
        "--memory-swap": ["128m"],
        "--pids-limit": ["24"],
        "--ulimit": ["core=0", "nofile=99", f"fsize={8 << 20}", "cpu=61"],
        "--label": [f"benchmaker.owner={container_program.owner()}"],
        "--log-driver": ["none"],
        "--volume": ["/copy/workspace:/workspace:rw"],
        "--workdir": ["/workspace"],
        "--pull": ["never"],
    }
    assert {name: values(flags, name) for name in wanted} == wanted
    (tmpfs,) = values(flags, "--tmpfs")
    place, _, options = tmpfs.partition(":")
    assert place == "/tmp"  # noqa: S108  inside
    assert {option.partition("=")[0] for option in options.split(",")} == TMPFS[program]


@PROGRAMS
def test_root_steps_down_and_others_stay_who_they_are(program, monkeypatch):
    for uid, user in ((0, "65534:65534"), (1000, "1000:1000")):
        monkeypatch.setattr(os, "geteuid", lambda uid=uid: uid)
        monkeypatch.setattr(os, "getuid", lambda uid=uid: uid)
        monkeypatch.setattr(os, "getgid", lambda uid=uid: uid)
        flags, _, _ = flags_of(program)
        assert values(flags, "--user") == [user]
        is_mapped = program == "podman" and uid != 0
        assert values(flags, "--userns") == (["keep-id"] if is_mapped else [])


@PROGRAMS
def test_the_verdict_pipe_is_handed_in_where_that_can_be(program):
    flags, _, _ = flags_of(program)
    is_handed = program == "podman"
    assert values(flags, "--preserve-fds") == (["1"] if is_handed else [])
    assert ("BENCHMAKER_VERDICT_FD=3" in values(flags, "--env")) is is_handed


@PROGRAMS
def test_nothing_of_our_environment_is_handed_in(program, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    flags, _, made = flags_of(program, env={"A": "1"})
    names = {value.partition("=")[0] for value in values(flags, "--env")}
    assert names - {"BENCHMAKER_VERDICT_FD"} == {"HOME", "TMPDIR", "LANG", "A"}
    assert set(made.env) <= {"HOME", "PATH", "DOCKER_HOST", "XDG_RUNTIME_DIR"}
    assert made.env["XDG_RUNTIME_DIR"] == "/run/user/1000"


@PROGRAMS
def test_the_search_path_is_the_images_unless_the_command_has_one(program):
    for env, given in (({}, []), ({"PATH": "/opt/bin:/bin"}, ["PATH=/opt/bin:/bin"])):
        flags, _, _ = flags_of(program, env=env)
        assert [it for it in values(flags, "--env") if it.startswith("PATH=")] == given


def test_what_may_only_be_read_is_mounted_so(tmp_path):
    flags, _, _ = flags_of("podman", writable=False, reads={tmp_path: "/tests"}, cwd="src")
    assert values(flags, "--volume") == [
        "/copy/workspace:/workspace:ro",
        f"{tmp_path}:/tests:ro",
    ]
    assert values(flags, "--workdir") == ["/workspace/src"]


def test_without_an_image_it_is_refused():
    with pytest.raises(SandboxError, match="needs an image"):
        flags_of("podman", image="")


def test_the_programs_that_are_here_know_every_flag():
    for program in ("podman", "docker"):
        found = container_program.program_named(program)
        if not found:
            continue
        said = subprocess.run([found, "run", "--help"], capture_output=True, text=True, check=True)
        known = set(re.findall(r"(--[a-z][a-z-]*)", said.stdout))
        flags, _, _ = flags_of(program)
        assert {flag.partition("=")[0] for flag, _ in flags} <= known


# Where podman or docker answers


@pytest.fixture(scope="module")
def image(container_program, tmp_path_factory):
    """An image made of this machine's own Python and shell."""
    path = tmp_path_factory.mktemp("image") / "image.tar"
    _write_image(path)
    name = "localhost/benchmaker-test"
    subprocess.run([container_program, "import", path, name], check=True, capture_output=True)
    yield name
    subprocess.run([container_program, "rmi", "--force", name], check=True, capture_output=True)


def _write_image(path):
    library = Path(os.__file__).parent if os.__file__.startswith("/usr/lib") else None
    library = library or next(Path("/usr/lib").glob("python3.*"))
    python = Path("/usr/bin/python3").resolve()
    programs = [python, Path("/bin/sh").resolve(), *(library / "lib-dynload").glob("*.so")]
    needed = set()
    for program in programs:
        said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        needed |= set(re.findall(r"(/\S+\.so\S*)", said))
    with tarfile.open(path, "w") as archive:
        for name in sorted(needed):
            archive.add(Path(name).resolve(), arcname=name.lstrip("/"))
        archive.add(python, arcname="usr/bin/python3")
        archive.add(programs[1], arcname="usr/bin/sh")
        archive.add(library, arcname=str(library).lstrip("/"), filter=_slim)
        for name in ("tmp", "workspace", "etc", "proc", "dev", "sys"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            archive.addfile(folder)


def _slim(member):
    is_left_out = re.search("__pycache__|/tests?$|dist-packages|idlelib|config-", member.name)
    return None if is_left_out else member


@pytest.mark.long
class TestInAContainer:
    """What a container keeps in, on a machine that has one."""

    @pytest.fixture
    def python(self, image):
        def call(code, *, limits=LIMITS, **more):
            argv = ("python3", "-I", "-S", "-c", code)
            order = SandboxCommand(argv, image=image, **more)
            return run_sandboxed(order, isolation=Isolation.CONTAINER, limits=limits)

        return call

    def test_it_runs_as_nobody_on_a_copy(self, image, tmp_path):
        work, into = tmp_path / "work", tmp_path / "outputs"
        work.mkdir()
        (work / "a").write_text("1")
        code = "open('b', 'w').write(open('a').read() + '2'); import os; print(os.getuid())"
        ended = run_sandboxed(
            SandboxCommand(("python3", "-c", code), image=image),
            work,
            isolation=Isolation.CONTAINER,
            limits=LIMITS,
            outputs=Outputs(into),
        )
        assert ended.is_clean, ended
        assert ended.stdout.split() != [b"0"]
        assert (into / "b").read_text() == "12"
        assert not (work / "b").exists()

    def test_the_verdict_pipe_reaches_inside(self, python):
        ended = python("import os; os.write(int(os.environ['BENCHMAKER_VERDICT_FD']), b'said')")
        assert ended.channel == b"said" or not container_program.has_verdict_pipe()

    def test_there_is_no_network_and_nothing_of_the_host(self, python, monkeypatch):
        monkeypatch.setenv("SECRET_KEY", "the secret")
        ended = python(
            "import os, socket\n"
            "print(open('/proc/1/environ').read(), dict(os.environ))\n"
            "socket.create_connection(('1.1.1.1', 53), 2)"
        )
        assert ended.exit_status == 1
        assert b"unreachable" in ended.stderr
        assert b"the secret" not in ended.stdout

    def test_only_the_writable_places_can_be_written(self, python):
        ended = python(
            "for path in ('/x', '/usr/x', '/etc/x', '/run/x', '/var/x'):\n"
            "    try: open(path, 'w'); print('wrote', path)\n"
            "    except OSError: pass\n"
            "open('/tmp/x', 'w'); open('x', 'w')"
        )
        assert ended.is_clean, ended
        assert ended.stdout == b""

    @pytest.mark.parametrize(
        ("code", "reasons"),
        [
            ("import time; time.sleep(99)", {"timeout"}),
            ("f = open('f', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", {"disk", "exited"}),
            ("for n in range(10**6): open(str(n), 'w').close()", {"disk"}),
            ("kept = []\nwhile True: kept.append(b'x' * (1 << 20))", {"killed", "memory"}),
            (
                "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
                {"timeout", "processes"},
            ),
        ],
    )
    def test_limits_end_it_by_name(self, python, container_program, code, reasons):
        limits = ResourceLimits(wall_s=8, memory_mb=128, processes=24, disk_mb=16, inodes=500)
        ended = python(code, limits=limits)
        assert ended.reason in reasons, ended
        assert not ended.is_clean
        listed = [container_program, "ps", "--all", "--quiet", "--filter", "name=benchmaker-"]
        assert subprocess.run(listed, capture_output=True, check=True).stdout.strip() == b""

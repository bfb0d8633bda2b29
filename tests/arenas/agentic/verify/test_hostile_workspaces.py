"""Hostile workspaces, verified as root and as a plain user: none passes, each has a named result.

A criterion that runs ``attack.py`` passes only where the attack succeeds. After each, nothing of
it is left on the host.
"""

import io
import os
import shutil
import socket
import tarfile
import tempfile
import time
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.arenas.agentic.verify.submitter import Submitter, Verifier, plain_python

ABSOLUTE = "/tmp/hostile-escaped.txt"  # noqa: S108  is never written
TRY = """
import os, sys
reached = []
def attempt(name, do):
    try:
        reached.append((name, do()))
    except BaseException as error:
        print(name, "refused:", type(error).__name__, error, flush=True)
def told():
    print("REACHED", reached, flush=True) if reached else None
    sys.exit(0 if reached else 7)
"""
RUNS = {"type": "command", "run": ["python", "attack.py"], "timeout_s": 60}


def users():
    if os.geteuid():
        return ["user"]
    return ["root", "user"] if plain_python() else ["root"]


def by_turns(names):
    """Each attack by each user; in the quick suite users take turns, so that all are seen once."""
    return [
        pytest.param(user, name, marks=pytest.mark.long if (at + turn) % len(users()) else ())
        for at, name in enumerate(names)
        for turn, user in enumerate(users())
    ]


@pytest.fixture
def open_folder():
    """A folder that other users reach; pytest closes its own to them."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def pytest_generate_tests(metafunc):
    """An attack without a name of its own is known by its test's."""
    if "submitter" in metafunc.fixturenames and "submitter" not in parametrized(metafunc):
        turn = zlib.crc32(metafunc.function.__name__.encode())
        pairs = [
            pytest.param(user, marks=pytest.mark.long if (at + turn) % len(users()) else ())
            for at, user in enumerate(users())
        ]
        metafunc.parametrize("submitter", pairs, indirect=True)


def parametrized(metafunc):
    marks = metafunc.definition.iter_markers("parametrize")
    return {name for mark in marks for name in mark.args[0]}


def is_plain(user):
    """Whether one has to become this user: who is a plain user already does not."""
    return user == "user" and os.geteuid() == 0


@pytest.fixture(scope="module")
def verifiers():
    """For each user, a process that has imported what verifies."""
    made = {}
    yield lambda user: made.get(user) or made.setdefault(user, Verifier(is_plain=is_plain(user)))
    for one in made.values():
        one.close()


@pytest.fixture
def submitter(request, open_folder, verifiers, monkeypatch):
    """Root, who steps down, and a plain user; who is a plain user already has no root to try."""
    one = Submitter(open_folder, verifiers(request.param))
    monkeypatch.setenv("SECRET_KEY", one.token)
    return one


@pytest.fixture
def newly_started(request, submitter):
    """Somebody whose verifier holds the secret since it began, in the variables of its process."""
    user = request.node.callspec.params["submitter"]
    submitter.verifier = Verifier(is_plain=is_plain(user), env=submitter.env())
    yield submitter
    submitter.verifier.close()


def runs(submitter, code, **criterion):
    code = code.replace("TOKEN", submitter.token)
    return submitter.hands_in({**RUNS, **criterion}, {"attack.py": code})


EXHAUSTING = {
    "a fork bomb": (
        "processes",
        "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
    ),
    "a fork bomb that detaches": (
        "processes",
        "import os\nwhile True:\n  try: os.fork() or os.setsid()\n  except OSError: pass",
    ),
    "memory": ("memory", "kept = []\nwhile True: kept.append(b'x' * (1 << 20))"),
    "disk": ("disk", "f = open('f', 'wb')\nwhile True: f.write(b'x' * (1 << 20))"),
    "inodes": ("disk", "for name in range(10**6): open(str(name), 'w').close()"),
    "time": ("timeout", "while True: pass"),
    "output": ("output", "while True: print('x' * 100_000)"),
}


@pytest.mark.parametrize(("submitter", "attack"), by_turns(EXHAUSTING), indirect=["submitter"])
def test_what_exhausts_the_machine_is_ended_by_name(submitter, attack):
    reason, code = EXHAUSTING[attack]
    found = runs(submitter, f"#{submitter.token}\n{code}", timeout_s=1 if attack == "time" else 60)
    assert found.result == "fail", found
    assert f"stopped by its limits ({reason})" in found.evidence
    assert found.isolation == "namespace"


def test_secrets_and_files_of_the_host_are_out_of_reach(newly_started):
    submitter = newly_started
    code = (
        TRY
        + f"""
import glob
def holds(path):
    text = open(path, "rb").read()
    if b"TOKEN" not in text and b"root:" not in text: raise LookupError("nothing of the host")
    return path
secret = {str(submitter.secret)!r}
for path in (secret, "/etc/shadow", "/root/.bashrc", "/proc/1/environ", "/proc/1/cmdline"):
    attempt(path, lambda: holds(path))
for path in glob.glob("/proc/[0-9]*/environ"):
    attempt("environ", lambda: holds(path))
for path in glob.glob("/proc/[0-9]*/root" + secret) + glob.glob("/proc/[0-9]*/cwd/secret.txt"):
    attempt("around", lambda: holds(path))
attempt("variable", lambda: os.environ["SECRET_KEY"])
told()
"""
    )
    found = runs(submitter, code)
    assert found.result == "fail", found
    assert "status 7" in found.evidence
    assert "/proc/1/environ refused: PermissionError" in found.evidence
    assert "secret.txt refused: FileNotFoundError" in found.evidence
    assert submitter.token not in found.evidence


def test_the_network_is_out_of_reach(submitter):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            TRY
            + f"""
import socket
attempt("loopback", lambda: socket.create_connection(("127.0.0.1", {port}), 2))
attempt("address", lambda: socket.create_connection(("1.1.1.1", 53), 2))
attempt("name", lambda: socket.getaddrinfo("example.com", 80))
attempt("raw", lambda: socket.socket(17, 3))
told()
"""
        )
        found = runs(submitter, code)
    assert found.result == "fail", found
    assert "loopback refused: ConnectionRefusedError" in found.evidence
    assert "address refused: OSError" in found.evidence


def test_nobody_outside_can_be_killed(submitter):
    code = (
        TRY
        + f"""
attempt("the one who verifies", lambda: os.kill({os.getpid()}, 9) or "killed")
attempt("the first", lambda: os.kill(1, 19) or 1 / 0)
attempt("the parent", lambda: os.kill(os.getppid(), 9) or 1 / 0)
attempt("everybody", lambda: os.kill(-1, 9) or 1 / 0)
told()
"""
    )
    found = runs(submitter, code)
    assert found.result == "fail", found
    assert "status" in found.evidence or "killed" in found.evidence


def test_a_daemon_is_gone_before_the_verdict_is(submitter):
    code = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", "TOKEN"])
    os._exit(0)
os.wait()
sys.exit(3)
"""
    began = time.monotonic()
    found = runs(submitter, code)
    assert found.result == "fail", found
    assert "status 3" in found.evidence
    assert time.monotonic() - began < RUNS["timeout_s"]


def test_links_lead_nowhere(submitter):
    work = submitter.workspace({"a.txt": "a", "attack.py": "print(open('out.txt').read())\n"})
    (work / "out.txt").symlink_to(submitter.secret)
    (work / "up.txt").symlink_to("../secret.txt")
    (work / "folder").symlink_to(submitter.folder)
    holds = {"type": "file_content", "contains": ["secret of the host"]}
    criteria = [
        {**holds, "path": "out.txt"},
        {**holds, "path": "folder/secret.txt"},
        {"type": "file_exists", "path": "up.txt"},
        RUNS,
    ]
    for found in submitter.hands_in_for(criteria, work):
        assert found.result == "fail", found
        assert found.evidence
        assert submitter.token not in found.evidence


def an_archive(submitter, kind):
    """A harmless file beside members that lead out of the folder they are unpacked in."""
    path = submitter.folder / f"work.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("a.txt", "../escaped.txt", ABSOLUTE):
                archive.writestr(name, "escaped")
    else:
        with tarfile.open(path, "w:gz") as archive:
            link = tarfile.TarInfo("way")
            link.type, link.linkname = tarfile.SYMTYPE, str(submitter.scratch)
            archive.addfile(link)
            names = ("a.txt", "way/escaped.txt", "../escaped.txt", ABSOLUTE)
            for name in names:
                member = tarfile.TarInfo(name)
                member.size = 7
                archive.addfile(member, io.BytesIO(b"escaped"))
    path.chmod(0o644)
    return path


@pytest.mark.parametrize(("submitter", "kind"), by_turns(["zip", "tar.gz"]), indirect=["submitter"])
def test_archives_unpack_nowhere_else(submitter, kind):
    criterion = {"type": "file_exists", "path": "escaped.txt"}
    found = submitter.hands_in(criterion, an_archive(submitter, kind))
    assert found.result == "fail", found
    assert found.evidence
    assert not list(submitter.folder.rglob("escaped.txt"))
    assert not Path(ABSOLUTE).exists()


TESTS = {
    "tests/test_a.py": """
        import unittest
        import solution

        class SumTest(unittest.TestCase):
            def test_adds(self):
                self.assertEqual(solution.add(2, 3), 5)
        """
}
WRONG = "def add(a, b):\n    return None\n"
TESTED = {"type": "tests_pass", "framework": "unittest", "timeout_s": 60}
BENT = {
    "a forged verdict": """
import json, os
line = json.dumps({"tests": [{"id": "test_a.SumTest.test_adds", "state": "passed", "detail": ""}],
    "problem": "", "missing": "", "begun": ""}).encode()
for fd in range(3, 64):
    try: os.write(fd, line + b"\\n")
    except OSError: pass
os._exit(0)
""",
    "skipped tests": "import unittest; raise unittest.SkipTest('later')\n",
    "a patched runner": """
import unittest
unittest.TestCase.run = lambda self, result=None: result.addSuccess(self)
""",
    "patched assertions": """
import unittest
unittest.TestCase.assertEqual = lambda *_, **__: None
""",
    "a changed clock": """
import time
time.time = time.monotonic = time.perf_counter = lambda: 0.0
""",
}


@pytest.mark.parametrize(("submitter", "attack"), by_turns(BENT), indirect=["submitter"])
def test_no_verdict_is_bent(submitter, attack):
    found = submitter.hands_in(TESTED, {"solution.py": BENT[attack] + WRONG}, files=TESTS)
    assert found.result == "fail", found
    assert found.evidence
    assert found.isolation == "namespace"


def test_an_honest_solution_passes_by_the_same_way(submitter):
    right = {"solution.py": "def add(a, b):\n    return a + b\n"}
    found = submitter.hands_in(TESTED, right, files=TESTS)
    assert (found.result, found.evidence) == ("pass", "1 passed")


def test_configuration_that_is_brought_along_is_not_taken(submitter):
    leaves = "import os\nos._exit(0)\n"
    names = ("conftest.py", "sitecustomize.py", "usercustomize.py", "evil.pth", "unittest.py")
    work = {"solution.py": WRONG, **dict.fromkeys(names, leaves)}
    found = submitter.hands_in(TESTED, work, files=TESTS)
    assert found.result == "fail", found
    assert "conftest.py (could manipulate a test run)" in found.evidence
    assert "1 failed" in found.evidence


def test_an_interpreter_that_is_brought_along_is_not_used(submitter):
    names = ("python", "python3", "bin/python3", "usr/bin/python3", "sh", "bin/sh")
    work = submitter.workspace(
        {**dict.fromkeys(names, "#!/bin/sh\necho 42\n"), "a.py": "print(41)"}
    )
    for name in names:
        (work / name).chmod(0o755)
    wanted = {"type": "output_match", "expected": "42"}
    ways = (["python", "a.py"], ["sh", "-c", "PATH=.:$PATH; echo 41"])
    for found in submitter.hands_in_for([{**wanted, "run": list(one)} for one in ways], work):
        assert found.result == "fail", found
        assert "41" in found.evidence


def test_time_is_measured_where_no_clock_can_be_changed(submitter):
    code = """
import time
real, until = time.monotonic, time.monotonic() + 0.4
try: time.clock_settime(time.CLOCK_REALTIME, 0)
except OSError: pass
time.time = time.monotonic = time.perf_counter = lambda: 0.0
while real() < until: pass
"""
    began = time.time()
    quick = {"type": "performance", "run": ["python", "attack.py"], "max_seconds": 0.2, "runs": 1}
    found = submitter.hands_in(quick, {"attack.py": code})
    assert found.result == "fail", found
    assert abs(time.time() - began) < 600


def test_nothing_outside_can_be_written(submitter):
    code = (
        TRY
        + f"""
for path in ({str(submitter.secret)!r}, "/usr/x", "/etc/passwd", "/proc/sysrq-trigger",
             "/proc/sys/kernel/core_pattern", {str(submitter.scratch)!r} + "/x"):
    attempt(path, lambda: os.write(os.open(path, os.O_WRONLY | os.O_CREAT), b"1"))
told()
"""
    )
    found = runs(submitter, code)
    assert found.result == "fail", found
    assert "status 7" in found.evidence


def test_without_bubblewrap_nothing_runs(submitter):
    bare = submitter.folder / "bare"
    bare.mkdir()
    code = f"open({str(submitter.scratch / 'trace')!r}, 'w').write('ran')"
    told = submitter.hands_in(RUNS, {"attack.py": code}, path=str(bare))
    assert told.error == "PrerequisiteError"
    assert "nothing was run" in told.message
    assert "apt-get install bubblewrap" in told.message

"""Attackers: somebody with a command for the sandbox, as root and as a plain user."""

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmaker.sandbox import Isolation
from benchmaker.sandbox import container_program as programs
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from tests.left_out import leave_out
from tests.sandbox.driver import done

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLAIN = 12345
LIMITS = {
    "wall_s": 120,
    "cpu_s": 60,
    "memory_mb": 128,
    "processes": 24,
    "disk_mb": 16,
    "inodes": 500,
    "file_mb": 64,
}


def pytest_collection_modifyitems(config, items):
    """What needs bubblewrap fails without it under CI, and is deselected with a word elsewhere.

    Containers are no part of what must be there: without them theirs are deselected in any case.
    """
    _leave_out(config, items, _needs_container, Isolation.CONTAINER, "containers")
    if os.environ.get("CI", "") in {"1", "true"}:
        return
    _leave_out(config, items, _needs_walls, Isolation.NAMESPACE, "attacks on the sandbox")


def _leave_out(config, items, needs, isolation, what):
    out = [item for item in items if needs(item)]
    if out and unmet_prerequisite(isolation):
        leave_out(config, items, out, f"of {what} not run: {unmet_prerequisite(isolation)}")


def _needs_container(item):
    return "container_program" in getattr(item, "fixturenames", ())


def _needs_walls(item):
    name = getattr(getattr(item, "cls", None), "__name__", "")
    fixtures = getattr(item, "fixturenames", ())
    return "attacker" in fixtures or "walls" in fixtures or name == "TestBehindTheWalls"


def pytest_generate_tests(metafunc):
    """Each attack by root and by a plain user; in the quick suite by one of them, in turns."""
    if "attacker" in metafunc.fixturenames:
        users = by_turns(metafunc.function.__name__)
        metafunc.parametrize("attacker", users, indirect=True)


def by_turns(name):
    """The users that try a test of this name; all but one of them in the long suite."""
    users = ["root", "user"] if os.geteuid() == 0 else ["user"]
    turn = zlib.crc32(name.encode()) % len(users)
    return [
        pytest.param(user, marks=pytest.mark.long if at != turn else ())
        for at, user in enumerate(users)
    ]


@pytest.fixture(scope="session")
def container_program():
    """podman or docker; what asks for it is taken out where neither answers."""
    return programs.program_found()


class Attacker:
    """Hands commands to the sandbox, and looks for what is left of them."""

    def __init__(self, folder, *, is_plain):
        self.folder = folder
        self.is_plain = is_plain
        self.token = f"token{secrets.token_hex(8)}"

    def python(self, code, *words, **order):
        """Run Python code; ``sys.argv[1]`` is the token that marks all its processes."""
        return self.command("PYTHON", "-I", "-S", "-c", code, self.token, *words, **order)

    def command(self, *argv, limits=None, fails_with=None, **order):
        order |= {"argv": argv, "limits": LIMITS | (limits or {})}
        told = self._as_plain_user(order) if self.is_plain else done(order)
        if "error" in told:
            assert told["error"] == fails_with, told
            return SimpleNamespace(**told)
        assert fails_with is None, told
        for name in ("stdout", "stderr", "channel"):
            told[name] = base64.b64decode(told[name]).decode("utf-8", "replace")
        assert self.leftovers() == []
        return SimpleNamespace(**told)

    def _as_plain_user(self, order):
        home = self.folder / "source"
        words = ["setpriv", f"--reuid={PLAIN}", f"--regid={PLAIN}", "--clear-groups"]
        python = "/usr/bin/python3" if _is_hidden(sys.executable) else sys.executable
        ran = subprocess.run(
            [*words, python, "-B", home / "driver.py"],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(home), "PATH": "/usr/bin:/bin", "SECRET_KEY": self.token},
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    def leftovers(self):
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if self.token in words and "driver.py" not in words:
                found.append(words)
        return found

    def workspace(self, **files):
        folder = self.folder / "workspace"
        folder.mkdir(mode=0o755)
        for name, text in files.items():
            (folder / name.replace("__", ".")).write_text(text)
        return str(folder)


def _is_hidden(path):
    """Whether other users can't get there."""
    real = Path(path).resolve()
    return any(not above.stat().st_mode & 0o001 for above in real.parents)


@pytest.fixture
def open_folder():
    """A folder that other users reach; pytest closes its own to them."""
    folder = Path(tempfile.mkdtemp(prefix="attacks-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def walls():
    """Bubblewrap, for who has no need of an attacker."""


@pytest.fixture
def attacker(request, open_folder):
    """Root, who steps down, and a plain user; who is a plain user already has no root to try."""
    is_plain = request.param == "user" and os.geteuid() == 0
    if is_plain:
        package = open_folder / "source" / "benchmaker"
        ours = ROOT / "src" / "benchmaker"
        shutil.copytree(ours / "sandbox", package / "sandbox")
        shutil.copy(HERE / "driver.py", package.parent)
        for name in ("__init__.py", "errors.py", "version.py"):
            shutil.copy(ours / name, package)
    return Attacker(open_folder, is_plain=is_plain)

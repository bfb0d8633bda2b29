"""Somebody who hands in a hostile workspace, verified by root or by a plain user."""

import json
import os
import secrets
import select
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace

from tests.arenas.agentic.verify.made import written

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
PLAIN = 12345
PATIENCE_S = 300
PATH = "/usr/local/bin:/usr/bin:/bin"
LIMITS = {"memory_mb": 128, "cpu_s": 15, "processes": 24, "disk_mb": 16, "files": 500}


def plain_python() -> str:
    """A Python that a plain user can start with our packages; empty where there is none."""
    packages = Path(sysconfig.get_path("purelib"))
    if _is_hidden(packages):
        return ""
    if not _is_hidden(Path(sys.executable)):
        return sys.executable
    asked = ["/usr/bin/python3", "-c", "import sys; print(sys.version_info[:2])"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    return "/usr/bin/python3" if told.stdout.strip() == str(sys.version_info[:2]) else ""


def _is_hidden(path: Path) -> bool:
    """Whether other users can't get there."""
    return any(not above.stat().st_mode & 0o001 for above in path.resolve().parents)


class Verifier:
    """A process that verifies for root, or for a plain user."""

    def __init__(self, *, is_plain: bool, env: dict[str, str] | None = None):
        words = ["setpriv", f"--reuid={PLAIN}", f"--regid={PLAIN}", "--clear-groups"]
        argv = [shutil.which(words[0]), *words[1:]] if is_plain else []
        python = plain_python() if is_plain else sys.executable
        packages = (str(ROOT / "src"), *(path for path in sys.path if "site-packages" in path))
        self._process = subprocess.Popen(
            [*argv, python, "-B", HERE / "attack_driver.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": PATH, **(env or {}), "PYTHONPATH": os.pathsep.join(packages)},
            cwd="/",
        )

    def does(self, order):
        """What it found."""
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE_S)
        assert ready, "the verifier does not answer"
        line = self._process.stdout.readline()
        assert line, "the verifier has ended"
        return json.loads(line)

    def close(self):
        """End it."""
        self._process.kill()
        self._process.communicate()


class Submitter:
    """Writes a task and a workspace, has one verified over the other, and looks what is left."""

    def __init__(self, folder: Path, verifier: Verifier):
        self.folder, self.verifier = folder, verifier
        self.token = f"token{secrets.token_hex(8)}"
        self.secret = folder / "secret.txt"
        self.secret.write_text(f"secret of the host {self.token}")
        self.secret.chmod(0o644)
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.scratch.chmod(0o777)

    def task(self, criteria, files) -> Path:
        body = {"id": "attacked", "prompt": "Do it.", "criteria": criteria, "limits": LIMITS}
        made = {"task.yaml": json.dumps(body), **(files or {})}
        return self._opened(written(self.folder / "task", made))

    def workspace(self, files) -> Path:
        return self._opened(written(self.folder / "work", files))

    def hands_in(self, criterion, work, **how):
        """The result of one criterion over a workspace, or the error that kept it from a run."""
        found = self.hands_in_for([criterion], work, **how)
        return found[0] if isinstance(found, list) else found

    def hands_in_for(self, criteria, work, *, files=None, path=PATH):
        """The result of each criterion over a workspace: files, or the path of an archive."""
        task = self.task([{"id": f"c{n}", **one} for n, one in enumerate(criteria)], files)
        workspace = work if isinstance(work, Path) else self.workspace(work)
        before = _content(workspace)
        told = self.verifies({"task": str(task), "workspace": str(workspace)}, path)
        self.looks_unharmed()
        assert _content(workspace) == before
        if "error" in told:
            return SimpleNamespace(**told)
        return [SimpleNamespace(**one) for one in told["results"]]

    def verifies(self, order, path):
        return self.verifier.does({**order, "env": self.env(path), "folder": str(self.scratch)})

    def env(self, path=PATH):
        """The variables of who verifies."""
        scratch = str(self.scratch)
        return {"PATH": path, "TMPDIR": scratch, "HOME": scratch, "SECRET_KEY": self.token}

    def looks_unharmed(self):
        """No process, no file and no change is left behind on the host."""
        assert self.leftovers() == []
        assert sorted(path.name for path in self.scratch.iterdir()) == []
        assert self.secret.read_text().endswith(self.token)

    def leftovers(self):
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if self.token in words:
                found.append(words)
        return found

    def _opened(self, folder: Path) -> Path:
        for path in (folder, *folder.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() else path.stat().st_mode | 0o444)
        return folder


def _content(path: Path):
    if path.is_file():
        return path.read_bytes()
    return {
        str(one.relative_to(path)): one.readlink() if one.is_symlink() else one.read_bytes()
        for one in path.rglob("*")
        if one.is_symlink() or one.is_file()
    }

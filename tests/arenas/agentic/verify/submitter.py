"""Somebody who hands in a hostile workspace, verified by root or by a plain user."""

import json
import os
import secrets
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


class Submitter:
    """Writes a task and a workspace, has one verified over the other, and looks what is left."""

    def __init__(self, folder: Path, *, python: str, is_plain: bool):
        self.folder, self.python, self.is_plain = folder, python, is_plain
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
        words = ["setpriv", f"--reuid={PLAIN}", f"--regid={PLAIN}", "--clear-groups"]
        packages = (str(ROOT / "src"), str(self.folder / "source"), sysconfig.get_path("purelib"))
        env = {
            "PYTHONPATH": os.pathsep.join(packages),
            "PATH": path,
            "TMPDIR": str(self.scratch),
            "HOME": str(self.scratch),
            "SECRET_KEY": self.token,
        }
        argv = [shutil.which(words[0]), *words[1:]] if self.is_plain else []
        ran = subprocess.run(
            [*argv, self.python, "-B", HERE / "attack_driver.py"],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            check=False,
            env=env,
            timeout=120,
            cwd=self.scratch,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

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

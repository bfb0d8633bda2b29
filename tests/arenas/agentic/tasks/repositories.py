"""Git repositories, made in little."""

import os
import subprocess
from pathlib import Path

WHO = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-03-01T12:00:00Z",
    "GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


class Made:
    """A repository with a package and a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.commit(
            "First",
            {
                "calc.py": "def add(a, b):\n    return a - b\n",
                "tests/test_old.py": OLD,
                "old.py": "X = 1\n",
            },
        )

    def git(self, *words: str) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **WHO}
        argv = ["git", "-c", "commit.gpgsign=false", "-C", str(self.folder), *words]
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, message: str, files: dict[str, str | bytes | None]) -> str:
        """Commit files; None deletes one. Return the id."""
        for name, content in files.items():
            place = self.folder / name
            if content is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            place.write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty-message", "-m", message)
        return self.git("rev-parse", "HEAD")


FIXED = "def add(a, b):\n    return a + b\n"
HEAD = "import unittest\n\n\nclass CalcTest(unittest.TestCase):\n"
TEST = f"from calc import add\n{HEAD}    def test_add(self):\n        assert add(1, 2) == 3\n"
OLD = f"{HEAD}    def test_old(self):\n        assert True\n"

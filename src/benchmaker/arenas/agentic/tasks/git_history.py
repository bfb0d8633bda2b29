"""Commits of a git repository, read without a checkout."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from benchmaker.errors import PrerequisiteError, SpecError

_LINK: Final = "120000"
_SUBMODULE: Final = "160000"
_PROGRAM: Final = "100755"
_TIMEOUT_S: Final = 300
_PASSED: Final = ("PATH", "HOME")
"""What git needs of our environment: HOME has its safe.directory."""

_OPTIONS: Final = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"),
    *("--no-pager", "--no-replace-objects"),
)


class TreeFile(NamedTuple):
    """A file of a tree: its path, its mode, and the id of its content."""

    path: str
    mode: str
    blob: str

    @property
    def is_regular(self) -> bool:
        """True unless it is a link or a submodule."""
        return self.mode not in (_LINK, _SUBMODULE)


class Change(NamedTuple):
    """A path that a commit changed: A (added), M (modified), D (deleted) or T (another type)."""

    path: str
    status: str
    is_binary: bool
    kind: str
    """``file``, ``link`` or ``submodule``."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full id, its parents, and its message."""

    id: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository in a folder."""

    folder: Path

    def commit(self, name: str) -> Commit:
        """Return the commit of that id, branch or tag.

        Raises:
            SpecError: the folder is no repository, or has no such commit.
        """
        if name.startswith("-"):
            raise SpecError(f"{name!r} is no commit.", where=str(self.folder))
        self._refuse_unknown(name)
        text = self.text("show", "-s", "--format=%H%n%P%n%B", f"{name}^{{commit}}")
        commit_id, parents, *message = text.split("\n")
        return Commit(commit_id, tuple(parents.split()), "\n".join(message).strip())

    def _refuse_unknown(self, name: str) -> None:
        self.git("rev-parse", "--git-dir")  # it says so if the folder is no repository
        try:
            self.git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        except SpecError as exc:
            raise SpecError(
                f"there is no commit {name!r}.",
                where=str(self.folder),
                hint="Give its id, a branch or a tag: git log --oneline lists commits.",
            ) from exc

    def tree(self, commit: str) -> list[TreeFile]:
        """The files of a commit, in order."""
        found = []
        for entry in self.git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            if entry:
                facts, _, path = entry.partition(b"\t")
                mode, _, blob = facts.decode().split()
                found.append(TreeFile(os.fsdecode(path), mode, blob))
        return found

    def changes(self, before: str, after: str) -> list[Change]:
        """The changes between two commits; a renamed file is deleted and added."""
        options = ("diff-tree", "-r", "-z", "--no-renames", "--full-index")
        raw = self.git(*options, "--raw", before, after).split(b"\0")
        counted = self.git(*options, "--numstat", before, after).split(b"\0")
        binary = {os.fsdecode(one[4:]) for one in counted if one.startswith(b"-\t-\t")}
        found = []
        for facts, name in zip(raw[::2], raw[1::2], strict=False):
            old, new, *_, status = facts.decode().lstrip(":").split()
            path = os.fsdecode(name)
            found.append(Change(path, status[0], path in binary, _kind(old, new)))
        return found

    def write(self, files: list[TreeFile], into: Path) -> None:
        """Write files of a tree below a folder; links and submodules are left out."""
        regular = [one for one in files if one.is_regular]
        request = "".join(f"{one.blob}\n" for one in regular).encode()
        answer = memoryview(self.git("cat-file", "--batch", stdin=request))
        at = 0
        for one in regular:
            end = bytes(answer[at : at + 200]).index(b"\n") + at
            size = int(bytes(answer[at:end]).split()[-1])
            place = into / one.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(answer[end + 1 : end + 1 + size])
            place.chmod(0o755 if one.mode == _PROGRAM else 0o644)
            at = end + 1 + size + 1

    def text(self, *words: str) -> str:
        """The output of git as text."""
        return self.git(*words).decode("utf-8", "replace").rstrip("\n")

    def git(self, *words: str, stdin: bytes = b"") -> bytes:
        """The output of git.

        Raises:
            PrerequisiteError: git is not installed.
            SpecError: git failed.
        """
        env = {name: os.environ[name] for name in _PASSED if name in os.environ}
        env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
        argv = ["git", "-C", str(self.folder), *_OPTIONS, *words]
        try:
            done = subprocess.run(  # noqa: S603  git with our own words
                argv, input=stdin, capture_output=True, env=env, timeout=_TIMEOUT_S, check=False
            )
        except FileNotFoundError as exc:
            raise PrerequisiteError("git is not installed.", hint="Install git.") from exc
        except subprocess.TimeoutExpired as exc:
            what = f"git did not end within {_TIMEOUT_S} s."
            raise SpecError(what, where=str(self.folder)) from exc
        if done.returncode:
            said = re.sub(r"\s+", " ", done.stderr.decode("utf-8", "replace")).strip()
            raise SpecError(f"{said.removeprefix('fatal: ')}", where=str(self.folder))
        return done.stdout


def _kind(old: str, new: str) -> str:
    if _SUBMODULE in (old, new):
        return "submodule"
    return "link" if _LINK in (old, new) else "file"

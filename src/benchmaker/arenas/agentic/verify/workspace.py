"""The fresh environment for grading a submission.

Only the task's named outputs are taken from the submission, without files that could influence the
grading. Everything else comes from the task: its initial files, and its tests, copied over last.
"""

import filecmp
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.verify.patterns import Matches, matcher
from benchmaker.arenas.agentic.verify.unpacking import Unfit, Unpacking
from benchmaker.errors import SandboxError, SpecError
from benchmaker.sandbox import Bounds, copy_tree
from benchmaker.spec.tasks.criterion import JsonSchema, OutputMatch, TestsPass
from benchmaker.spec.tasks.task import Task, TaskFolder

HISTORY: Final = frozenset({".git", ".hg", ".svn", ".jj"})
CACHES: Final = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
PACKAGES: Final = frozenset({"node_modules", "site-packages", ".pnp"})

CONFIGURATION: Final = (
    # Python and pytest
    *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
    *("tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py", ".coveragerc"),
    *("sitecustomize.py", "usercustomize.py", "*.pth", "*._pth", "pyvenv.cfg"),
    # JavaScript
    *("package.json", "jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.workspace.*"),
    *("babel.config.*", ".babelrc*", ".mocharc*", ".swcrc", ".npmrc", ".yarnrc*", ".pnp.*"),
    # Go
    *("*_test.go", "go.work", "go.work.sum"),
    # linters and type checkers
    *("ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", "pylintrc", "mypy.ini", ".mypy.ini"),
    *(".eslintrc*", "eslint.config.*", ".eslintignore", "biome.json", "biome.jsonc"),
    *(".golangci.*", "pyrightconfig.json"),
)
"""Configuration by name; a task's ``allow`` lets its files in."""

_IMPORTED_AT_START = re.compile(r"(?:^|/)(?:site|user)customize(?:/|\.[^/]+$)")
_METADATA = re.compile(r"(?:^|/)[^/]+\.(?:dist|egg)-info(?:/|$)")


def why_bending(path: str) -> str | None:
    """Return the reason why a file is not accepted; None if it is.

    >>> why_bending("tests/conftest.py")
    'could manipulate a test run'
    >>> why_bending("src/app.py")
    """
    parts = path.split("/")
    if not HISTORY.isdisjoint(parts):
        return "history is not graded"
    if not CACHES.isdisjoint(parts) or parts[-1].endswith((".pyc", ".pyo")):
        return "compiled code is not graded"
    if not PACKAGES.isdisjoint(parts) or _METADATA.search(path):
        return "bundled packages could manipulate a test run"
    if _IMPORTED_AT_START.search(path):
        return "could manipulate a test run"
    if any(fnmatchcase(parts[-1].lower(), name) for name in CONFIGURATION):
        return "could manipulate a test run"
    return None


_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MIB: Final = 1 << 20
_NAMED: Final = 100
_PAGE: Final = 4096
_SPARE: Final = 16


@dataclass(frozen=True, slots=True)
class Prepared:
    """A submission prepared for grading.

    ``submitted`` are its outputs over the task's start; ``graded`` is the same with the tests
    copied over, ``tests`` the tests alone. Files with an expected answer are in neither. ``sha256``
    identifies the accepted files. ``not_taken`` lists the others, with the reason.
    """

    submitted: Path
    graded: Path
    tests: Path
    sha256: str
    not_taken: tuple[tuple[str, str], ...] = ()


@contextmanager
def prepare_workspace(task: TaskFolder, workspace: Path) -> Iterator[Prepared]:
    """Prepare the environment for a folder or an archive, and remove it afterwards.

    Raises:
        Unfit: the submission exceeds the task's limits, or is a damaged archive.
        SpecError: unknown folder or archive.
    """
    with _temporary_folder() as base:
        yield _prepare(task, workspace, base)


def _prepare(task: TaskFolder, workspace: Path, base: Path) -> Prepared:
    not_taken: list[tuple[str, str]] = []
    source = _source(workspace, base / "unpacked", _bounds(task.task), not_taken)
    submitted, graded, tests = (base / name for name in ("submitted", "graded", "tests"))
    submitted.mkdir()
    _take(task.task, source, submitted, not_taken)
    digest = digest_of(submitted)
    is_output = matcher(task.task.outputs)
    is_taken = _acceptance_matcher(task.task)
    lay(task.start, submitted, lambda path: not is_output(path) or not is_taken(path))
    is_answer = matcher(answers(task.task))
    lay(submitted, graded)
    for place in (graded, tests):
        lay(task.tests, place, lambda path: not is_answer(path))
    _check_room(graded, _bounds(task.task))
    reasons = (
        one for one in sorted(set(not_taken)) if not _is_unchanged(task.start, source, one[0])
    )
    return Prepared(submitted, graded, tests, digest, tuple(islice(reasons, _NAMED)))


def _check_room(folder: Path, bounds: Bounds) -> None:
    """Check that copies of it will fit into a sandbox."""
    entries = size = 0
    for here, folders, names in os.walk(folder):
        entries += len(folders) + len(names)
        sizes = (Path(here, name).lstat().st_size for name in names)
        size += sum(-(-one // _PAGE) * _PAGE for one in sizes)
    if size > bounds.total_bytes - _SPARE * _PAGE or entries > bounds.entries - _SPARE:
        raise Unfit(f"{entries:,} entries and {size:,} bytes exceed the limits of the task")


def _is_unchanged(start: Path, source: Path, path: str) -> bool:
    """True if a file is the task's own, unchanged, so that skipping it need not be reported."""
    given, found = start / path, source / path
    try:
        is_plain = given.is_file() and found.is_file() and not found.is_symlink()
        return is_plain and filecmp.cmp(given, found, shallow=False)
    except (OSError, ValueError):
        return False


def answers(task: Task) -> tuple[str, ...]:
    """Return files of the task's tests with expected answers, which a submission never sees."""
    found: list[str] = []
    for one in task.criteria:
        if isinstance(one, OutputMatch) and one.expected_file:
            found.append(one.expected_file)
        if isinstance(one, JsonSchema) and isinstance(one.schema_, str):
            found.append(one.schema_)
    return tuple(found)


def _bounds(task: Task) -> Bounds:
    size = task.limits.disk_mb * _MIB
    return Bounds(total_bytes=size, file_bytes=size, entries=task.limits.files)


def _source(
    workspace: Path, unpacked: Path, bounds: Bounds, not_taken: list[tuple[str, str]]
) -> Path:
    if workspace.is_dir():
        return workspace
    if not workspace.is_file():
        hint = "Use the folder in which the tool worked, or an archive of it."
        raise SpecError("workspace not found.", where=str(workspace), hint=hint)
    unpacked.mkdir()
    unpacking = Unpacking(unpacked, bounds)
    unpacking.unpack(workspace)
    not_taken += unpacking.left_out
    return unpacked


def _acceptance_matcher(task: Task) -> Matches:
    """Return a matcher for accepted file names of a submission."""
    is_allowed = matcher(task.allow)
    is_report = matcher(one.report for one in _reports(task) if one.report)
    return lambda path: not is_report(path) and (is_allowed(path) or why_bending(path) is None)


def _reports(task: Task) -> Iterator[TestsPass]:
    return (one for one in task.criteria if isinstance(one, TestsPass))


def _take(task: Task, source: Path, into: Path, not_taken: list[tuple[str, str]]) -> None:
    is_output, is_taken = matcher(task.outputs), _acceptance_matcher(task)

    def wanted(path: str) -> bool:
        if not is_output(path):
            return False
        if not is_taken(path):
            not_taken.append((_excluded_name(path), why_bending(path) or "a prefabricated report"))
            return False
        return True

    opened = [os.open(folder, _FOLDER) for folder in (source, into)]
    try:
        copied = copy_tree(opened[0], opened[1], bounds=_bounds(task), wanted=wanted)
    except SandboxError as exc:
        raise Unfit(str(exc)) from exc
    finally:
        for fd in opened:
            os.close(fd)
    not_taken += copied.left_out


def _excluded_name(path: str) -> str:
    """A whole folder that is not taken is named once."""
    parts = path.split("/")
    for at, part in enumerate(parts[:-1], 1):
        if why_bending(part):
            return "/".join(parts[:at]) + "/"
    return path


def lay(source: Path, target: Path, wanted: Matches = lambda _: True) -> None:
    """Copy a trusted tree over another; obstacles are removed, and links are not followed."""
    target.mkdir(exist_ok=True)
    for path in files(source):
        if wanted(path):
            place = _clear_path(target, path)
            _put(source / path, place)


def files(folder: Path) -> Iterator[str]:
    """The files and links below a folder, by their paths, in order; links are not followed."""
    for here, folders, names in os.walk(folder):
        linked = [name for name in folders if Path(here, name).is_symlink()]
        folders[:] = sorted(set(folders) - set(linked))
        for name in sorted([*names, *linked]):
            yield Path(here, name).relative_to(folder).as_posix()


def _clear_path(target: Path, path: str) -> Path:
    """The place of a path, its folders made and nothing there."""
    place = target
    *above, name = path.split("/")
    for part in above:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            place.unlink()
        place.mkdir(exist_ok=True)
    place /= name
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    return place


def _put(source: Path, place: Path) -> None:
    if source.is_symlink():
        place.symlink_to(source.readlink())
        return
    if not source.is_file():
        return
    shutil.copyfile(source, place)
    place.chmod(0o755 if source.stat().st_mode & stat.S_IXUSR else 0o644)


def digest_of(folder: Path) -> str:
    """SHA-256 over names and contents of the files in a folder."""
    digest = hashlib.sha256()
    for path in files(folder):
        place = folder / path
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        if place.is_symlink():
            digest.update(b"\0link\0" + os.fsencode(place.readlink()))
            continue
        with place.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="benchmaker-verify-"))
    folder.chmod(0o755)  # for whoever runs what is in it: as root, that is nobody
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""The folder of a Harbor task, laid out as a task folder of Benchmaker."""

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.tasks.harbor.harbor_task import (
    ENVIRONMENT,
    SOLUTION,
    TESTS,
    harbor_task,
    instruction_of,
)
from benchmaker.spec.tasks.harbor.task_toml import TASK_TOML, HarborToml, read_toml
from benchmaker.spec.tasks.task import Task

GRADER: Final = "tests/benchmaker"
"""The folder of an exported task with its own form and its grader."""

TASK_JSON: Final = f"{GRADER}/task.json"
TEST_FILES: Final = "tests/workspace"
START_FILES: Final = "environment/start"
REFERENCE_FILES: Final = "solution/workspace"
CHEATS: Final = "cheats"
METADATA: Final = "benchmaker"
"""The table of ``[metadata]`` with the digest of an exported grader."""

_PREFIX: Final = "benchmaker-harbor-"
_TASK_FILE: Final = "task.yaml"
_made: dict[str, Path] = {}


def is_harbor_folder(folder: Path) -> bool:
    """True if a folder is a task of Harbor, and no task of Benchmaker."""
    return (folder / TASK_TOML).is_file() and not (folder / _TASK_FILE).exists()


def lay_harbor_task(folder: Path, limits: Limits) -> Path:
    """Lay a Harbor task out as a folder with ``task.yaml``, which exists until this process ends.

    A task that Benchmaker exported is laid out as it was, if its grader is unchanged; the prompt is
    that of ``instruction.md``.

    Raises:
        SpecError: a part is missing, has a fault, or is not supported.
    """
    refuse_links(folder)
    key = f"{folder.resolve()}:{digest_of_files(folder, _names(folder))}"
    if key not in _made or not _made[key].is_dir():
        toml = read_toml(folder / TASK_TOML, limits)
        target = _new_folder(folder)
        try:
            _lay_exported(folder, target) if is_exported(folder, toml) else _lay(
                folder, toml, target
            )
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        _made[key] = target
    return _made[key]


def is_exported(folder: Path, toml: HarborToml) -> bool:
    """True if Benchmaker exported the task, and its grader is as it was written."""
    marks = toml.metadata.get(METADATA)
    digest = marks.get("grader") if isinstance(marks, dict) else None
    return digest is not None and digest == grader_digest(folder)


def grader_digest(folder: Path) -> str:
    """SHA-256 over the files that decide about a reward, but for the task's own test files."""
    names = [name for name in _names(folder) if _decides(name)]
    return digest_of_files(folder, names)


def digest_of_files(folder: Path, names: list[str]) -> str:
    """SHA-256 over names and contents of files below a folder."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"\0{name}\0".encode())
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def _decides(name: str) -> bool:
    return name.startswith((f"{GRADER}/", "tests/test.sh", f"{ENVIRONMENT}/Dockerfile"))


def _names(folder: Path) -> list[str]:
    found = (one for one in folder.rglob("*") if one.is_file() and "__pycache__" not in one.parts)
    return sorted(one.relative_to(folder).as_posix() for one in found)


def refuse_links(folder: Path) -> None:
    """Refuse links, which could lead out of the folder.

    Raises:
        SpecError: a part of the task is a link.
    """
    for one in folder.rglob("*"):
        if one.is_symlink():
            hint = "Replace it by the file."
            raise SpecError("a task must not contain links.", where=str(one), hint=hint)


def _lay_exported(folder: Path, target: Path) -> None:
    body = json.loads((folder / TASK_JSON).read_text(encoding="utf-8"))
    _write_task(target, {**body, "prompt": instruction_of(folder)})
    for name, source in (
        ("start", START_FILES),
        ("tests", TEST_FILES),
        ("reference", REFERENCE_FILES),
        ("cheats", CHEATS),
    ):
        _copy(folder / source, target / name)


def _lay(folder: Path, toml: HarborToml, target: Path) -> None:
    try:
        read = harbor_task(folder, toml)
    except ValidationError as exc:
        first = exc.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SpecError(f"{name}: {first['msg']}.", where=str(folder / TASK_TOML)) from exc
    _write_task(target, _document(read.task))
    for path, file in read.files.items():
        place = target / "start" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
        if path in read.programs:
            place.chmod(0o755)
    for name in (TESTS, SOLUTION, CHEATS, ENVIRONMENT):
        _copy(folder / name, target / name)


def _document(task: Task) -> dict[str, Any]:
    data = task.model_dump(mode="json", by_alias=True)
    return {name: value for name, value in data.items() if value is not None}


def _write_task(target: Path, body: dict[str, Any]) -> None:
    text = json.dumps(body, ensure_ascii=False, indent=1)
    (target / _TASK_FILE).write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, target, ignore=ignored)


def _new_folder(folder: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{folder.name}-"))
    target.chmod(0o755)
    atexit.register(_remove, target, os.getpid())
    return target


def _remove(folder: Path, process: int) -> None:
    """Remove a folder when the process ends that made it, not in a fork of it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)

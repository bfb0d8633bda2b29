"""Tasks out of their folders."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from benchmaker.errors import SpecError
from benchmaker.spec.documents.files import read_text
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.messages import faults, kind
from benchmaker.spec.documents.source_map import SourceLocation, SourceMap
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.documents.yaml import read_yaml
from benchmaker.spec.suites.value_errors import Objections
from benchmaker.spec.tasks.criterion import KINDS, Criterion, HttpExpected, HttpRequest
from benchmaker.spec.tasks.harbor.harbor_folder import is_harbor_folder, lay_harbor_task
from benchmaker.spec.tasks.harbor.task_toml import TASK_TOML
from benchmaker.spec.tasks.task import Task, TaskFolder, TaskLimits, TaskWeights, canonical_bytes

TASK_FILE = "task.yaml"

_PARTS: dict[str, type[BaseModel]] = {
    "limits": TaskLimits,
    "weights": TaskWeights,
    "request": HttpRequest,
    "expect": HttpExpected,
}
_GRADED = ("start", "tests")
_MOST_FILES = 10_000
_MOST_BYTES = 256 * 2**20
_CHUNK = 2**20


def load_task(path: str | Path, *, limits: Limits | None = None) -> TaskFolder:
    """Load the task in a folder, or in the given ``task.yaml`` or ``task.toml``.

    A folder with ``task.toml`` is a task of Harbor. It is laid out as a folder of Benchmaker, which
    exists until this process ends.

    Raises:
        SpecError: all faults together, each with file, line and column; also for files that are
            links, devices, or too large.
    """
    given = Path(path)
    limits = limits or Limits()
    above = given.parent if given.name == TASK_TOML else given
    if is_harbor_folder(above):
        given = lay_harbor_task(above, limits)
    file = given / TASK_FILE if given.is_dir() else given
    findings = Findings(limits.findings)
    text = read_text(file, limits=limits, cap=limits.document_bytes)
    document = read_yaml(text, str(file), limits=limits, findings=findings)
    reader = _TaskReader(Objections(SourceMap(str(file), document.root), findings))
    task = reader.task(document.data)
    findings.raise_if_any()
    if task is None:
        raise refusal(SourceLocation(str(file)), "not a task.")
    return TaskFolder(task, file.parent, _digest(task, file.parent))


def task_schema() -> dict[str, Any]:
    """The JSON Schema of a task's file."""
    schema = Task.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


@dataclass(frozen=True, slots=True)
class _TaskReader:
    objections: Objections

    def task(self, data: Any) -> Task | None:  # noqa: ANN401  what stands in the file
        """The task, or None where something was objected to."""
        if not isinstance(data, dict):
            message = f"a task must be a mapping with id, prompt and criteria, not {kind(data)}."
            self.objections.add((), message, "Start with: id:")
            return None
        values = {name: value for name, value in data.items() if name != "$schema"}
        criteria = self.criteria(values.pop("criteria", None))
        task = self.validate(Task, {name: v for name, v in values.items() if v is not None})
        if not isinstance(task, Task):
            return None
        whole = task.model_copy(update={"criteria": tuple(criteria)})
        for path, message, hint in whole.objections():
            self.objections.add(path, message, hint)
        return whole

    def criteria(self, given: Any) -> Iterator[Criterion]:  # noqa: ANN401  what stands in the file
        if given is None:
            return iter(())
        if not isinstance(given, list):
            message = f"criteria must be a list, not {kind(given)}."
            self.objections.add(
                ("criteria",), message, "Start a criterion with: - type: file_exists"
            )
            return iter(())
        read = [self.criterion(i, one) for i, one in enumerate(given)]
        return iter(self.with_ids([one for one in read if one]))

    def criterion(self, index: int, given: Any) -> Criterion | None:  # noqa: ANN401  as it stands
        above = ("criteria", index)
        if not isinstance(given, dict):
            self.objections.add(above, f"a criterion must be a mapping, not {kind(given)}.")
            return None
        name = given.get("type")
        if not isinstance(name, str) or name not in KINDS:
            hint = did_you_mean(str(name), KINDS) or f"Known types: {', '.join(KINDS)}."
            self.objections.add((*above, "type"), f"unknown criterion type {name!r}.", hint)
            return None
        one = self.validate(KINDS[name], given, above)
        return one if isinstance(one, Criterion) else None

    def with_ids(self, criteria: list[Criterion]) -> Iterator[Criterion]:
        """Yield each criterion with an id: the given one, or else its type and a number."""
        taken: set[str] = set()
        for i, one in enumerate(criteria):
            kind_of = str(getattr(one, "type"))  # noqa: B009  every kind has it, their base not
            name = one.id or (kind_of if kind_of not in taken else f"{kind_of}-{i + 1}")
            if name in taken:
                message = f"duplicate criterion {name!r}."
                self.objections.add(("criteria", i), message, "Give each criterion a unique id.")
            taken.add(name)
            yield one.model_copy(update={"id": name})

    def validate(
        self, model: type[BaseModel], values: Mapping[str, Any], above: tuple[str | int, ...] = ()
    ) -> BaseModel | None:
        try:
            return model.model_validate(values)
        except ValidationError as exc:
            self.objections.take(faults(exc, model, _PARTS), above)
            return None


def _digest(task: Task, folder: Path) -> str:
    """SHA-256 over the task and over the names and contents of the files it is graded with."""
    digest = hashlib.sha256(canonical_bytes(task))
    for name in _GRADED:
        for file in _files(folder / name):
            digest.update(f"\0{file.relative_to(folder).as_posix()}\0".encode())
            with file.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
    return digest.hexdigest()


def _files(folder: Path) -> list[Path]:
    """The regular files below a folder in a fixed order; SpecError for anything else there.

    What Python compiled beside them, as installers do, is no part of a task.
    """
    found, size = [], 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted((*names, *(f for f in folders if Path(here, f).is_symlink()))):
            path = Path(here, name)
            info = path.lstat()
            if not stat.S_ISREG(info.st_mode):
                raise SpecError(
                    "not a file or a folder.",
                    where=str(path),
                    hint="Tasks must not contain links or devices.",
                )
            found.append(path)
            size += info.st_size
            if len(found) > _MOST_FILES or size > _MOST_BYTES:
                what = f"a task holds at most {_MOST_FILES:,} files of {_MOST_BYTES // 2**20} MB."
                raise SpecError(
                    what, where=str(folder), hint="Remove files that the tests don't need."
                )
    return found

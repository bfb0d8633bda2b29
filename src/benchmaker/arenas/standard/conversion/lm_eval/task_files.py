"""Task files of lm-evaluation-harness: include chains, groups, and Python functions in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.draft_suite import Omission
from benchmaker.arenas.standard.conversion.original_file import (
    FUNCTION,
    Keys,
    OriginalFile,
    read_original,
)
from benchmaker.errors import SpecError

_MOST_FILES = 20
_MOST_TASKS = 200
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The configuration of a task, its files merged; ``origins`` names the file of each key."""

    path: Path
    values: Mapping[str, Any]
    origins: Mapping[str, OriginalFile]

    @property
    def name(self) -> str:
        """The name of the task."""
        return str(self.values.get("task") or self.path.stem)

    def omission(self, keys: Keys, what: str) -> Omission:
        """Return the omission of a value, in the file that holds it."""
        file = self.origins.get(str(keys[0])) if keys else None
        if file is None:
            return Omission(self.path.name, 1, what, "")
        return file.omission(keys, what)

    def functions(self) -> Iterator[tuple[Keys, str]]:
        """Yield each Python function of the task with its keys."""
        yield from _functions(self.values, ())


def is_task(data: Any) -> bool:  # noqa: ANN401  any JSON
    """True if the data of a file look like a task or a group of lm-evaluation-harness."""
    if not isinstance(data, Mapping):
        return False
    keys = data.keys()
    is_single = "task" in keys and bool(
        {"dataset_path", "doc_to_text", "output_type", "include", "doc_to_target"} & keys
    )
    is_partial = "include" in keys or {"doc_to_text", "output_type"} <= keys
    return is_single or is_partial or _is_group(data)


def task_files(path: Path) -> list[TaskFile]:
    """Return the task in a file, or the tasks of the group in it.

    Raises:
        SpecError: a file can't be read, includes itself, or a task of the group is not beside it.
    """
    found = _merged_file(path, ())
    if not _is_group(found.values):
        return [found]
    return list(_members(found, (path,)))


def _is_group(values: Mapping[str, Any]) -> bool:
    return "group" in values and "doc_to_text" not in values and "task" in values


def _members(group: TaskFile, seen: tuple[Path, ...]) -> Iterator[TaskFile]:
    listed = group.values["task"]
    beside = _tasks_beside(group.path)
    for one in listed if isinstance(listed, list) else [listed]:
        name = one.get("task") if isinstance(one, Mapping) else one
        changed = dict(one) if isinstance(one, Mapping) else {}
        member = beside.get(str(name))
        if member is None or member.path in seen:
            raise SpecError(
                f"no file beside it holds the task {name!r} of the group.", where=str(group.path)
            )
        if _is_group(member.values):
            yield from _members(member, (*seen, member.path))
            continue
        values = {**member.values, **changed}
        yield TaskFile(member.path, values, {**member.origins, **_origins(changed, group)})


def _origins(changed: Mapping[str, Any], group: TaskFile) -> dict[str, OriginalFile]:
    return dict.fromkeys(changed, group.origins["task"])


def _tasks_beside(path: Path) -> dict[str, TaskFile]:
    """The tasks and groups in the folder of a file, by name."""
    found: dict[str, TaskFile] = {}
    files = sorted(it for it in path.parent.iterdir() if it.suffix in _SUFFIXES)[:_MOST_TASKS]
    for one in files:
        try:
            made = _merged_file(one, ())
        except SpecError:
            continue
        for key in ("task", "group"):
            if isinstance(name := made.values.get(key), str):
                found.setdefault(name, made)
    return found


def _merged_file(path: Path, seen: tuple[Path, ...]) -> TaskFile:
    """The values of a file over those of its includes; the own ones take precedence."""
    if path.resolve() in seen or len(seen) > _MOST_FILES:
        raise SpecError("the file includes itself.", where=str(path))
    file = read_original(path)
    if not isinstance(file.data, Mapping):
        raise SpecError("no task: the file holds no mapping.", where=str(path))
    values: dict[str, Any] = {}
    origins: dict[str, OriginalFile] = {}
    given = file.data.get("include") or []
    for name in given if isinstance(given, list) else [given]:
        inner = _merged_file(path.parent / str(name), (*seen, path.resolve()))
        values |= inner.values
        origins |= inner.origins
    own = {key: value for key, value in file.data.items() if key != "include"}
    return TaskFile(path, {**values, **own}, {**origins, **dict.fromkeys(own, file)})


def _functions(value: Any, keys: Keys) -> Iterator[tuple[Keys, str]]:  # noqa: ANN401  any JSON
    if isinstance(value, str) and value.startswith(FUNCTION):
        yield keys, value.removeprefix(FUNCTION)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _functions(one, (*keys, key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _functions(one, (*keys, place))

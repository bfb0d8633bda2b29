"""The documents of a task, from the data files beside it."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmaker.arenas.standard.conversion.lm_eval.task_files import TaskFile
from benchmaker.arenas.standard.conversion.original_file import read_utf8
from benchmaker.errors import SpecError

Document = dict[str, Any]
_KINDS = {".json": "json", ".jsonl": "json", ".csv": "csv", ".tsv": "csv", ".txt": "text"}


def documents_of(task: TaskFile, split: str) -> list[Document]:
    """Return the documents of a split, each with all columns; a missing value is None.

    Raises:
        SpecError: the split has no data file beside the task, or it can't be read.
    """
    rows = [row for path in _files_of(task, split) for row in _rows(path, _kind_of(task, path))]
    if not rows:
        raise SpecError(f"the split {split!r} has no documents.", where=str(task.path))
    return _with_columns(rows)


def _kind_of(task: TaskFile, path: Path) -> str:
    named = str(task.values.get("dataset_path"))
    return named if named in {"json", "csv", "text"} else _KINDS.get(path.suffix, "json")


def _files_of(task: TaskFile, split: str) -> list[Path]:
    options = task.values.get("dataset_kwargs")
    given = options.get("data_files") if isinstance(options, Mapping) else None
    if isinstance(given, Mapping):
        given = given.get(split)
    elif given is not None and split != "train":
        given = None
    if given is None:
        raise SpecError(
            f"the task has no data file of the split {split!r}; data sets are not downloaded.",
            where=str(task.path),
            hint="Write the documents into a file beside the task, and set dataset_path: json and "
            f"dataset_kwargs: {{data_files: {{{split}: FILE}}}}.",
        )
    return [_file(task, str(it)) for it in (given if isinstance(given, list) else [given])]


def _file(task: TaskFile, name: str) -> Path:
    folder = task.path.parent.resolve()
    path = (folder / name).resolve()
    if folder not in path.parents:
        raise SpecError(
            f"the data file {name!r} is not in the folder of the task.", where=str(task.path)
        )
    return path


def _rows(path: Path, kind: str) -> Sequence[Document]:
    text = read_utf8(path)
    if kind == "text":
        return [{"text": line} for line in text.split("\n")[: -1 if text.endswith("\n") else None]]
    if kind == "csv":
        separator = "\t" if path.suffix == ".tsv" else ","
        return _with_types(list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator)))
    try:
        return _json_rows(text)
    except ValueError as exc:
        raise SpecError(f"invalid JSON: {exc}.", where=str(path)) from exc


def _json_rows(text: str) -> list[Document]:
    if text.lstrip().startswith("["):
        found = json.loads(text)
    else:
        found = [json.loads(line) for line in text.split("\n") if line.strip()]
    return [it for it in found if isinstance(it, dict)]


def _with_columns(rows: Sequence[Document]) -> list[Document]:
    """The rows with every column; whole numbers of a column with others become those."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    mixed = {name for name in columns if {int, float} <= {type(row.get(name)) for row in rows}}
    return [
        {
            name: float(row[name]) if name in mixed and row.get(name) is not None
            else row.get(name)
            for name in columns
        }
        for row in rows
    ]  # fmt: skip


def _with_types(rows: list[dict[str, str | None]]) -> list[Document]:
    """The rows of a table with numbers where a whole column has them."""
    made: list[Document] = [dict(row) for row in rows]
    for name in list(made[0]) if made else ():
        values = _numbers([row[name] or None for row in made])
        for row, value in zip(made, values, strict=True):
            row[name] = value
    return made


def _numbers(cells: Sequence[str | None]) -> Sequence[Any]:
    """The cells of a column as whole numbers, else as numbers, else as they are."""
    for kind in (int, float):
        try:
            return [None if it is None else kind(it) for it in cells]
        except ValueError:
            continue
    return cells

"""The rows of genuine files of each tool, and files of the same evaluation with other rows."""

import csv
import json
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Rows = list[Any]
Writer = Callable[[Path, Rows], Path]


def genuine_rows(path: Path) -> tuple[Rows, Writer]:
    """The rows of a file, and a function that writes some of them into a folder."""
    if path.is_dir():
        return _helm(path)
    forms = {".jsonl": _lines, ".csv": _table, ".eval": _archive, ".json": _document}
    return forms[path.suffix](path)


def _lines(path: Path) -> tuple[Rows, Writer]:
    def write(folder: Path, rows: Rows) -> Path:
        made = folder / path.name
        made.write_text("".join(rows))
        copy_beside(path, folder)
        return made

    return path.read_text().splitlines(keepends=True), write


def copy_beside(path: Path, folder: Path) -> None:
    """Copy the results files that belong to samples of lm-eval."""
    for one in path.parent.glob("results_*.json"):
        shutil.copyfile(one, folder / one.name)


def _table(path: Path) -> tuple[Rows, Writer]:
    """Equal lines stay together: without an id, they are repeats within a file only."""
    with path.open(newline="") as stream:
        head, *lines = csv.reader(stream)
    rows = [[list(one)] * number for one, number in Counter(map(tuple, lines)).items()]

    def write(folder: Path, chosen: Rows) -> Path:
        made = folder / path.name
        with made.open("w", newline="") as stream:
            csv.writer(stream).writerows([head, *(line for row in chosen for line in row)])
        return made

    return rows, write


def _archive(path: Path) -> tuple[Rows, Writer]:
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    others = [it for it in entries if not it[0].startswith("samples/")]

    def write(folder: Path, rows: Rows) -> Path:
        made = folder / path.name
        with zipfile.ZipFile(made, "w") as archive:
            for name, content in [*rows, *others]:
                archive.writestr(name, content)
        return made

    return [it for it in entries if it[0].startswith("samples/")], write


PLACES: dict[str, Sequence[str]] = {
    "inspect": ["samples"],
    "promptfoo": ["results", "results"],
    "deepeval": ["testCases"],
}


def _document(path: Path) -> tuple[Rows, Writer]:
    """A document that holds its rows at a place."""
    *parents, last = PLACES[path.parent.name]
    rows = json.loads(path.read_bytes())
    for name in (*parents, last):
        rows = rows[name]

    def write(folder: Path, chosen: Rows) -> Path:
        document = json.loads(path.read_bytes())
        holder = document
        for name in parents:
            holder = holder[name]
        holder[last] = chosen
        made = folder / path.name
        made.write_text(json.dumps(document))
        return made

    return rows, write


def _helm(path: Path) -> tuple[Rows, Writer]:
    state = json.loads((path / "scenario_state.json").read_bytes())

    def write(folder: Path, rows: Rows) -> Path:
        made = Path(shutil.copytree(path, folder / path.name, copy_function=shutil.copyfile))
        made.chmod(0o755)
        (made / "scenario_state.json").write_text(json.dumps({**state, "request_states": rows}))
        return made

    return state["request_states"], write

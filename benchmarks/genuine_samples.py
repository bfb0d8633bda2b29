"""Whether genuine results of other tools give the tools' own figures when they are imported.

    python -m benchmarks.genuine_samples --pydantic-evals PYTHON --lighteval PYTHON

Each PYTHON is an interpreter with one tool, in the version of requirements.txt. The tool evaluates
a scripted model on documents made here, its results are imported, and each figure that it prints is
compared with the one computed from stored rows. No speed is measured.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmaker.arenas.standard.importers.importing import ImportedFile, import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from benchmaker.store import Store

DRIVERS = Path(__file__).parent / "genuine"
TOOLS = ("pydantic_evals", "lighteval")


class Figure(NamedTuple):
    """A figure of a tool: its name, the tool's value, and ours; None if there is none."""

    name: str
    theirs: float
    ours: float | None

    @property
    def is_equal(self) -> bool:
        """True if both are the same to the last digit."""
        return self.theirs == self.ours


def main() -> int:
    """Run the tools and print a table; the exit code is 1 if a figure or a row differs."""
    given = vars(_arguments())
    print("| Tool | Figure | The tool | Imported | Rows | Refused |")
    print("|---|---|---|---|---|---|")
    is_equal = True
    for tool in TOOLS:
        if given[tool]:
            with tempfile.TemporaryDirectory() as folder:
                is_equal = _compare(tool, given[tool], Path(folder)) and is_equal
    return int(not is_equal)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for tool in TOOLS:
        name = tool.replace("_", "-")
        parser.add_argument(f"--{name}", help=f"the interpreter with {name}")
    return parser.parse_args()


def _compare(tool: str, python: str, folder: Path) -> bool:
    """Print the figures of a tool; true if all are equal and no row is refused."""
    theirs = _run_tool(tool, python, folder)
    with Store.open(folder / "benchmaker.db") as store:
        files = list(import_evaluations(store, find_sources([folder])))
    rows = sum(one.tally.rows for one in files)
    refused = sum(one.tally.refused for one in files)
    figures = list(_figures(theirs, _values(files)))
    for one in figures:
        cells = (tool, one.name.replace("|", " "), one.theirs, one.ours, rows, refused)
        print(f"| {' | '.join(map(str, cells))} |")
    return bool(figures) and not refused and all(one.is_equal for one in figures)


def _run_tool(tool: str, python: str, folder: Path) -> dict[str, float]:
    driver = DRIVERS / f"drive_{tool}.py"
    made = subprocess.run(
        [python, str(driver), str(folder)],
        env={**os.environ, "HF_HOME": str(folder / "hf")},
        check=False,
        capture_output=True,
        text=True,
    )
    found = [it for it in made.stdout.splitlines() if it.startswith("FOUND ")]
    if not found:
        sys.exit(made.stderr[-2000:])
    values: dict[str, float] = json.loads(found[0].removeprefix("FOUND "))
    return values


def _values(files: list[ImportedFile]) -> dict[str, float | None]:
    """The figures from stored rows, under the names of the drivers."""
    return {
        _name(file.tool, one.task, one.scorer, one.metric): one.value
        for file in files
        for one in file.headline
    }


def _name(tool: str, task: str, scorer: str, metric: str) -> str:
    if tool == "pydantic_evals":
        return scorer
    ending = "_stderr" if metric == "stderr" else ""
    return f"{task} {scorer.removeprefix('lighteval/')}{ending}"


def _figures(theirs: dict[str, float], ours: dict[str, float | None]) -> Iterator[Figure]:
    for name, value in theirs.items():
        yield Figure(name, value, ours.get(name))


if __name__ == "__main__":
    sys.exit(main())

"""Baselines in files beside the tests."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult

FOLDER = "baselines"
_ENDINGS = (".baseline.json", ".json")
WRITTEN = "benchmaker_baseline"
"""The property of a test that wrote a baseline, with the path."""


@dataclass(frozen=True, slots=True)
class BaselineFile:
    """A baseline in a file. If ``is_updated``, this session writes it instead of reading it.

    ``on_write`` is called with the path after the file is written.
    """

    path: Path
    is_updated: bool = False
    on_write: Callable[[Path], object] = str

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    def write(self, result: "RunResult") -> None:
        """Write the scores of a run as the baseline, whole or not at all, without answers.

        Raises:
            SpecError: the folder or the file is not writable.
        """
        from benchmaker.engine.runs.run_baselines import baseline_of_runs
        from benchmaker.record.baselines.baseline_file import encode_baseline
        from benchmaker.record.baselines.run_baseline import without_texts
        from benchmaker.redact import Redactor
        from benchmaker.report.formats.atomic import open_atomic

        with result.place.open_store() as store:
            made = baseline_of_runs(store, result.run_ids, clean=Redactor().text)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open_atomic(self.path) as stream:
            stream.writelines(encode_baseline(without_texts(made)))
        self.on_write(self.path)


def baseline_beside(request: pytest.FixtureRequest, name: str) -> BaselineFile:
    """Return the baseline of that name in the folder beside the test.

    It is ``NAME.baseline.json``, or ``NAME.json`` if only that exists. A name that ends with
    ``.json`` is the name of the file.
    """
    folder = request.path.parent / FOLDER
    names = [name] if name.endswith(".json") else [f"{name}{ending}" for ending in _ENDINGS]
    found = [path for path in (folder / one for one in names) if path.is_file()]

    def note(path: Path) -> None:
        request.node.user_properties.append((WRITTEN, str(path)))

    return BaselineFile(
        path=found[0] if found else folder / names[0],
        is_updated=request.config.getoption("benchmaker_update_baselines"),
        on_write=note,
    )

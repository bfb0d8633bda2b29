"""The workspaces and logs that agents left, kept up to a total size."""

import os
import shutil
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.start_folder import PROJECT_NAME
from benchmaker.record.agent_trial import TrialKey

FOLDER: Final = "agent-trials"
"""The folder of all series in the data folder."""

WORKSPACES: Final = "workspaces"
LOGS: Final = "logs"
_WORK: Final = "running"
MEGABYTE: Final = 1_000_000


@dataclass(slots=True)
class KeptWorkspaces:
    """Files that agents left: ``SERIES/workspaces/TASK/SUBMISSION``, and their logs beside.

    When all series together exceed ``most_bytes``, the oldest workspaces are removed with their
    logs. ``removed`` counts them.
    """

    home: Path
    series: str
    most_bytes: int
    removed: int = 0
    _sizes: dict[Path, int] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The folder of the series."""
        return self.home / FOLDER / self.series

    def open(self) -> None:
        """Measure what earlier series left, oldest first, and remove what a killed run left."""
        shutil.rmtree(self.folder / _WORK, ignore_errors=True)
        found = sorted((self.home / FOLDER).glob(f"*/{WORKSPACES}/*/*"), key=_changed_at)
        self._sizes = {path: _size(path) + _size(_logs_of(path)) for path in found}

    def new_folder(self, key: TrialKey) -> Path:
        """The folder for what a try leaves."""
        folder = self.folder / _WORK / f"{key.submission_id}-{key.attempt_try}"
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    def keep(self, key: TrialKey, left: Path) -> None:
        """Keep what a try left, in place of what an earlier one did."""
        workspace = self.workspace(key)
        for path in (workspace, _logs_of(workspace)):
            shutil.rmtree(path, ignore_errors=True)
            path.parent.mkdir(parents=True, exist_ok=True)
        if (left / PROJECT_NAME).is_dir():
            (left / PROJECT_NAME).rename(workspace)
            left.rename(_logs_of(workspace))
            self._sizes.pop(workspace, None)
            self._sizes[workspace] = _size(workspace) + _size(_logs_of(workspace))
        self.drop(left)
        self._remove_oldest()

    def drop(self, left: Path) -> None:
        """Remove what a try left."""
        shutil.rmtree(left, ignore_errors=True)

    def close(self) -> None:
        """Remove the folder of tries, which is empty unless some were cut off."""
        shutil.rmtree(self.folder / _WORK, ignore_errors=True)

    def workspace(self, key: TrialKey) -> Path:
        """The place of a trial's workspace."""
        return self.folder / WORKSPACES / key.task / key.submission_id

    def _remove_oldest(self) -> None:
        while sum(self._sizes.values()) > self.most_bytes and self._sizes:
            oldest = next(iter(self._sizes))
            del self._sizes[oldest]
            for path in (oldest, _logs_of(oldest)):
                shutil.rmtree(path, ignore_errors=True)
            self.removed += 1


def find_kept_workspace(home: Path, submission_id: str) -> Path | None:
    """Return the kept workspace of a submission; None if there is none."""
    found = (home / FOLDER).glob(f"*/{WORKSPACES}/*/{escape(submission_id)}")
    return next(found, None)


def _logs_of(workspace: Path) -> Path:
    return workspace.parents[2] / LOGS / workspace.parent.name / workspace.name


def _changed_at(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _size(folder: Path) -> int:
    """The bytes of the files in a folder."""
    return sum(
        os.lstat(os.path.join(base, name)).st_size  # noqa: PTH118  of many files
        for base, _, names in os.walk(folder)
        for name in names
    )

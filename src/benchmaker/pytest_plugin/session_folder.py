"""The temporary folder that all processes of a pytest session share."""

import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

FOLDER_OF_WORKERS = "benchmaker_folder"
"""The key under which pytest-xdist hands the folder to its workers."""

_FOLDER = pytest.StashKey[Path]()


def folder_of(config: pytest.Config) -> Path:
    """Return the folder of the session; it is created when it is first needed.

    Raises:
        UsageError: this process is a worker on another host, which can't share runs.
    """
    if _FOLDER not in config.stash:
        given = getattr(config, "workerinput", {}).get(FOLDER_OF_WORKERS)
        config.stash[_FOLDER] = Path(given or mkdtemp(prefix="benchmaker-pytest-"))
    folder = config.stash[_FOLDER]
    if not folder.is_dir():
        raise pytest.UsageError(
            f"{folder}: no such folder. Runs of suites are shared by workers on one host only."
        )
    return folder


def existing_folder_of(config: pytest.Config) -> Path | None:
    """Return the folder of the session; None if nothing needed it."""
    return config.stash.get(_FOLDER, None)


def remove_folder(config: pytest.Config) -> None:
    """Remove the folder at the end of the session; workers leave it."""
    folder = existing_folder_of(config)
    if folder is not None and not hasattr(config, "workerinput"):
        shutil.rmtree(folder, ignore_errors=True)

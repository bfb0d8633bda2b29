"""Tasks and workspaces, made in little."""

import json
import textwrap
from pathlib import Path

from benchmaker.arenas.agentic.verify import verify
from benchmaker.spec.tasks.task_file import load_task


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text).lstrip("\n"))
    return folder


def a_task(folder: Path, *criteria: dict, files: dict[str, str] | None = None, **fields):
    """A task in a folder; ``files`` lie beside its file, as ``tests/test_a.py``."""
    body = {"id": "a-task", "prompt": "Do it.", "criteria": list(criteria), **fields}
    written(folder, {"task.yaml": json.dumps(body), **(files or {})})
    return load_task(folder)


def graded(tmp_path: Path, criterion: dict, work: dict[str, str], *, files=None, task=None, **how):
    """What became of one criterion over a workspace."""
    made = a_task(tmp_path / "task", criterion, files=files, **(task or {}))
    workspace = written(tmp_path / "work", work)
    (result,) = verify(made, workspace, **how).results
    return result

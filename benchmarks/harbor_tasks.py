"""Whether exported tasks load in Harbor itself, and come back equal.

    python -m benchmarks.harbor_tasks --python VENV/bin/python

VENV has Harbor (see benchmarks/requirements.txt); it needs Python 3.12 or newer. Each bundled task
is exported, loaded by ``harbor.models.task.task.Task`` there, and read back here.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmaker.arenas.agentic.tasks.harbor_export import export_to_harbor
from benchmaker.arenas.agentic.verify.shipped_tasks import shipped_tasks
from benchmaker.spec.tasks.task_file import load_task

LOADER = """
import json, sys
from importlib.metadata import version
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_task_verifier_mode

found = {}
for folder in sys.argv[1:]:
    task = Task(folder)
    found[folder] = {
        "name": task.name,
        "instruction": task.instruction,
        "valid": Task.is_valid_dir(folder),
        "verifier": resolve_task_verifier_mode(task.config).value,
        "artifacts": task.config.artifacts,
    }
print(json.dumps({"harbor": version("harbor"), "tasks": found}))
"""


def main() -> int:
    """Print a line for each task; exit with 1 if one does not load or differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", required=True, help="the Python that has Harbor")
    python = parser.parse_args().python
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        tasks = {str(Path(name, it.task.id)): it for it in shipped_tasks()}
        for folder, task in tasks.items():
            export_to_harbor(task, Path(folder))
        said = subprocess.run(
            [python, "-c", LOADER, *tasks], capture_output=True, text=True, check=True
        )
        loaded = json.loads(said.stdout)
        print(f"Harbor {loaded['harbor']}")
        for folder, task in tasks.items():
            there, back = loaded["tasks"][folder], load_task(folder)
            is_loaded = there["valid"] and there["instruction"] == task.task.prompt
            is_equal = (back.task, back.digest) == (task.task, task.digest)
            faults += not (is_loaded and is_equal)
            words = "loads" if is_loaded else "DOES NOT LOAD"
            equal = "comes back equal" if is_equal else "COMES BACK CHANGED"
            print(f"{task.task.id}: {words}, {there['verifier']} verifier, {equal}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""Executes the steps of an adapter of harbor inside the container, as its first process.

Started as ``python -I -S -B start_script.py HOME`` with the steps as JSON on standard input. HOME
is the folder of the image in which the agent was installed; it is read-only, so its files are
linked into the home of the trial.
"""

import base64
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Final

SHELLS: Final = ("bash", "sh")
_COPIED_BYTES: Final = 65_536
_COPIED_DEPTH: Final = 3


def main() -> int:
    """Execute the steps; the status of the first whose failure fails the run, else 0."""
    steps = json.load(sys.stdin)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    link_home(Path(sys.argv[1]), Path(os.environ["HOME"]))
    for step in steps:
        status = execute_step(step)
        if status:
            for following in step["on_failure"]:
                execute_step(following)
            return status if step["fails"] else 0
    return 0


def link_home(installed: Path, home: Path, depth: int = 1) -> None:
    """Link the installed files into the home; folders and small settings can be written to."""
    home.mkdir(parents=True, exist_ok=True)
    for entry in os.scandir(installed) if installed.is_dir() else ():
        place = home / entry.name
        if entry.is_dir(follow_symlinks=False):
            link_home(Path(entry.path), place, depth + 1)
        elif os.path.lexists(place):
            continue
        elif entry.is_symlink():
            place.symlink_to(Path(entry.path).readlink())
        elif depth <= _COPIED_DEPTH and entry.stat().st_size <= _COPIED_BYTES:
            shutil.copy(entry.path, place)
        else:
            place.symlink_to(entry.path)


def execute_step(step: dict[str, Any]) -> int:
    """Execute a step; return its status, 1 if a file can't be written."""
    if "command" in step:
        return run(step)
    try:
        if "file" in step:
            write(Path(step["file"]), base64.b64decode(step["content"]))
        else:
            copy(Path(step["copy"]), Path(step["to"]))
    except OSError as exc:
        sys.stderr.write(f"{exc}\n")
        return 1
    return 0


def run(step: dict[str, Any]) -> int:
    """Run a command by a shell; 128 and the signal's number if one ended it, as in a shell."""
    shell = next((it for it in SHELLS if shutil.which(it)), SHELLS[-1])
    env = {**os.environ, **step["env"]}
    child = os.fork()
    if child == 0:
        try:
            if step["cwd"]:
                os.chdir(step["cwd"])
            os.execvpe(shell, [shell, "-c", step["command"]], env)  # noqa: S606  in the container
        except OSError as exc:
            os.write(2, f"{shell}: {exc.strerror}\n".encode())
        os._exit(127)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


def write(path: Path, content: bytes) -> None:
    """Write a file, private to the agent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o600)


def copy(source: Path, target: Path) -> None:
    """Copy a file or a folder into the folder of logs."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


if __name__ == "__main__":
    sys.exit(main())

"""One run of a tool behind the walls of the product's own sandbox."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import benchmaker
from benchmaker.arenas.agentic.running.agent_run import TRIAL_LIMITS
from benchmaker.arenas.agentic.running.scripted.model import Sent
from benchmaker.arenas.agentic.running.scripted.script import Tokens
from benchmaker.sandbox import (
    WORKSPACE,
    CommandResult,
    Isolation,
    Outputs,
    SandboxCommand,
    interpreter_reads,
    require,
    run_sandboxed,
)
from drift.installing import Installed
from drift.tool import HOME, PROJECT, Tool

HERE = Path(__file__).resolve().parent
PACKAGE = Path(benchmaker.__file__).resolve().parent
PLAN = ".drift"
CERTIFICATES = Path("/etc/ssl/certs")
"""Some tools don't start without certificates, even if they use none."""

TIMEOUT_S = 600
LIMITS = replace(TRIAL_LIMITS, wall_s=700, cpu_s=400)


class NotRunError(Exception):
    """The tool did not complete the script; the message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """The files that a run left in ``folder``, and what the model sent."""

    folder: Path
    sent: tuple[Sent, ...]
    returned: tuple[str, ...]

    @property
    def home(self) -> Path:
        """The tool's home."""
        return self.folder / "home"

    def paths(self, pattern: str) -> list[Path]:
        """The files of a form: printed output, or files below the workspace."""
        root = self.folder / PLAN if pattern.startswith("out.") else self.folder
        return sorted(root.glob(pattern))


@contextmanager
def ran(tool: Tool, made: Installed, *, keep: Path | None = None) -> Iterator[Ran]:
    """Run the tool through its script; its files exist until the end of the block.

    Raises:
        NotRunError: it stopped before the end of the script, or did not return to the model what
            a command printed, so that its log can't contain it.
    """
    with tempfile.TemporaryDirectory() as name:
        workspace, left = Path(name) / "in", (keep or Path(name)) / "left"
        _lay(tool, made, workspace)
        ended = run_sandboxed(
            _command(made),
            workspace,
            isolation=require(Isolation.NAMESPACE),
            limits=LIMITS,
            outputs=Outputs(left, ("home", "project", PLAN)),
        )
        yield _checked(tool, left, ended)


def _lay(tool: Tool, made: Installed, workspace: Path) -> None:
    """Prepare the workspace: home, project, the tool's files, and the plan of the run."""
    for folder in ("home", "project", PLAN):
        (workspace / folder).mkdir(parents=True)
    for name, content in tool.files.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    stands_for = {"{program}": str(made.program), "{python}": str(made.python)}
    plan = {
        "turns": [asdict(turn) for turn in tool.turns],
        "calls": tool.calls,
        "commands": [[stands_for.get(it, it) for it in words] for words in tool.commands],
        "env": _environment(tool, made),
        "cwd": PROJECT,
        "timeout_s": TIMEOUT_S,
    }
    (workspace / PLAN / "plan.json").write_text(json.dumps(plan), encoding="utf-8")


def _environment(tool: Tool, made: Installed) -> dict[str, str]:
    return {
        "PATH": f"{made.program.parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "CI": "1",
        **tool.environment,
    }


def _command(made: Installed) -> SandboxCommand:
    folders = {it: str(it) for it in (HERE, PACKAGE, *made.folders, CERTIFICATES) if it.exists()}
    return SandboxCommand(
        (sys.executable, "-m", "drift.walled", f"{WORKSPACE}/{PLAN}/plan.json"),
        env={
            "PYTHONPATH": os.pathsep.join(map(str, (HERE.parent, PACKAGE.parent))),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        reads={**interpreter_reads(), **_visible(folders)},
    )


def _visible(folders: dict[Path, str]) -> dict[Path, str]:
    """The folders that are not visible behind the walls anyway."""
    return {path: inside for path, inside in folders.items() if not path.is_relative_to("/usr")}


def _checked(tool: Tool, left: Path, ended: CommandResult) -> Ran:
    path = left / PLAN / "sent.json"
    if not path.exists():
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NotRunError(f"{ended.reason} {ended.detail} {said[-1] if said else ''}".strip())
    data = json.loads(path.read_text(encoding="utf-8"))
    sent = tuple(Sent(**it | {"tokens": Tokens(**it["tokens"])}) for it in data["sent"])
    turns = {it.turn for it in sent if it.turn is not None}
    if len(turns) < len(tool.turns):
        raise NotRunError(_stopped(data, left, len(turns), len(tool.turns)))
    for turn in tool.turns:
        if turn.output and not any(turn.output in it for it in data["returned"]):
            raise NotRunError(f"the tool itself lost the output of “{turn.command}”")
    return Ran(left, sent, tuple(data["returned"]))


def _stopped(data: dict[str, Any], left: Path, turns: int, wanted: int) -> str:
    """After how many answers it stopped, and the last line of its output."""
    streams = [left / PLAN / "err.0", left / PLAN / "out.0"]
    said = [it.read_text("utf-8", "replace").strip() for it in streams]
    last = next((it.splitlines()[-1] for it in said if it), "no output")
    return f"stopped after {turns} of {wanted} answers, status {data['codes'][0]}: {last[:200]}"

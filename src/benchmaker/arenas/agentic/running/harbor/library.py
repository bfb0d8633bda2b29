"""The installed library harbor: where it is, and questions about its adapters."""

import importlib.util
import json
import os
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmaker.arenas.agentic.running.harbor import adapter_script
from benchmaker.errors import PrerequisiteError, SandboxError, SpecError
from benchmaker.sandbox import GATEWAY_URL
from benchmaker.spec.agents.adapter import WireName

INSTALL: Final = "uv tool install harbor"
"""The command that installs the library."""

PLAN_S: Final = 180.0
_INSTALL_HINT: Final = (
    f"Install it with: {INSTALL} (or pip install harbor, in Python 3.12 or newer)"
)
_SAID: Final = 300


@dataclass(frozen=True, slots=True)
class HarborAdapter:
    """An adapter of harbor: its name, the library's version and Python, and its protocol."""

    name: str
    version: str
    python: str
    wire: WireName
    has_effort: bool = False

    @property
    def title(self) -> str:
        """The version as rows have it; it is the library's, whose adapter was run."""
        return f"harbor {self.version}"


def library_python() -> str:
    """The Python that has harbor: this one, or that of the program ``harbor``; empty without."""
    spec = importlib.util.find_spec("harbor")  # finds a package without importing it
    if spec is not None and spec.origin:
        return sys.executable
    program = shutil.which("harbor")
    if program is None:
        return ""
    python = Path(program).resolve().parent / "python"
    return str(python) if python.is_file() else ""


def require_library(name: str) -> str:
    """Return the Python that has harbor.

    Raises:
        PrerequisiteError: there is none; the hint is the command that installs it.
    """
    if python := library_python():
        return python
    raise PrerequisiteError(
        f"{name} needs the library harbor, which is not installed.", hint=_INSTALL_HINT
    )


def find_adapter(name: str) -> HarborAdapter:
    """Return an adapter by harbor's name for it.

    Raises:
        PrerequisiteError: harbor is not installed, or has another interface.
        SpecError: it has no such adapter, or one that can't be run here.
    """
    python = require_library(f"harbor:{name}")
    return _adapter(name, python)


@cache
def _adapter(name: str, python: str) -> HarborAdapter:
    try:
        found = ask_library(python, "describe", {"name": name})
    except SandboxError as exc:
        is_other = "is not supported" in exc.message
        kind = PrerequisiteError if is_other else SpecError
        hint = f"Upgrade it: {INSTALL} --upgrade" if is_other else "See: benchmaker agents list"
        raise kind(exc.message, hint=hint) from exc
    return HarborAdapter(name, found["version"], python, found["wire"], found["has_effort"])


def every_adapter() -> tuple[HarborAdapter, ...]:
    """The adapters that can be run here, by name; none without the library.

    Raises:
        SandboxError: the library can't be used.
    """
    python = library_python()
    found = ask_library(python, "names") if python else {}
    return tuple(
        HarborAdapter(name, it["version"], python, it["wire"], it["has_effort"])
        for name, it in found.items()
        if "error" not in it
    )


def plan_steps(
    adapter: HarborAdapter, values: Mapping[str, str], *, user: str
) -> list[dict[str, Any]]:
    """The steps of a trial; ``user`` is the user and group inside, as numbers.

    Raises:
        SandboxError: the adapter raises, or its run can't be planned.
    """
    given = {name: values[name] for name in ("prompt", "model", "token", "effort")}
    steps: list[dict[str, Any]] = ask_library(
        adapter.python, "plan", {"name": adapter.name, "user": user, **given}
    )
    return steps


def convert_logs(adapter: HarborAdapter, logs: Path) -> bool:
    """Have the adapter write ``trajectory.json`` into the folder of its logs; True if it did."""
    try:
        return bool(
            ask_library(adapter.python, "convert", {"name": adapter.name, "logs": str(logs)})
        )
    except SandboxError:
        return False


def ask_library(
    python: str,
    question: str,
    request: Mapping[str, object] | None = None,
    *,
    seconds: float = PLAN_S,
) -> Any:  # noqa: ANN401  JSON
    """Ask the library a question, in a process of its Python without our environment.

    Raises:
        SandboxError: it has no answer.
    """
    asked = {"question": question, "base_url": GATEWAY_URL, **(request or {})}
    with tempfile.TemporaryDirectory(prefix="benchmaker-harbor-") as folder:
        try:
            done = subprocess.run(  # noqa: S603  the Python that was found
                [python, "-P", "-B", adapter_script.__file__],
                input=json.dumps(asked).encode(),
                capture_output=True,
                cwd=folder,
                env=_environment(python, folder),
                timeout=seconds,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            raise SandboxError(f"harbor gave no answer: {exc}") from exc
    return _answer(done)


def _environment(python: str, folder: str) -> dict[str, str]:
    """A home without credentials, and no price list fetched at import."""
    own = {}
    if python == sys.executable:
        own = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        own["PYTHONUSERBASE"] = site.getuserbase()
    path = os.environ.get("PATH", os.defpath)
    fixed = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LANG": "C.UTF-8"}
    return {"PATH": path, "HOME": folder, **fixed, **own}


def _answer(done: subprocess.CompletedProcess[bytes]) -> Any:  # noqa: ANN401  JSON
    try:
        reply = json.loads(done.stdout)
    except ValueError as exc:
        said = done.stderr.decode("utf-8", "replace").strip()[-_SAID:]
        raise SandboxError(f"harbor gave no answer (status {done.returncode}): {said}") from exc
    if "error" in reply:
        raise SandboxError(str(reply["error"]))
    return reply["done"]

"""The command of a trial with an agent of harbor."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.running.harbor import start_script
from benchmaker.arenas.agentic.running.harbor.agent_image import AGENT_HOME
from benchmaker.arenas.agentic.running.harbor.library import HarborAdapter, plan_steps
from benchmaker.sandbox import SandboxCommand
from benchmaker.sandbox.container import container_user
from benchmaker.sandbox.mounted_python import mounted_python

LOGS: Final = ".harbor-logs"
INSTALLED: Final = ".installed-agent"
"""The folders of the home that the container has as /logs/agent and /installed-agent."""

_SCRIPT: Final = "/run/benchmaker/harbor_start.py"


def trial_command(
    adapter: HarborAdapter,
    image: str,
    values: Mapping[str, str],
    env: Mapping[str, str],
    places: Mapping[str, str],
    *,
    home: str,
    cwd: str,
) -> SandboxCommand:
    """The command that executes the adapter's steps; ``home`` is its folder in the workspace.

    Raises:
        SandboxError: the adapter's run can't be planned.
    """
    steps = plan_steps(adapter, values, user=container_user())
    python, reads = mounted_python()
    return SandboxCommand(
        (*python, "-I", "-S", "-B", _SCRIPT, AGENT_HOME),
        cwd=cwd,
        env=env,
        stdin=json.dumps(steps).encode(),
        reads={**reads, Path(start_script.__file__): _SCRIPT},
        places={
            **places,
            "/logs/agent": f"{home}/{LOGS}",
            "/installed-agent": f"{home}/{INSTALLED}",
        },
        image=image,
    )

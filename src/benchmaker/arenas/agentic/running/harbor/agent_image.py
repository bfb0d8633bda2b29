"""Images with an agent of harbor: the image of a task, and the agent installed in it."""

import hashlib
import json
from threading import Lock
from typing import Final

from benchmaker.arenas.agentic.running.harbor.library import HarborAdapter, ask_library
from benchmaker.errors import PrerequisiteError, SandboxError
from benchmaker.sandbox.container_images import (
    BUILD_S,
    build_container,
    commit_image,
    has_image,
    image_id,
)
from benchmaker.sandbox.container_program import own_environment, program_found

AGENT_HOME: Final = "/opt/benchmaker-agent"
"""The home in which agents are installed, readable by all."""

BUILT: Final = "localhost/benchmaker-agent"
_FINISH: Final = (
    f"mkdir -p /logs/agent /installed-agent {AGENT_HOME}/.installed-agent && "
    f"cp -a /installed-agent/. {AGENT_HOME}/.installed-agent/ && "
    f"chmod -R a+rX {AGENT_HOME}"
)
_lock: Final = Lock()


def agent_image(adapter: HarborAdapter, base: str) -> str:
    """Return the image with the agent in it; it is built once, with the network.

    Raises:
        PrerequisiteError: the agent can't be installed in the image.
        SandboxError: the engine fails.
    """
    program = program_found()
    image = f"{BUILT}:{_tag(adapter, image_id(program, base))}"
    with _lock:
        if not has_image(program, image):
            _build(program, image, adapter, base)
    return image


def _tag(adapter: HarborAdapter, base_id: str) -> str:
    text = json.dumps([adapter.name, adapter.version, base_id])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _build(program: str, image: str, adapter: HarborAdapter, base: str) -> None:
    with build_container(program, base) as container:
        try:
            container.execute("mkdir", "-p", AGENT_HOME, seconds=BUILD_S)
            request = {
                "name": adapter.name,
                "program": program,
                "container": container.name,
                "home": AGENT_HOME,
                "variables": own_environment(),
            }
            ask_library(adapter.python, "install", request, seconds=BUILD_S)
            container.execute("sh", "-c", _FINISH, seconds=BUILD_S)
        except SandboxError as exc:
            raise PrerequisiteError(
                f"harbor:{adapter.name} can't be installed in the image {base}: {exc.message}",
                hint="Installing needs the network: check that containers have it.",
            ) from exc
        commit_image(program, container.name, image)

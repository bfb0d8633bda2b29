"""A stand-in for the library harbor: the interface of its adapters, with small agents.

Names, signatures and the order of calls are those of harbor 0.26 (``agents/base.py``,
``agents/installed/base.py``, ``agents/factory.py``): adapters execute commands by
``environment.exec``, and a command that fails raises.
"""

from pathlib import Path

TINY = Path(__file__).parent / "running" / "tiny_agent.py"
VERSION = "0.26.0"

FILES = {
    "harbor/__init__.py": """
import os
from pathlib import Path

for name in os.environ:
    assert "KEY" not in name, name
""",
    "harbor/models/__init__.py": "",
    "harbor/models/agent/__init__.py": "",
    "harbor/models/agent/name.py": """
from enum import Enum

class AgentName(str, Enum):
    TINY = "tiny"
    CAREFUL = "careful"
    HOST = "host"
    KEYLESS = "keyless"
    DEAF = "deaf"
    CURIOUS = "curious"
    UNINSTALLABLE = "uninstallable"
""",
    "harbor/models/agent/context.py": "class AgentContext:\n    n_input_tokens = None\n",
    "harbor/environments/__init__.py": "",
    "harbor/environments/base.py": """
from dataclasses import dataclass

@dataclass
class ExecResult:
    return_code: int
    stdout: str | None = None
    stderr: str | None = None
""",
    "harbor/agents/__init__.py": "",
    "harbor/agents/base.py": """
from types import SimpleNamespace

class BaseAgent:
    capabilities = SimpleNamespace(base_url=True, reasoning_effort=False)
    MODEL_CONNECTION = None

    def __init__(self, logs_dir, model_name=None, *, base_url=None, model_api_format=None, **more):
        assert not more, more
        self.logs_dir, self.model_name = logs_dir, model_name
        self.base_url, self.model_api_format = base_url, model_api_format

    def version(self):
        return None
""",
    "harbor/agents/installed/__init__.py": "",
    "harbor/agents/installed/base.py": """
from harbor.agents.base import BaseAgent

class BaseInstalledAgent(BaseAgent):
    async def install(self, environment):
        raise NotImplementedError

    async def setup(self, environment):
        await environment.exec(command="mkdir -p /installed-agent", user="root")
        await self.install(environment)

    async def run(self, instruction, environment, context):
        raise NotImplementedError

    async def exec_as_agent(self, environment, command, env=None):
        done = await environment.exec(command=f"set -o pipefail; {command}", env=env)
        if done.return_code != 0:
            raise RuntimeError(f"Command failed (exit {done.return_code}): {done.stderr}")
        return done
""",
    "harbor/agents/factory.py": """
from harbor.models.agent.name import AgentName

class AgentFactory:
    @classmethod
    def registered_names(cls):
        return sorted(it.value for it in AgentName)

    @classmethod
    def get_agent_class(cls, name):
        from harbor.agents import small
        return getattr(small, name.value.capitalize())
""",
    "harbor/agents/small.py": """
import json
import os
import shlex
from pathlib import Path
from types import SimpleNamespace

from harbor.agents.base import BaseAgent
from harbor.agents.installed.base import BaseInstalledAgent

CHAT = SimpleNamespace(supported_api_formats=["openai_chat_completions"])
PROGRAM = Path("TINY_AGENT").read_text()

class Tiny(BaseInstalledAgent):
    MODEL_CONNECTION = CHAT

    async def install(self, environment):
        tiny = "mkdir -p ~/.local/bin && printf %s " + shlex.quote(PROGRAM) + " > ~/.local/bin/tiny"
        await self.exec_as_agent(environment, tiny)
        await self.exec_as_agent(environment, "echo made > /installed-agent/mark")

    def env(self, instruction):
        assert self.model_name.startswith("openai/")
        assert self.base_url.endswith("/v1"), self.base_url
        return {
            "BENCHMAKER_BASE_URL": self.base_url.removesuffix("/v1"),
            "BENCHMAKER_TOKEN": os.environ["OPENAI_API_KEY"],
            "BENCHMAKER_MODEL": self.model_name.partition("/")[2],
            "BENCHMAKER_PROMPT": instruction,
        }

    async def run(self, instruction, environment, context):
        made = Path(self.logs_dir, "settings")
        made.write_text("settings of the agent")
        await environment.upload_file(made, "/tmp/own/settings")
        try:
            await self.exec_as_agent(
                environment,
                "cat /installed-agent/mark && python3 -IS ~/.local/bin/tiny chat "
                "/logs/agent/run.traj.json | tee /logs/agent/tiny.txt",
                env=self.env(instruction),
            )
        finally:
            await environment.download_file("/tmp/own/settings", self.logs_dir / "settings")

class Careful(Tiny):
    "Its log is one that only its adapter can read, and its run fails."
    capabilities = SimpleNamespace(base_url=True, reasoning_effort=True)

    def __init__(self, *args, reasoning_effort=None, **more):
        super().__init__(*args, **more)

    async def run(self, instruction, environment, context):
        try:
            await self.exec_as_agent(
                environment,
                "python3 -IS ~/.local/bin/tiny chat /tmp/run; printf 7 > /logs/agent/own.log; "
                "exit 9",
                env=self.env(instruction),
            )
        finally:
            await environment.exec("printf over > over.txt")

    def populate_context_post_run(self, context):
        steps = [
            {"step_id": 1, "source": "user", "message": "Write it."},
            {
                "step_id": 2,
                "source": "agent",
                "message": (self.logs_dir / "own.log").read_text(),
                "metrics": {"prompt_tokens": 5, "completion_tokens": 2},
            },
        ]
        agent = {"name": "careful", "version": "1"}
        made = {"schema_version": "ATIF-v1.2", "session_id": "s-1", "agent": agent, "steps": steps}
        (self.logs_dir / "trajectory.json").write_text(json.dumps(made))

class Host(BaseAgent):
    "It calls the model from outside of the container."
    MODEL_CONNECTION = CHAT

class Keyless(Tiny):
    MODEL_CONNECTION = None

class Deaf(Tiny):
    async def run(self, instruction, environment, context):
        await self.exec_as_agent(environment, "tiny")

class Curious(Tiny):
    async def run(self, instruction, environment, context):
        await self.exec_as_agent(environment, environment.task_env_config.workdir)

class Uninstallable(Tiny):
    async def install(self, environment):
        await self.exec_as_agent(environment, "echo no route to host >&2; exit 6")
""",
}


def add_harbor(folder, monkeypatch, **changed):
    """Put the library into the Python path of this process; None as content leaves a file out."""
    place = folder / "python-path"
    metadata = f"Metadata-Version: 2.1\nName: harbor\nVersion: {VERSION}\n"
    files = {f"harbor-{VERSION}.dist-info/METADATA": metadata, **FILES, **changed}
    for name, text in files.items():
        if text is not None:
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("TINY_AGENT", str(TINY)), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.syspath_prepend(str(place))

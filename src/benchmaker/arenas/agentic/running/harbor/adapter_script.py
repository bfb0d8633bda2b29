"""Answers one question about harbor's adapters; runs in the Python that has harbor.

It reads a JSON request from standard input and prints a JSON reply: ``{"done": …}``, or
``{"error": …}``. The environment holds no key of the user, so no adapter can find one.

``plan`` runs the adapter against an environment that records its commands in place of executing
them. It runs once for each command that could fail, to learn what the adapter does then.
"""

import asyncio
import base64
import importlib
import importlib.metadata
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

FORMATS: Final = {
    "chat": ("openai_chat_completions", "openai", "/v1"),
    "responses": ("openai_responses", "openai", "/v1"),
    "messages": ("anthropic_messages", "anthropic", ""),
    "gemini": ("google_generate_content", "gemini", ""),
}
"""The wires: harbor's word, the provider before a model, and the end of the base URL."""

KEYS: Final = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
LOGS: Final = "/logs/agent"
MOST_STEPS: Final = 40
SHELL: Final = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$0"; fi; exec sh -c "$0"'
"""Starts a command by bash, as harbor does, or by sh until bash is installed."""

_EXAMPLE: Final = {"base_url": "http://127.0.0.1:1", "prompt": "Example.", "user": "1:1"}
_IDENTITY: Final = re.compile(r'printf "([^"]*)" "\$\(id -u\)" "\$\(id -g\)"')
_ENCODED: Final = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


class UnusableAdapter(Exception):
    """A reason why an adapter can't be used."""


class MissingPart(UnusableAdapter, AttributeError):
    """An attribute of harbor's environments that this one lacks."""


class Harbor:
    """The parts of the library that are used; refuses versions without them."""

    def __init__(self) -> None:
        self.version = importlib.metadata.version("harbor")
        self.factory = self._part("harbor.agents.factory", "AgentFactory")
        self.names = self._part("harbor.models.agent.name", "AgentName")
        self.base = self._part("harbor.agents.installed.base", "BaseInstalledAgent")
        self.context = self._part("harbor.models.agent.context", "AgentContext")
        self.result = self._part("harbor.environments.base", "ExecResult")
        for owner, name in (
            (self.factory, "get_agent_class"),
            (self.factory, "registered_names"),
            (self.base, "install"),
            (self.base, "setup"),
            (self.base, "run"),
            (self.base, "MODEL_CONNECTION"),
            (self.base, "capabilities"),
        ):
            self._require(hasattr(owner, name), f"{owner.__name__}.{name}")

    def _part(self, module: str, name: str) -> Any:  # noqa: ANN401  of a library not imported here
        try:
            found = getattr(importlib.import_module(module), name, None)
        except ModuleNotFoundError as exc:
            if not (exc.name or "").startswith("harbor"):
                raise
            found = None
        self._require(found is not None, f"{module}.{name}")
        return found

    def _require(self, is_there: bool, what: str) -> None:  # noqa: FBT001  a condition
        if not is_there:
            msg = f"harbor {self.version} is not supported: it has no {what}."
            raise UnusableAdapter(msg)

    def agent_class(self, name: str) -> Any:  # noqa: ANN401  a class of harbor
        """The class of an adapter."""
        if name not in self.factory.registered_names():
            msg = f"harbor {self.version} has no agent {name!r}."
            raise UnusableAdapter(msg)
        return self.factory.get_agent_class(self.names(name))


def main() -> None:
    """Answer the request; whatever the library prints goes to the errors."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    request = json.load(sys.stdin)
    try:
        reply: dict[str, object] = {"done": ANSWERS[request["question"]](Harbor(), request)}
    except UnusableAdapter as exc:
        reply = {"error": str(exc)}
    except Exception as exc:  # noqa: BLE001  whatever an adapter raises is its answer
        reply = {"error": f"{type(exc).__name__}: {exc}"}
    json.dump(reply, answer)
    answer.close()


def names(harbor: Harbor, _: Mapping[str, Any]) -> object:
    """All adapters by name: as ``describe`` has them, or the reason why one can't be run."""
    found: dict[str, object] = {}
    for name in harbor.factory.registered_names():
        try:
            found[name] = describe_adapter(harbor, {"name": name})
        except Exception as exc:  # noqa: BLE001  whatever an adapter raises
            found[name] = {"error": str(exc)}
    return found


def describe_adapter(harbor: Harbor, request: Mapping[str, Any]) -> dict[str, Any]:
    """The wire of an adapter, and what it can do; one whose run can't be planned is refused."""
    name = request["name"]
    cls = harbor.agent_class(name)
    if not issubclass(cls, harbor.base):
        msg = f"harbor's {name} is not a program that is installed in a container."
        raise UnusableAdapter(msg)
    wire = wire_of(cls, name)
    plan(harbor, _EXAMPLE | {"name": name})
    return {
        "version": harbor.version,
        "wire": wire,
        "has_effort": bool(getattr(cls.capabilities, "reasoning_effort", False)),
    }


def wire_of(cls: Any, name: str) -> str:  # noqa: ANN401  a class of harbor
    """The protocol that an adapter sends to a base URL."""
    connection = cls.MODEL_CONNECTION
    known = [str(it) for it in getattr(connection, "supported_api_formats", ())]
    wire = next((wire for wire, (word, _, _) in FORMATS.items() if word in known), None)
    if wire is None or not getattr(cls.capabilities, "base_url", False):
        msg = f"harbor's {name} can't be pointed at the gateway: it takes no base URL."
        raise UnusableAdapter(msg)
    return wire


def made_agent(harbor: Harbor, request: Mapping[str, Any], logs: str) -> Any:  # noqa: ANN401
    """An adapter that uses the gateway."""
    name = request["name"]
    cls = harbor.agent_class(name)
    word, provider, end = FORMATS[wire_of(cls, name)]
    os.environ[KEYS[provider]] = request.get("token") or "none"
    os.environ["HARBOR_ALLOW_INSECURE_MODEL_BASE_URL"] = "true"  # the gateway is on loopback
    effort = {"reasoning_effort": request["effort"]} if request.get("effort") else {}
    return cls(
        logs_dir=Path(logs),
        model_name=f"{provider}/{request.get('model') or 'none'}",
        base_url=f"{request['base_url']}{end}",
        model_api_format=word,
        **effort,
    )


def install(harbor: Harbor, request: Mapping[str, Any]) -> str:
    """Install an agent in a running container, with the network; return the agent's version."""
    with tempfile.TemporaryDirectory() as logs:
        agent = made_agent(harbor, request, logs)
        asyncio.run(agent.setup(ContainerEnvironment(harbor.result, request)))
        return str(agent.version() or "")


def plan(harbor: Harbor, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The steps of a run; each with what follows if it fails, and if the run fails then."""
    with tempfile.TemporaryDirectory() as logs:

        def record(fails_at: int | None) -> tuple[list[dict[str, Any]], bool]:
            environment = RecordingEnvironment(harbor.result, request["user"], fails_at, logs)
            agent = made_agent(harbor, request, logs)
            run = agent.run(request["prompt"], environment, harbor.context())
            try:
                asyncio.run(run)
            except UnusableAdapter:
                raise
            except Exception:
                if fails_at is None:
                    raise
                return environment.steps, True
            return environment.steps, False

        steps, _ = record(None)
        for at in range(len(steps)):
            followed, is_failed = record(at)
            steps[at] |= {"on_failure": followed[at + 1 :], "fails": is_failed}
    if not mentions(steps, request["base_url"]):
        msg = f"harbor's {request['name']} does not pass on the base URL of the gateway."
        raise UnusableAdapter(msg)
    return steps


def mentions(steps: list[dict[str, Any]], base_url: str) -> bool:
    """True if the steps contain the base URL, plainly or in base64."""
    text = json.dumps(steps)
    return base_url in text or any(
        base_url.encode() in base64.b64decode(part + "=" * (-len(part) % 4))
        for part in (word.rstrip("=") for word in _ENCODED.findall(text))
        if len(part) % 4 != 1
    )


def convert(harbor: Harbor, request: Mapping[str, Any]) -> bool:
    """Have the adapter write ``trajectory.json`` out of the logs of a folder."""
    agent = made_agent(harbor, request, request["logs"])
    agent.populate_context_post_run(harbor.context())
    return Path(request["logs"], "trajectory.json").is_file()


class Environment:
    """The attributes of harbor's environments that adapters read."""

    default_user = None
    session_id = "benchmaker"
    context_id = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  of any adapter
        if name.startswith("__"):
            raise AttributeError(name)
        msg = f"the adapter uses environment.{name}, which is not available here."
        raise MissingPart(msg)


class RecordingEnvironment(Environment):
    """Records commands and files; the command ``fails_at`` fails, the others succeed silently."""

    def __init__(self, result: Any, user: str, fails_at: int | None, logs: str) -> None:  # noqa: ANN401
        self.result = result
        self.identity = tuple(user.split(":"))
        self.fails_at = fails_at
        self.logs = Path(logs)
        self.steps: list[dict[str, Any]] = []

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
        **_: object,
    ) -> Any:  # noqa: ANN401  a result of harbor
        """Record a command; its output is empty, except for the user's numbers."""
        del timeout_sec, user  # the limits and the user of the trial apply
        if len(self.steps) >= MOST_STEPS:
            msg = f"the adapter runs more than {MOST_STEPS} commands, or waits for one's output."
            raise UnusableAdapter(msg)
        self._add({"command": command, "cwd": cwd, "env": dict(env or {})})
        found = _IDENTITY.search(command)
        said = found[1].replace("\\n", "\n") % self.identity if found else ""
        status = int(self.fails_at == len(self.steps) - 1)
        return self.result(stdout=said, stderr="", return_code=status)

    async def upload_file(self, source: str | Path, target: str) -> None:
        """Record a file with its content."""
        self._add_file(Path(source), str(target))

    async def upload_dir(self, source: str | Path, target: str, **_: object) -> None:
        """Record the files of a folder."""
        for path in files_below(Path(source)):
            inside = PurePosixPath(target, *path.relative_to(source).parts)
            self._add_file(path, str(inside))

    async def download_file(self, source: str, target: str | Path) -> None:
        """Record a copy into the folder of logs, which is collected."""
        self._add({"copy": str(source), "to": self._in_logs(target)})

    async def download_dir(self, source: str, target: str | Path, **_: object) -> None:
        """As :meth:`download_file`."""
        await self.download_file(source, target)

    def _add_file(self, source: Path, target: str) -> None:
        content = base64.b64encode(source.read_bytes()).decode("ascii")
        self._add({"file": target, "content": content})

    def _in_logs(self, target: str | Path) -> str:
        path = Path(target)
        if not path.is_relative_to(self.logs):
            msg = f"the adapter copies files to {path}, which is not its folder of logs."
            raise UnusableAdapter(msg)
        return str(PurePosixPath(LOGS, *path.relative_to(self.logs).parts))

    def _add(self, step: dict[str, Any]) -> None:
        self.steps.append(step | {"on_failure": [], "fails": False})


def files_below(folder: Path) -> list[Path]:
    """The files of a folder and its folders, in order."""
    return sorted(it for it in folder.rglob("*") if it.is_file())


class ContainerEnvironment(Environment):
    """Executes commands in a container of podman or docker, as root."""

    def __init__(self, result: Any, request: Mapping[str, Any]) -> None:  # noqa: ANN401
        self.result = result
        self.engine: list[str] = [request["program"]]
        self.container: str = request["container"]
        self.home: str = request["home"]
        self.variables: dict[str, str] = request["variables"]

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
        **_: object,
    ) -> Any:  # noqa: ANN401  a result of harbor
        """Execute a command."""
        del user  # the container is only built in; its users are not those of the trial
        inside = {"HOME": self.home, **(env or {})}
        words = ["exec", "--user", "0:0"]
        words += ["--workdir", cwd] if cwd else []
        words += [word for name, value in inside.items() for word in ("--env", f"{name}={value}")]
        done = self._call(*words, self.container, "sh", "-c", SHELL, command, seconds=timeout_sec)
        return self.result(
            stdout=done.stdout.decode("utf-8", "replace"),
            stderr=done.stderr.decode("utf-8", "replace"),
            return_code=done.returncode,
        )

    async def upload_file(self, source: str | Path, target: str) -> None:
        """Copy a file into the container."""
        self._copy(str(source), f"{self.container}:{target}")

    async def upload_dir(self, source: str | Path, target: str, **_: object) -> None:
        """Copy the content of a folder into the container."""
        await self.exec(f"mkdir -p {target}")
        self._copy(f"{source}/.", f"{self.container}:{target}")

    async def is_file(self, path: str, **_: object) -> bool:
        """True if the file is in the container."""
        return bool((await self.exec(f"test -f '{path}'")).return_code == 0)

    async def is_dir(self, path: str, **_: object) -> bool:
        """True if the folder is in the container."""
        return bool((await self.exec(f"test -d '{path}'")).return_code == 0)

    def _copy(self, source: str, target: str) -> None:
        done = self._call("cp", source, target)
        if done.returncode != 0:
            raise UnusableAdapter(done.stderr.decode("utf-8", "replace").strip())

    def _call(
        self, *words: str, seconds: float | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603  the engine that was found
            [*self.engine, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=self.variables,
            timeout=seconds,
            check=False,
        )


ANSWERS: Final[dict[str, Callable[[Harbor, Mapping[str, Any]], Any]]] = {
    "names": names,
    "describe": describe_adapter,
    "install": install,
    "plan": plan,
    "convert": convert,
}

if __name__ == "__main__":
    main()

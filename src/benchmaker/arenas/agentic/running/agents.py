"""The agents that can be run: bundled adapters, own adapter files, commands, and stand-ins."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import JOINT, System
from benchmaker.spec.agents.adapter import AgentAdapter
from benchmaker.spec.agents.adapter_file import SUFFIX, load_adapter
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.documents.suggestions import did_you_mean

StandIn = Literal["oracle", "nop", "cheat"]

STAND_INS: Final[dict[StandIn, str]] = {
    "oracle": "Leaves the reference solution of the task.",
    "nop": "Leaves the start folder as it is.",
    "cheat": "Leaves one of the task's cheats; each attempt the next one.",
}
"""The agents without a program, which show that a task can be solved and is not solved falsely."""

COMMAND: Final = "command:"
"""The beginning of an agent that is a command line."""

HARBOR: Final = "harbor:"
"""The beginning of an agent of Harbor."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent: a program with its adapter, or a stand-in.

    ``folder`` is the folder of its own adapter file, for a command the current one: words of the
    command that name a file in it are shown inside, read-only. Bundled adapters have none. ``file``
    is its own adapter file.
    """

    name: str
    adapter: AgentAdapter | None = None
    stand_in: StandIn | None = None
    folder: Path | None = None
    file: Path | None = None

    @property
    def place(self) -> Path | None:
        """Its own adapter file, or the folder of a command; None for others."""
        return self.file or self.folder

    @property
    def needs_model(self) -> bool:
        """True if it can't run without a model; a command can."""
        wired = self.adapter is not None and self.adapter.wire is not None
        return wired and not self.name.startswith(COMMAND)

    def system(self, model: str, effort: str = "", *, version: str = "") -> System:
        """The ranked unit that it forms with a model, ``endpoint/model``, and an effort.

        Raises:
            SpecError: the agent needs a model, or takes no effort.
        """
        self._refuse(model, effort)
        endpoint = model.partition("/")[0] if "/" in model else ""
        return System(
            harness=self.name,
            harness_version=version or None,
            model=model_name(model) or None,
            provider=endpoint or None,
            effort=effort or None,
        )

    def _refuse(self, model: str, effort: str) -> None:
        if self.needs_model and not model:
            raise SpecError(f"{self.name} needs a model.", hint="Add --model ENDPOINT/MODEL.")
        if effort and not (self.adapter and self.adapter.has_effort):
            raise SpecError(
                f"{self.name} takes no effort.",
                hint="Remove --effort, or use effort_argv or effort_env in its adapter file.",
            )


def model_name(model: str) -> str:
    """The model's own name, without its endpoint.

    >>> model_name("openrouter/anthropic/claude"), model_name("gpt-5")
    ('anthropic/claude', 'gpt-5')
    """
    return model.partition("/")[2] or model


def find_agent(text: str) -> Agent:
    """Return the agent: a bundled one by name, an adapter file, ``command:LINE``, or a stand-in.

    Raises:
        SpecError: unknown name, or an invalid file or command line.
    """
    if text in STAND_INS:
        return Agent(text, stand_in=next(name for name in STAND_INS if name == text))
    if text.startswith(COMMAND):
        return _of_command(text)
    if text.endswith(SUFFIX):
        adapter = load_adapter(text)
        file = Path(text).absolute()
        return Agent(adapter.name, adapter, folder=file.parent, file=file)
    if text.startswith(HARBOR):
        raise SpecError(
            f"Harbor's own agents, such as {text.removeprefix(HARBOR)!r}, can't be run here.",
            hint="Run them with harbor on the exported task, and import the folder of the job.",
        )
    bundled = {adapter.name: adapter for adapter in bundled_adapters()}
    if text in bundled:
        return Agent(text, bundled[text])
    known = (*bundled, *STAND_INS)
    hint = did_you_mean(text, known) or "Use a listed name, command:LINE, or the path of a file."
    raise SpecError(f"unknown agent {text!r}.", hint=f"{hint} List them: benchmaker agents list")


def agent_of(name: str, place: str) -> Agent:
    """Return the agent with this name and place.

    Raises:
        SpecError: it is not there any more.
    """
    if not name.startswith(COMMAND):
        return find_agent(place or name)
    return replace(_of_command(name), folder=Path(place))


def bundled_adapters() -> Iterator[AgentAdapter]:
    """The adapters that ship with the package, by name."""
    folder = Path(str(resource_path("agents")))
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        yield load_adapter(path)


def _of_command(text: str) -> Agent:
    line = text.removeprefix(COMMAND)
    try:
        words = shlex.split(line)
    except ValueError as exc:
        raise SpecError(f"no valid command line {line!r}: {exc}.") from exc
    if not words or JOINT in text:
        raise SpecError("no valid command line.", hint="Example: command:sh solve.sh")
    adapter = AgentAdapter(name="command", argv=tuple(words), wire="chat")
    return Agent(text, adapter, folder=Path.cwd())

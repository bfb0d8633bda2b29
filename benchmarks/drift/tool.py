"""One tool of the drift check: how to install, configure and run it, and the logs it leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmaker.arenas.agentic.running.agents import find_agent
from benchmaker.arenas.agentic.running.scripted.script import Turn
from drift.script import PROMPT, TURNS
from drift.walled import BASE

HOME = "/workspace/home"
PROJECT = "/workspace/project"
"""The tool's home and its working folder behind the walls."""

KEY = "sk-of-nobody"
"""An API key, which the scripted model doesn't check."""

COMMAND = {"command": "{command}"}
"""The arguments of most tools that run a shell command."""

Kind = Literal[
    "prompts",
    "prompt text",
    "answers",
    "answer text",
    "calls",
    "errors",
    "cached tokens",
    "written tokens",
    "reasoning tokens",
    "model",
]
"""What a form may leave out."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form in which a tool records a session.

    ``path`` is a pattern below the workspace, empty for the tool's own log folder, ``out.0`` for
    the output of the first command. ``lacks`` is what the form doesn't contain: the check skips it,
    and the table says so. ``about`` is a further note for the table.
    ``is_rounded`` says that its token counts are rounded.
    """

    name: str
    path: str = ""
    lacks: frozenset[Kind] = frozenset()
    about: str = ""
    is_rounded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool from a package index.

    In ``commands``, ``{program}`` is the program and ``{python}`` the interpreter of its
    environment. ``files`` are written below the workspace. ``calls`` are the arguments of the tools
    that the model may call. ``pythons`` are the oldest Python that a tool from PyPI runs on, and
    the first that is too new. With ``has_one_id``, all forms have the same session id, so that
    together they are one session. ``account`` is the reason why the tool is not run, if any.
    """

    name: str
    index: Literal["npm", "pip"]
    packages: tuple[str, ...]
    program: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, Any] = field(default_factory=dict)
    turns: tuple[Turn, ...] = TURNS
    importer: str = ""
    forms: tuple[Form, ...] = (Form("log"),)
    pythons: tuple[tuple[int, int], tuple[int, int]] = ((3, 10), (4, 0))
    has_one_id: bool = True
    account: str = ""

    @property
    def package(self) -> str:
        """The name of the package whose version is the tool's, without a version bound."""
        return self.packages[0].partition("<")[0]


def of_adapter(name: str, *, model: str = "scripted", **more: Any) -> Tool:
    """A tool that is started as the adapter of that name says."""
    adapter = find_agent(name).adapter
    assert adapter  # noqa: S101  bundled
    values = {"prompt": PROMPT, "model": model, "base_url": BASE, "token": KEY}
    values |= {"home": HOME, "project": PROJECT}
    command = ("{program}", *adapter.words(values)[1:])
    files = {f"home/{path}": text for path, text in adapter.laid_files(values)}
    return Tool(
        name=adapter.title,
        program=adapter.argv[0],
        commands=(command, *more.pop("further", ())),
        environment=adapter.variables(values),
        files=files,
        **more,
    )

"""One tool of the drift check: how it is installed, set up and run, and what it leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from drift.script import TURNS, Turn

HOME = "/workspace/home"
PROJECT = "/workspace/project"
"""The tool's home and its working folder behind the walls."""

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
"""What a form may lack."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form in which a tool writes a session down.

    ``path`` is a pattern below the workspace, empty for where the tool keeps its logs by itself,
    ``out.0`` what the first command printed. ``lacks`` is what the form has no place for: it
    is not asked for, and the table says so. ``about`` is anything else to say.
    ``is_rounded`` says that its tokens are.
    """

    name: str
    path: str = ""
    lacks: frozenset[Kind] = frozenset()
    about: str = ""
    is_rounded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool from a package index.

    In ``commands`` ``{program}`` is the program, ``{python}`` the interpreter of its environment.
    ``files`` are laid below the workspace. ``calls`` are the arguments of the tools that the model
    may call. ``pythons`` are the least version that the tool from PyPI runs on, and the first one
    that is too new. With ``has_one_id`` all forms name the session alike, so that together they
    are one. With ``account`` the tool is not run, for that reason.
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
        """The package whose version is the tool's, without a bound of its version."""
        return self.packages[0].partition("<")[0]

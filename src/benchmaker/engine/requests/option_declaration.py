"""Declarations of options: once, with limits and help, for all interfaces.

The command line, the page, the API and jobs derive their options from these declarations.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from enum import Enum, Flag, auto
from typing import Any


class OptionKind(Enum):
    """The type of an option's value."""

    WHOLE = "a whole number"
    NUMBER = "a number"
    CHOICE = "one of several words"
    SWITCH = "on or off"
    TEXT = "text"
    WORDS = "several words"
    FILE = "a file"
    OBJECT = "a Python object"


class Calls(Flag):
    """The calls that take an option."""

    RUN = auto()
    RESUME = auto()
    RESCORE = auto()
    ALL = RUN | RESUME | RESCORE


class Surfaces(Flag):
    """The interfaces besides Python that offer an option."""

    NONE = 0
    COMMAND = auto()
    PAGE = auto()
    API = auto()
    ALL = COMMAND | PAGE | API


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The representation of an option outside Python.

    ``flag`` is its name on the command line, if not the field's own. ``least`` and ``choices``
    apply everywhere, ``online`` are the limits of the page and the API, ``longest`` is their
    maximum length of a text, in characters. A run records ``recorded`` options, under that name or
    the field's own, so that a resumed run keeps them. One that ``changes_answers`` is named among
    the settings of its results. ``is_once`` is an option of one call, which the next one does not
    inherit. ``for_live`` marks options that only affect live models, ``for_judges`` those that also
    affect judges.
    """

    name: str = ""
    default: Any = None
    kind: OptionKind
    help: str
    flag: str = ""
    metavar: str = ""
    least: float | None = None
    online: tuple[float, float] | None = None
    choices: tuple[str, ...] = ()
    longest: int = 300
    label: str = ""
    placeholder: str = ""
    surfaces: Surfaces = Surfaces.ALL
    calls: Calls = Calls.RUN
    recorded: bool | str = False
    changes_answers: bool = False
    is_once: bool = False
    for_live: bool = False
    for_judges: bool = False

    @property
    def command_flag(self) -> str:
        """Its name on the command line."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def form_name(self) -> str:
        """The name of its field in a form."""
        return self.command_flag.removeprefix("--").replace("-", "_")

    @property
    def title(self) -> str:
        """The label of its field."""
        return self.label or self.name.replace("_", " ").capitalize()

    @property
    def record_name(self) -> str:
        """The name under which a run records it; empty where it does not."""
        return self.recorded if isinstance(self.recorded, str) else self.name * self.recorded

    @property
    def is_in_jobs(self) -> bool:
        """True if a job stores it: a setting of the work, for any worker."""
        return Calls.RESUME in self.calls and Surfaces.API in self.surfaces


def option(
    default: Any,  # noqa: ANN401  of any type
    kind: OptionKind,
    help: str,  # noqa: A002  Click's own word
    **how: Any,  # noqa: ANN401  fields of Option
) -> Any:  # noqa: ANN401  as dataclasses.field
    """A field of a dataclass with the declaration of an option."""
    declared = Option(default=default, kind=kind, help=help, **how)
    return field(default=default, metadata={"option": declared})


def declared_in(groups: Iterable[type]) -> dict[str, Option]:
    """The options of dataclasses by name, in the order of their fields."""
    return {
        one.name: replace(one.metadata["option"], name=one.name)
        for group in groups
        for one in fields(group)
    }

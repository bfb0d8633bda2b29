"""An agent adapter: data that says how a coding agent is started, and where its logs are."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

_NAME = r"^[a-z0-9][a-z0-9._-]{0,59}$"


def _check_name(name: Any) -> Any:  # noqa: ANN401  before it is checked to be text
    if isinstance(name, str) and not re.search(_NAME, name):
        msg = (
            f"{name[:80]!r} is not a valid name: use up to 60 lower-case letters, digits, dots, "
            "dashes and underscores, and begin with a letter or a digit"
        )
        raise ValueError(msg)
    return name


AgentName = Annotated[str, BeforeValidator(_check_name), Field(pattern=_NAME)]
WireName = Literal["chat", "responses", "messages", "gemini"]
AgentEnd = Literal["failed", "budget", "timeout", "refused", "agent_crashed"]
"""The ends of a trial that an exit code can stand for."""

PLACES: Final = ("prompt", "model", "base_url", "token", "effort", "home", "project")
"""The names that stand in braces for the values of a trial."""

STDOUT: Final = "stdout"
"""The entry of ``logs`` for the output that the agent prints."""

_PLACE = re.compile(r"\{(" + "|".join(PLACES) + r")\}")
_Text = Annotated[str, Field(max_length=100_000)]
_Word = Annotated[str, Field(min_length=1, max_length=10_000)]


class AgentAdapter(BaseModel):
    """The start of one coding agent, as its adapter file defines it.

    In ``argv``, ``env``, ``files`` and the keys for effort, ``{prompt}``, ``{model}``,
    ``{base_url}``, ``{token}``, ``{effort}``, ``{home}`` and ``{project}`` stand for the values of
    a trial; other braces are plain text.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: AgentName = Field(description="The agent's name, as tables and boards show it.")
    title: Annotated[str, Field(max_length=100)] = Field(
        "", description="The name in plain writing."
    )
    argv: tuple[_Word, ...] = Field(
        min_length=1,
        description="The command. Without {prompt} in it, the prompt is its standard input.",
    )
    version: tuple[_Word, ...] = Field(
        (), description="The command that prints the installed version."
    )
    install: Annotated[str, Field(max_length=500)] = Field(
        "", description="The command that installs the agent."
    )
    wire: WireName | None = Field(
        None, description="The protocol to the model; absent if the agent sends no requests."
    )
    env: dict[str, _Text] = Field(
        default_factory=dict, description="Environment variables: base URL, key, settings."
    )
    files: dict[str, _Text] = Field(
        default_factory=dict,
        description="Configuration files to write before the start, by their path below the home.",
    )
    logs: tuple[_Word, ...] = Field(
        (),
        description="Patterns of the agent's log files below the home; stdout for its output.",
    )
    unlogged_requests: int = Field(
        0,
        ge=0,
        le=2,
        description="The most requests of a session that the log leaves out, such as its title's.",
    )
    exit_codes: dict[str, AgentEnd] = Field(
        default_factory=dict, description="The outcome that an exit code stands for."
    )
    effort_argv: tuple[_Word, ...] = Field(
        (), description="Words added to the command if a trial has an effort."
    )
    effort_env: dict[str, _Text] = Field(
        default_factory=dict, description="Variables added if a trial has an effort."
    )

    @field_validator("files")
    @classmethod
    def _paths_stay_at_home(cls, files: dict[str, str]) -> dict[str, str]:
        plain = {path.removeprefix("~/"): text for path, text in files.items()}
        for path in plain:
            _refuse_outside(path)
        return plain

    @field_validator("logs")
    @classmethod
    def _patterns_stay_at_home(cls, logs: tuple[str, ...]) -> tuple[str, ...]:
        plain = tuple(pattern.removeprefix("~/") for pattern in logs)
        for pattern in plain:
            _refuse_outside(pattern)
        return plain

    @field_validator("env", "effort_env")
    @classmethod
    def _names_are_variables(cls, env: dict[str, str]) -> dict[str, str]:
        for name in env:
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                msg = f"{name!r} is not a valid name of a variable"
                raise ValueError(msg)
        return env

    @field_validator("exit_codes")
    @classmethod
    def _codes_are_numbers(cls, codes: dict[str, str]) -> dict[str, str]:
        for code in codes:
            if not code.isdecimal() or not 0 <= int(code) <= 255:  # noqa: PLR2004  of a process
                msg = f"{code!r} is not an exit code from 0 to 255"
                raise ValueError(msg)
        return codes

    @property
    def has_effort(self) -> bool:
        """True if the agent takes an effort."""
        texts = (*self.effort_argv, *self.effort_env.values(), *self.argv, *self.env.values())
        return any("{effort}" in text for text in texts)

    @property
    def reads_stdin(self) -> bool:
        """True if the prompt is not in the command."""
        return not any("{prompt}" in word for word in self.argv)

    def words(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The command with the values of a trial filled in."""
        more = self.effort_argv if values.get("effort") else ()
        return tuple(fill(word, values) for word in (*self.argv, *more))

    def variables(self, values: Mapping[str, str]) -> dict[str, str]:
        """The environment with the values of a trial filled in."""
        more = self.effort_env if values.get("effort") else {}
        return {name: fill(text, values) for name, text in (self.env | more).items()}

    def laid_files(self, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The files to write with the values of a trial filled in: path below the home, content."""
        for path, text in self.files.items():
            yield path, fill(text, values)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values in place of their names; a missing value is empty.

    >>> fill('{"key": "{token}"}', {"token": "t-1"})
    '{"key": "t-1"}'
    """
    return _PLACE.sub(lambda found: values.get(found[1], ""), text)


def adapter_schema() -> dict[str, Any]:
    """The JSON Schema of an adapter file."""
    schema = AgentAdapter.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _refuse_outside(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        msg = f"{path!r} is not a path below the home"
        raise ValueError(msg)

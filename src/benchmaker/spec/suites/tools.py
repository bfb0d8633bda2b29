"""Tools that a suite offers to models, and carries out itself."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, Field, WithJsonSchema, field_validator, model_validator

from benchmaker.spec.documents.sizes import check_json
from benchmaker.spec.suites.check_spec import file_digest
from benchmaker.spec.suites.spec_model import SparseModel

MAX_STEPS: Final = 10
"""The default number of answers that a model may give in one trial of a case with tools."""

MOST_BYTES = 100_000
"""Maximum size of the parameters or the reply of a tool, as JSON."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _valid_name(given: str) -> str:
    if not _NAME.fullmatch(given):
        raise ValueError(f"use up to 64 letters, digits, _ and -, not {given[:80]!r}")
    return given


ToolName = Annotated[
    str,
    AfterValidator(_valid_name),
    WithJsonSchema({"type": "string", "pattern": f"^{_NAME.pattern}$"}),
]
Steps = Annotated[int, Field(strict=True, ge=1, le=1000)]
"""A number of answers of the model."""


class Tool(SparseModel):
    """A function that a model may call: its name, its parameters, and the source of its results.

    ``parameters`` is the JSON Schema of its arguments, an object. A call is answered with the fixed
    ``reply``, as it is or as JSON, or with the result of the Python function ``file.py:function``,
    which gets the arguments by name and has ``timeout`` seconds of processor time. ``sha256`` is
    that of its file, added when a suite is read.
    """

    name: ToolName = Field(description="Unique within the suite; cases list tools by it.")
    description: str = Field("", description="The purpose of the tool, for the model.")
    parameters: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "properties": {}},
        json_schema_extra={"default": {"type": "object", "properties": {}}},
        description="The JSON Schema of the arguments.",
    )
    reply: Any = Field(None, description="The result of every call: a text or JSON.")
    python: str | None = Field(
        None, description="The function that gives the results, as file.py:function."
    )
    timeout: float = Field(
        10.0, gt=0, le=3600, description="Seconds of processor time for a call of the function."
    )
    sha256: str | None = Field(None, description="The SHA-256 of the function's file.")

    @model_validator(mode="before")
    @classmethod
    def _refuse_mcp(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        if isinstance(given, dict) and "mcp" in given:
            name = given.get("name", "a tool")
            raise ValueError(f"{name}: tools of MCP servers are not supported yet")
        return given

    @field_validator("parameters", "reply")
    @classmethod
    def _plain_data(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        check_json(given, most=MOST_BYTES)
        return given

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.reply is None) == (self.python is None):
            raise ValueError(f"{self.name}: give exactly one of reply and python")
        return self

    @property
    def reply_text(self) -> str:
        """The fixed reply as models get it."""
        is_text = isinstance(self.reply, str)
        return self.reply if is_text else json.dumps(self.reply, ensure_ascii=False)


def pin_tools(tools: Sequence[Tool], folder: Path) -> tuple[Tool, ...]:
    """Return tools with the SHA-256 of their functions' files, where these can be read."""
    return tuple(_pin(tool, folder) for tool in tools)


def _pin(tool: Tool, folder: Path) -> Tool:
    if tool.python is None or tool.sha256 is not None:
        return tool
    digest = file_digest(folder / tool.python.rpartition(":")[0])
    return tool.model_copy(update={"sha256": digest}) if digest else tool

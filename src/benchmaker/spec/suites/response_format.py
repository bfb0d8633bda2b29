"""The format of answers: JSON, or JSON with a schema."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    field_validator,
    model_serializer,
)

from benchmaker.spec.documents.sizes import check_json
from benchmaker.spec.suites.spec_model import SpecModel

MOST_BYTES = 100_000
"""Maximum size of a schema as JSON."""


class NamedSchema(SpecModel):
    """A JSON Schema with its name."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    body: dict[str, Any] = Field(alias="schema")
    strict: bool | None = None
    description: Annotated[str, Field(max_length=4000)] | None = None

    @field_validator("body")
    @classmethod
    def _check_size(cls, body: dict[str, Any]) -> dict[str, Any]:
        check_json(body, most=MOST_BYTES)
        return body

    @model_serializer(mode="wrap")
    def _omit_unset_values(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in dump(self).items() if value is not None}


class JsonSchemaFormat(SpecModel):
    """Answers in JSON that follow a schema."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: Literal["json_schema"]
    json_schema: NamedSchema


_JSON_OBJECT = "json_object"
"""The name of plain JSON in chat completions."""


def _plain_form(value: Any) -> Any:  # noqa: ANN401  what stands in the file
    """Return ``json`` for the ways in which chat completions write it."""
    named = value.get("type") if isinstance(value, Mapping) and len(value) == 1 else value
    return "json" if named in ("json", _JSON_OBJECT) else value


def _branch(value: Any) -> str:  # noqa: ANN401  as above
    return "text" if isinstance(value, str) else "mapping"


ResponseFormat = Annotated[
    Annotated[Literal["json"], Tag("text")] | Annotated[JsonSchemaFormat, Tag("mapping")],
    Discriminator(_branch),
    BeforeValidator(_plain_form),
]
"""``json``, or a schema as chat completions write it."""

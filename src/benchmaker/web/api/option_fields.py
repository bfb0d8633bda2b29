"""Fields of the API's bodies for options of a run, made from their declarations."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, assert_never

from pydantic import BaseModel, Field, create_model

from benchmaker.engine.requests.option_declaration import Calls, Option, OptionKind, Surfaces
from benchmaker.engine.requests.run_options import OPTIONS

M = TypeVar("M", bound=BaseModel)

_Name = Annotated[str, Field(min_length=1, max_length=300)]


def with_options(call: Calls) -> Callable[[type[M]], type[M]]:
    """Give a body a field for every API option of this call.

    Fields declared by the body itself are kept.
    """

    def decorate(body: type[M]) -> type[M]:
        added: dict[str, Any] = {
            name: _field(declared)
            for name, declared in OPTIONS.items()
            if call in declared.calls
            and Surfaces.API in declared.surfaces
            and name not in body.model_fields
        }
        return create_model(
            body.__name__, __base__=body, __doc__=body.__doc__, __module__=body.__module__, **added
        )

    return decorate


def options_in(body: BaseModel) -> dict[str, Any]:
    """Return the declared options set in a body, by name."""
    return {
        name: value
        for name, declared in OPTIONS.items()
        if Surfaces.API in declared.surfaces and (value := getattr(body, name, None)) is not None
    }


def _field(declared: Option) -> tuple[Any, Any]:
    """Type and default of the field."""
    about = Field(description=declared.help)
    match declared.kind:
        case OptionKind.WORDS:
            return Annotated[list[_Name], Field(default_factory=list), about], ...
        case OptionKind.SWITCH:
            return Annotated[bool | None, about], declared.default
        case _:
            return Annotated[_type(declared) | None, about], None


def _type(declared: Option) -> Any:  # noqa: ANN401  a type
    low, high = declared.online or (declared.least, None)
    match declared.kind:
        case OptionKind.WHOLE:
            return Annotated[int, Field(ge=low, le=high)]
        case OptionKind.NUMBER:
            return Annotated[float, Field(ge=low, le=high, allow_inf_nan=False)]
        case OptionKind.CHOICE:
            return Literal[declared.choices]
        case OptionKind.TEXT:
            return Annotated[str, Field(min_length=1, max_length=declared.longest)]
        case OptionKind.FILE | OptionKind.OBJECT | OptionKind.WORDS | OptionKind.SWITCH:
            return _Name
        case _ as never:
            assert_never(never)

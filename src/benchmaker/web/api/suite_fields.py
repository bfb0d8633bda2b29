"""Fields of suites and cases in the API, derived from their classes."""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    create_model,
)
from pydantic.fields import FieldInfo

from benchmaker.spec import (
    Case,
    CheckSpec,
    JudgeSpec,
    Message,
    Parameters,
    Policies,
    ScorerSpec,
    Tool,
)
from benchmaker.spec.suites.check_spec import Label
from benchmaker.spec.suites.page_checks import Page
from benchmaker.spec.suites.suite_form import NEWER, DatasetRecord, SuiteForm
from benchmaker.web.api.paging import BodyModel

Plain = dict[str, Any]
Types = Mapping[Any, Any]

_OF_FILES = (str, PlainSerializer, BeforeValidator, AfterValidator)
"""Notes on a field that hold for files only."""

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)


class MessageIn(BodyModel):
    """One turn of a conversation."""

    model_config = _STRICT

    role: Literal["system", "user", "assistant"]
    content: str


class ScorerIn(BodyModel):
    """A scorer by its id, with its parameters."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    id: Label


class CheckIn(BodyModel):
    """A check by its type, with the scorer's parameters."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    type: Label


class MessageOut(TypedDict):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class SentFields(BodyModel):
    """Fields of a file, sent as JSON and type-checked; null counts as absent."""

    model_config = _STRICT

    def plain(self) -> Plain:
        """Return only the fields that were sent."""
        return self.model_dump(exclude_none=True)


_BOTH: Types = {
    DatasetRecord: Plain,
    Page: Plain,
    JudgeSpec: Plain,
    Parameters: Plain,
    Policies: Plain,
    Tool: Plain,
    "expected": str | list[str],
    "profile": Literal["classic", "robust"],
    "vars": Plain,
    "models": list[str | Plain],
    "prompts": list[str | Plain],
}
_SENT: Types = {
    **_BOTH,
    Message: MessageIn,
    ScorerSpec: ScorerIn | Label,
    CheckSpec: CheckIn | Label,
}
_ANSWERED: Types = {**_BOTH, Message: MessageOut, ScorerSpec: Plain, CheckSpec: Plain}


def sent_case() -> type[SentFields]:
    """Return the type of a case in a request."""
    about = "A case, as in a suite file, with at most one of `prompt` and `messages`."
    return _form("CaseIn", about, _sent_fields(Case, required="id"))


def sent_header() -> type[SentFields]:
    """Return the type of changed header fields in a request."""
    about = "Fields of a suite's header; omitted fields stay unchanged, null removes a field."
    return _form("HeaderIn", about, _sent_fields(SuiteForm))


def sent_suite(case: type[SentFields]) -> type[SentFields]:
    """Return the type of a whole suite in a request."""
    fields = _sent_fields(SuiteForm, required="name")
    fields["cases"] = (Annotated[list[case], Field(min_length=1)], ...)  # type: ignore[valid-type]  # made here
    return _form("SuiteIn", "A whole suite, as in its file, including the cases.", fields)


def case_shape() -> Any:  # noqa: ANN401  a TypedDict made here
    """Return the type of a case in a response: defaults are omitted."""
    keys = {name: NotRequired[kind] for name, kind, _ in _fields(Case, _ANSWERED)}
    return _shape("CaseOut", "A case, as in a suite file.", {**keys, "id": str})


def suite_shape() -> Any:  # noqa: ANN401  a TypedDict made here
    """Return the type of a suite version in a response: newer fields are present only if set."""
    keys: dict[str, Any] = {"suite": str, "suite_hash": str}
    for name, kind, info in _fields(SuiteForm, _ANSWERED):
        if name != "name":
            or_null = kind | None if info.default is None else kind
            keys[name] = NotRequired[or_null] if NEWER in info.metadata else or_null
    keys |= {"judge": Plain | None, "cases": int}
    return _shape("SuiteOut", "A version of a suite without its cases.", keys)


def _form(name: str, about: str, fields: dict[str, Any]) -> type[SentFields]:
    made: type[SentFields] = create_model(name, __base__=SentFields, __doc__=about, **fields)
    return made


def _sent_fields(model: type[BaseModel], *, required: str = "") -> dict[str, Any]:
    """The fields of a form by name, each with its type and its default."""
    return {
        name: (kind, ...) if name == required else (kind | None, None)
        for name, kind, _ in _fields(model, _SENT)
    }


def _shape(name: str, about: str, keys: dict[str, Any]) -> Any:  # noqa: ANN401  a TypedDict
    made = TypedDict(name, keys)  # type: ignore[misc]  # made of values on purpose
    made.__doc__ = about
    return made


def _fields(model: type[BaseModel], types: Types) -> Iterator[tuple[str, Any, FieldInfo]]:
    """Name, JSON type and declaration of each field that a file may hold, ``cases`` apart."""
    for name, info in model.model_fields.items():
        if not info.exclude and name != "cases":
            kind = types[name] if name in types else _json_type(info.annotation, types)
            notes = [it for it in info.metadata if not isinstance(it, _OF_FILES)]
            about = Field(description=info.description)
            yield name, Annotated[(kind, *notes, about)], info


def _json_type(kind: Any, types: Types) -> Any:  # noqa: ANN401  types of any kind
    """A field's type in JSON: without None, lists in place of tuples, models as in ``types``."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        (one,) = (part for part in parts if part is not NoneType)
        return _json_type(one, types)
    if origin is tuple:
        return list[_json_type(parts[0], types)]  # type: ignore[misc]  # a type made of values
    return types.get(kind, kind)

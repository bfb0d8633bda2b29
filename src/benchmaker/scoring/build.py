"""Builds scorers from their names and parameters in a suite."""

import dataclasses
from functools import cache, lru_cache
from math import isfinite
from typing import Any, cast, get_origin, get_type_hints

import msgspec
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.scoring.base import Scorer
from benchmaker.spec import Profile, ScorerSpec
from benchmaker.spec import profile as named_profile
from benchmaker.spec.documents.suggestions import did_you_mean

_FAMILY = "family"
_WORDS = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a scorer: its name, its type, and its default where it has one."""

    name: str
    type: Any
    default: Any = dataclasses.MISSING

    @property
    def is_required(self) -> bool:
        """True if a suite must set it."""
        return self.default is dataclasses.MISSING


@dataclasses.dataclass(frozen=True, slots=True)
class ParameterFault:
    """One fault of a scorer's parameters; ``parameter`` is empty for the scorer itself.

    ``inside`` is the path within its value; ``is_key`` is true if its name is at fault.
    """

    parameter: str
    message: str
    hint: str = ""
    inside: tuple[str | int, ...] = ()
    is_key: bool = False

    @property
    def path(self) -> tuple[str | int, ...]:
        """Its path in the scorer's spec."""
        return (self.parameter, *self.inside) if self.parameter else ()


def build(spec: ScorerSpec, profile: Profile) -> Scorer:
    """Return the scorer for a spec under a profile. Equal specs give the same object.

    Raises:
        SpecError: no such scorer, an unknown parameter, a value of the wrong type; all of them in
            one message.
        PluginError: the scorer exists and can't be loaded.

    >>> from benchmaker.spec import profile
    >>> build(ScorerSpec(id="numeric", tolerance=0.02), profile("robust")).tolerance
    0.02
    """
    cls = plugins.load("scorer", spec.id) if ":" in spec.id else _scorer_class(spec.id)
    return _build(edition(cls, profile), spec.id, _canonical_json(spec.parameters), profile.id)


def edition(cls: type, profile: Profile) -> type:
    """Return the class for an earlier version of a profile, or the class itself.

    A scorer lists these classes in its class variable ``earlier``, by the profile's id.
    """
    path = getattr(cls, "earlier", {}).get(profile.id)
    return plugins.resolve(path) if path else cls


def faults(spec: ScorerSpec, profile: Profile | None = None) -> list[ParameterFault]:
    """Return all faults of a spec's parameters; empty if there are none.

    Raises:
        SpecError: no such scorer.
        PluginError: the scorer exists and can't be loaded.
    """
    cls = plugins.load("scorer", spec.id)
    return _examine(edition(cls, profile) if profile else cls, spec.parameters)[1]


@cache
def parameters_of(cls: type) -> dict[str, Parameter]:
    """Return the parameters of a scorer class in order, without the family, which is not set.

    >>> list(parameters_of(plugins.load("scorer", "numeric")))[:3]
    ['tolerance', 'absolute', 'curve']
    """
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = _hints(cls)
    fields = [field for field in dataclasses.fields(cls) if field.init and field.name != _FAMILY]
    return {it.name: Parameter(it.name, hints.get(it.name, Any), _default(it)) for it in fields}


def _hints(cls: type) -> dict[str, Any]:
    """The types of the fields; none where an annotation can't be resolved while running."""
    try:
        return get_type_hints(cls, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}


def _default(field: "dataclasses.Field[Any]") -> Any:  # noqa: ANN401  the default of any type
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


@cache
def _scorer_class(name: str) -> type:
    """The class behind an id; looked up once, for ids do not change while a process runs."""
    return plugins.load("scorer", name)


def _canonical_json(parameters: dict[str, Any]) -> bytes:
    """The parameters as bytes that are equal when they are."""
    for name, value in parameters.items():
        if isinstance(value, float) and not isfinite(value):
            raise SpecError(f"{name} must be a finite number, not {value!r}.")
    try:
        plain = msgspec.to_builtins(parameters, str_keys=True, enc_hook=plain_model)
        return msgspec.json.encode(plain, order="sorted")
    except (TypeError, ValueError) as exc:
        raise SpecError(f"the parameters are not plain data: {exc}.") from exc


def plain_model(value: object) -> Any:  # noqa: ANN401  plain data
    """A model of a suite, such as a check, as plain data."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    raise TypeError(f"{type(value).__name__} is no plain data")


@lru_cache(maxsize=512)
def _build(cls: type, name: str, parameters: bytes, profile_name: str) -> Scorer:
    values, found = _examine(cls, msgspec.json.decode(parameters))
    if found:
        raise SpecError("\n".join(f"{it.message} {it.hint}".rstrip() for it in found), where=name)
    if _has_family(cls):
        values[_FAMILY] = named_profile(profile_name).family
    try:
        return cast("Scorer", cls(**values))  # what plugins.load gives has a method score
    except SpecError as exc:
        raise SpecError(exc.message, where=name, hint=exc.hint) from exc
    except (TypeError, ValueError) as exc:
        raise SpecError(f"{exc}", where=name) from exc


def _has_family(cls: type) -> bool:
    return _FAMILY in getattr(cls, "__dataclass_fields__", {})


def _examine(cls: type, given: dict[str, Any]) -> tuple[dict[str, Any], list[ParameterFault]]:
    """Return the values converted to the fields' types, and their faults."""
    known = parameters_of(cls)
    values: dict[str, Any] = {}
    accepted = {*known, *getattr(cls, "without_effect", ())}
    found = [_unknown_parameter(cls, name, known) for name in given if name not in accepted]
    for parameter in known.values():
        if parameter.name in given:
            try:
                values[parameter.name] = _validate(parameter, given[parameter.name])
            except ValidationError as exc:
                found += _value_faults(parameter, given[parameter.name], exc)
        elif parameter.is_required:
            found.append(
                ParameterFault(parameter.name, f"the parameter {parameter.name!r} is missing.")
            )
    return values, found


def _unknown_parameter(cls: type, name: str, known: dict[str, Parameter]) -> ParameterFault:
    if name == _FAMILY and _has_family(cls):
        message, hint = "family is set by the profile.", "Set profile: robust or classic."
        return ParameterFault(name, message, hint, is_key=True)
    names = ", ".join(known) or "none"
    hint = f"{did_you_mean(name, known)} Known: {names}.".strip()
    return ParameterFault(name, f"unknown parameter {name!r}.", hint, is_key=True)


def _validate(parameter: Parameter, value: Any) -> Any:  # noqa: ANN401  what stands in the file
    if isinstance(value, str) and get_origin(parameter.type) is tuple:
        value = (value,)  # one text stands for a list of one
    return _adapter(parameter.type).validate_python(value)


@cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":  # noqa: ANN401  a type, as annotated
    try:
        return TypeAdapter(kind, config=ConfigDict(arbitrary_types_allowed=True))
    except Exception:  # noqa: BLE001  types that have a configuration of their own
        return TypeAdapter(kind)


def _value_faults(parameter: Parameter, value: Any, exc: ValidationError) -> list[ParameterFault]:  # noqa: ANN401
    """Return the faults by the parameter's own rules, or else the type required."""
    if own := [fault for detail in exc.errors() if (fault := _rule_fault(parameter, detail))]:
        return own
    wanted = " or ".join(dict.fromkeys(filter(None, map(_expected_type, exc.errors()))))
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:80]}…"  # noqa: PLR2004  a line of a terminal
    return [ParameterFault(parameter.name, f"{parameter.name} must be {wanted}, not {shown}.")]


def _rule_fault(parameter: Parameter, detail: Any) -> ParameterFault | None:  # noqa: ANN401  pydantic's ErrorDetails
    """Return the fault of a value or of an item by one of our rules."""
    error = detail.get("ctx", {}).get("error")
    if not isinstance(error, SpecError):
        return None
    at = tuple(step for step in detail["loc"] if isinstance(step, int))
    return ParameterFault(parameter.name, error.message, error.hint, at)


def _expected_type(detail: Any) -> str:  # noqa: ANN401  pydantic's ErrorDetails
    kind = detail["type"]
    if kind == "literal_error":
        return str(detail["ctx"]["expected"])
    if kind in {"greater_than_equal", "less_than_equal", "greater_than", "less_than"}:
        words = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}
        return " and ".join(f"{words[key]} {limit:g}" for key, limit in detail["ctx"].items())
    message = str(detail["msg"])
    return _WORDS.get(kind, message[:1].lower() + message[1:])

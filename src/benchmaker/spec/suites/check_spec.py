"""Scorers as a suite names them, and checks: scorers with a weight, a threshold and a metric."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, NamedTuple, Self, TypeAlias

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    field_validator,
    model_serializer,
    model_validator,
)

from benchmaker.errors import SpecError
from benchmaker.spec.suites.spec_model import SpecModel

Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]

CHECKS = "checks"
"""The id of the scorer that applies several checks to an answer."""

SET = "set"
"""The type of a check that consists of checks."""

PYTHON = "python"
"""The id of the scorer whose ``value`` is ``file.py:function``."""

CODE, FILE = "code", "file:"
"""The id of the scorer whose ``tests`` may be ``file:PATH``, and how such a path begins."""

VALUE = "value"
"""The parameter of a check that is kept if it is null, which is a value of JSON."""

DIGEST = "sha256"
"""The parameter of these scorers with the SHA-256 of the file."""


class _NamedFile(NamedTuple):
    """A file that a parameter names, with the text before and after its path."""

    parameter: str
    before: str
    path: str
    after: str


_Change = Callable[[_NamedFile], dict[str, Any]]
"""Returns the parameters that change for a file."""

EVERY_TABLES_METRICS = frozenset({"mean", "strict"})
PASS_RATE = "pass_rate"  # noqa: S105  a metric
"""The metric of answers whose checks have a threshold of the whole: the share that reached it."""

RESERVED_METRICS = EVERY_TABLES_METRICS | {PASS_RATE}
"""Names that a metric of checks can't have, since they are metrics of tables."""

Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Threshold = Annotated[float, Field(strict=True, ge=0, le=1)]


class ScorerSpec(SpecModel):
    """A scorer by its id, with its parameters beside it: ``{id: numeric, tolerance: 0.01}``.

    A bare name stands for the scorer with its defaults, in Python also a function. Parameters are
    validated against the scorer when the suite is checked.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: Label

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        given = path_of_function(given)
        if isinstance(given, dict) and "id" in given:
            return {**given, "id": path_of_function(given["id"])}
        return {"id": given} if isinstance(given, str) else given

    @property
    def parameters(self) -> dict[str, Any]:
        """The scorer's parameters as written."""
        return dict(self.model_extra or {})


BARE_FILTERS = ("json", "lower", "trim", "upper")
"""Filters without parameters."""

_KINDS = ("find", "replace", "option", "map", "path")
_PATTERNS = ("find", "replace", "option")
_OPTION_KEYS = ("choices", "ignore_case", "ignore_punctuation", "ignore")
_KEYS = {
    "find": ("match", "otherwise"),
    "replace": ("with", "count"),
    "option": ("match", "otherwise", *_OPTION_KEYS),
    "map": ("otherwise",),
    "path": (),
}


class AnswerFilter(SpecModel):
    """One filter: exactly one of ``find``, ``replace``, ``option``, ``map`` and ``path``.

    ``find`` keeps a match of the pattern, by default the first: its first group that is not empty,
    or all of it without groups, without white space at the ends; ``otherwise`` stands for no match.
    ``replace`` puts ``with`` in place of each match, or of the first ``count``. ``option`` keeps a
    match of the pattern, else the letter of the option whose text occurs in the answer, as
    ``(B)``, else a letter after a colon. ``map`` replaces whole texts. ``path`` keeps a value of an
    answer in JSON, by keys and indexes.
    """

    find: str | None = Field(None, min_length=1)
    replace: str | None = Field(None, min_length=1)
    option: str | None = Field(None, min_length=1)
    map: dict[str, str] | None = None
    path: tuple[str | int, ...] | None = Field(None, min_length=1)
    match: int = 0
    otherwise: str = ""
    substitute: str = Field("", alias="with")
    count: int = Field(0, ge=0)
    choices: tuple[str, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [name for name in _KINDS if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError(f"give exactly one of {', '.join(_KINDS)}")
        written = {"with" if it == "substitute" else it for it in self.model_fields_set}
        unused = sorted(written - {kinds[0], *_KEYS[kinds[0]]})
        if unused:
            raise ValueError(f"{unused[0]} has no effect on {kinds[0]}")
        return self


def _checked_filter(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    """A filter as it stands in a file; ValueError if it is none."""
    if isinstance(given, str):
        if given not in BARE_FILTERS:
            known = ", ".join(BARE_FILTERS)
            raise ValueError(f"{given!r} is no filter; use {known}, or a mapping")
        return given
    AnswerFilter.model_validate(given)
    return given


FilterInput: TypeAlias = Annotated[str | dict[str, Any], AfterValidator(_checked_filter)]
"""A filter as it stands in a file: a bare name, or a mapping."""


def patterns_of(given: Any) -> Iterator[str]:  # noqa: ANN401  a filter as it stands in the file
    """Yield the regular expressions of a filter.

    >>> list(patterns_of({"option": "[A-D]", "choices": ["a"], "ignore": [","]}))
    ['[A-D]', ',']
    """
    if isinstance(given, dict):
        yield from (given[name] for name in _PATTERNS if name in given)
        yield from given.get("ignore", ())


class CheckSpec(SpecModel):
    """One check: ``{type: exact, value: Paris, weight: 2}``.

    ``type`` is the id of a scorer, or ``set`` for a check of checks; the other keys are its
    parameters. ``filters`` change the answer before the check reads it. ``not`` inverts the check.
    ``weight`` is its share of the case's score; a check of weight 0 only reports. From
    ``threshold`` on, a score passes. ``metric`` names the metric to which it contributes. A bare
    text stands for a type with its defaults, in Python also a function.

    >>> CheckSpec.model_validate({"type": "exact", "not": True, "value": "Rome"}).parameters
    {'value': 'Rome'}
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    type: Label
    is_negated: StrictBool = Field(False, alias="not")
    weight: Weight = 1.0
    threshold: Threshold | None = None
    metric: Label | None = None
    filters: tuple[FilterInput, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _type_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        given = path_of_function(given)
        if not isinstance(given, dict):
            return {"type": given} if isinstance(given, str) else given
        written = {it: value for it, value in given.items() if value is not None or it == VALUE}
        return written | ({"type": path_of_function(given["type"])} if "type" in written else {})

    @field_validator("metric")
    @classmethod
    def _free_name(cls, given: str | None) -> str | None:
        if given in RESERVED_METRICS:
            raise ValueError(f"{given!r} is a metric of tables; choose another name")
        return given

    @model_serializer(mode="plain")
    def _as_written(self) -> dict[str, Any]:
        """The values as they stand in a file, and in the hash."""
        fields = type(self).model_fields
        written = [name for name in fields if name in self.model_fields_set]
        own = {fields[name].alias or name: getattr(self, name) for name in written}
        if "filters" in own:
            own["filters"] = list(self.filters)
        return {**own, **self.parameters}

    @property
    def parameters(self) -> dict[str, Any]:
        """The scorer's parameters as written."""
        return dict(self.model_extra or {})

    @property
    def scorer(self) -> ScorerSpec:
        """The scorer that the check applies."""
        if self.type not in {CHECKS, SET}:
            return ScorerSpec.model_validate({**self.parameters, "id": self.type})
        given = {**self.parameters, "id": CHECKS}
        own = {} if self.threshold is None else {"threshold": self.threshold}
        return ScorerSpec.model_validate({**given, **own})


ScorerInput: TypeAlias = ScorerSpec | Mapping[str, Any] | str | Callable[..., object]
"""A scorer as a file names it, or a function."""

CheckInput: TypeAlias = CheckSpec | Mapping[str, Any] | str | Callable[..., object]
"""A check as it stands in a file, or a function."""


def metrics_in(checks: Iterable[Any]) -> Iterator[str]:
    """Yield the names of the metrics of checks, those within sets included."""
    for one in checks:
        plain = one.model_dump() if isinstance(one, CheckSpec) else one
        if isinstance(plain, dict):
            yield from filter(None, [plain.get("metric")])
            yield from metrics_in(plain.get(CHECKS) or ())


def path_of_function(given: Any) -> Any:  # noqa: ANN401  any value passed from Python
    """Return the path ``module:function`` of a function; any other value as it is.

    Raises:
        SpecError: the function has no such path.

    >>> path_of_function(check_of)
    'benchmaker.spec.suites.check_spec:check_of'
    """
    if not isinstance(given, FunctionType):
        return given
    if not given.__qualname__.isidentifier():
        raise SpecError(
            f"the function {given.__qualname__} is not at the top level of a module.",
            hint="Move it there, so that it can be found again.",
        )
    return f"{given.__module__}:{given.__qualname__}"


def check_of(spec: ScorerSpec) -> CheckSpec:
    """Return a check that applies a scorer."""
    return CheckSpec.model_validate({**spec.parameters, "type": spec.id})


def scorer_of_checks(
    scorer: ScorerSpec | None, checks: Sequence[CheckSpec], threshold: float | None
) -> ScorerSpec | None:
    """Return the scorer that applies checks, of which ``scorer`` is the first; without any, it."""
    if not checks:
        return scorer
    listed = (*((check_of(scorer),) if scorer else ()), *checks)
    given: dict[str, Any] = {"id": CHECKS, "checks": [one.model_dump() for one in listed]}
    return ScorerSpec.model_validate(
        given if threshold is None else {**given, "threshold": threshold}
    )


def checks_in(spec: ScorerSpec) -> tuple[CheckSpec, ...]:
    """Return the checks that a scorer applies; empty for any but ``checks``.

    Raises:
        ValidationError: one of them is invalid.
    """
    if spec.id != CHECKS:
        return ()
    return tuple(map(CheckSpec.model_validate, spec.parameters.get("checks") or ()))


def locate_scorer(spec: ScorerSpec, folder: Path) -> ScorerSpec:
    """Return a scorer with the absolute paths of its files, at any depth.

    Relative paths start at ``folder``.

    >>> locate_scorer(ScorerSpec(id="python", value="a.py:f"), Path("/suites")).parameters
    {'value': '/suites/a.py:f'}
    """
    return _with_files(spec, partial(_locate, folder=folder))


def pin_scorer(spec: ScorerSpec | None, folder: Path) -> ScorerSpec | None:
    """Return a scorer with the SHA-256 of its files, at any depth.

    The content hash of a suite then depends on these files, and not on the place where they are. A
    file that can't be read, and one that a template names, has none.
    """
    return spec and _with_files(spec, partial(_pin, folder=folder))


def pin_checks(checks: Sequence[CheckSpec], folder: Path) -> tuple[CheckSpec, ...]:
    """Return checks with the SHA-256 of their files, as :func:`pin_scorer`."""
    change = partial(_pin, folder=folder)
    found = ((one, _changes(one.type, one.parameters, change)) for one in checks)
    return tuple(
        CheckSpec.model_validate({**one.model_dump(), **changed}) if changed else one
        for one, changed in found
    )


def _with_files(spec: ScorerSpec, change: _Change) -> ScorerSpec:
    changed = _changes(spec.id, spec.parameters, change)
    return ScorerSpec.model_validate({**spec.model_dump(), **changed}) if changed else spec


def _changes(name: str, parameters: dict[str, Any], change: _Change) -> dict[str, Any]:
    """The parameters that change: those of a file, or the checks with one."""
    file, inner = _file_of(name, parameters), parameters.get(CHECKS)
    if file is not None:
        changed = change(file)
        return {
            it: new for it, new in changed.items() if parameters.get(it) is None or it != DIGEST
        }
    if not isinstance(inner, (list, tuple)):
        return {}
    made = [_with_files_inside(one, change) for one in inner]
    return {CHECKS: made} if made != list(inner) else {}


def _file_of(name: str, parameters: dict[str, Any]) -> _NamedFile | None:
    """The file with a scorer's function or tests, if it has one."""
    value, tests = parameters.get("value"), parameters.get("tests")
    if name == PYTHON and isinstance(value, str):
        path, colon, function = value.rpartition(":")
        return _NamedFile("value", "", path if colon else value, colon and colon + function)
    if name == CODE and isinstance(tests, str) and tests.startswith(FILE):
        return _NamedFile("tests", FILE, tests.removeprefix(FILE).strip(), "")
    return None


def _with_files_inside(check: Any, change: _Change) -> Any:  # noqa: ANN401  as it stands in the file
    """A check within a set, which may have faults that are reported later."""
    if not isinstance(check, dict):
        return check
    given = {name: it for name, it in check.items() if isinstance(name, str)}
    return {**check, **_changes(str(check.get("type")), given, change)}


def _locate(file: _NamedFile, folder: Path) -> dict[str, Any]:
    if file.path.startswith(("/", "~")):
        return {}
    return {file.parameter: f"{file.before}{folder.absolute() / file.path}{file.after}"}


def _pin(file: _NamedFile, folder: Path) -> dict[str, Any]:
    digest = file_digest(folder / file.path)
    return {DIGEST: digest} if digest else {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; empty if it can't be read."""
    path = path.expanduser()
    try:
        found = path.stat()
        return _digest(path.absolute(), found.st_mtime_ns, found.st_size)
    except OSError:
        return ""


@lru_cache(maxsize=256)
def _digest(path: Path, _modified_ns: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

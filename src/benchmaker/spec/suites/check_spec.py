"""Scorers as a suite names them, and checks: scorers with a weight, a threshold and a metric."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    field_validator,
    model_serializer,
    model_validator,
)

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

RESERVED_METRICS = frozenset({"mean", "strict"})
"""Names that a metric of checks can't have, since every table has these metrics."""

Weight = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Threshold = Annotated[float, Field(strict=True, ge=0, le=1)]


class ScorerSpec(SpecModel):
    """A scorer by its id, with its parameters beside it: ``{id: numeric, tolerance: 0.01}``.

    A bare name stands for the scorer with its defaults. Parameters are validated against the scorer
    when the suite is checked.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: Label

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"id": given} if isinstance(given, str) else given

    @property
    def parameters(self) -> dict[str, Any]:
        """The scorer's parameters as written."""
        return dict(self.model_extra or {})


class CheckSpec(SpecModel):
    """One check: ``{type: exact, value: Paris, weight: 2}``.

    ``type`` is the id of a scorer, or ``set`` for a check of checks; the other keys are its
    parameters. ``not`` inverts the check. ``weight`` is its share of the case's score; a check of
    weight 0 only reports. From ``threshold`` on, a score passes. ``metric`` names the metric to
    which it contributes. A bare text stands for a type with its defaults.

    >>> CheckSpec.model_validate({"type": "exact", "not": True, "value": "Rome"}).parameters
    {'value': 'Rome'}
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    type: Label
    is_negated: StrictBool = Field(False, alias="not")
    weight: Weight = 1.0
    threshold: Threshold | None = None
    metric: Label | None = None

    @model_validator(mode="before")
    @classmethod
    def _type_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        if not isinstance(given, dict):
            return {"type": given} if isinstance(given, str) else given
        return {name: value for name, value in given.items() if value is not None}

    @field_validator("metric")
    @classmethod
    def _free_name(cls, given: str | None) -> str | None:
        if given in RESERVED_METRICS:
            raise ValueError(f"{given!r} is a metric of every table; choose another name")
        return given

    @model_serializer(mode="plain")
    def _as_written(self) -> dict[str, Any]:
        """The values as they stand in a file, and in the hash."""
        fields = type(self).model_fields
        written = [name for name in fields if name in self.model_fields_set]
        own = {fields[name].alias or name: getattr(self, name) for name in written}
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


def locate_scorer(spec: ScorerSpec | None, folder: Path) -> ScorerSpec | None:
    """Return a scorer with the absolute path of its file; unchanged if it has none.

    >>> locate_scorer(ScorerSpec(id="python", value="a.py:f"), Path("/suites")).parameters
    {'value': '/suites/a.py:f'}
    """
    changed = _changes(spec.id, spec.parameters, folder) if spec else {}
    return ScorerSpec.model_validate({**spec.model_dump(), **changed}) if spec and changed else spec


def locate_checks(checks: Sequence[CheckSpec], folder: Path) -> tuple[CheckSpec, ...]:
    """Return checks with the absolute paths of their files, at any depth."""
    return tuple(_locate_check(one, folder) for one in checks)


def _locate_check(check: CheckSpec, folder: Path) -> CheckSpec:
    changed = _changes(check.type, check.parameters, folder)
    return CheckSpec.model_validate({**check.model_dump(), **changed}) if changed else check


def _changes(name: str, parameters: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The parameters that change: the path of a file, or the checks with one."""
    value, inner = parameters.get("value"), parameters.get(CHECKS)
    if name == PYTHON and isinstance(value, str) and not value.startswith(("/", "~")):
        return {"value": str(folder.absolute() / value)}
    tests = parameters.get("tests")
    if name == CODE and isinstance(tests, str) and tests.startswith(FILE):
        path = tests.removeprefix(FILE).strip()
        return {} if path.startswith(("/", "~")) else {"tests": f"{FILE}{folder.absolute() / path}"}
    if not isinstance(inner, (list, tuple)):
        return {}
    located = [_locate_written(one, folder) for one in inner]
    return {CHECKS: located} if located != list(inner) else {}


def _locate_written(check: Any, folder: Path) -> Any:  # noqa: ANN401  as it stands in the file
    """A check within a set, which may have faults that are reported later."""
    if not isinstance(check, dict):
        return check
    given = {name: it for name, it in check.items() if isinstance(name, str)}
    return {**check, **_changes(str(check.get("type")), given, folder)}

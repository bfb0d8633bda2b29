"""Files of Python functions in a suite: relative paths start at the folder of the suite."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmaker.spec.suites.case import Case
from benchmaker.spec.suites.check_spec import CHECKS, CheckSpec, ScorerSpec

PYTHON = "python"
"""The id of the scorer whose ``value`` is ``file.py:function``."""


def locate_scorer(spec: ScorerSpec | None, folder: Path) -> ScorerSpec | None:
    """Return a scorer with the absolute path of its function; unchanged if it has none.

    >>> locate_scorer(ScorerSpec(id="python", value="a.py:f"), Path("/suites")).parameters
    {'value': '/suites/a.py:f'}
    """
    changed = _changes(spec.id, spec.parameters, folder) if spec else {}
    return ScorerSpec.model_validate({**spec.model_dump(), **changed}) if spec and changed else spec


def locate_checks(checks: Sequence[CheckSpec], folder: Path) -> tuple[CheckSpec, ...]:
    """Return checks with the absolute paths of their functions, at any depth."""
    return tuple(_locate_check(one, folder) for one in checks)


def locate_case(case: Case, folder: Path) -> Case:
    """Return a case with the absolute paths of the functions of its scorer and checks."""
    if case.scorer is None and not case.checks:
        return case
    scorer, checks = locate_scorer(case.scorer, folder), locate_checks(case.checks, folder)
    if scorer is case.scorer and checks == case.checks:
        return case
    return case.model_copy(update={"scorer": scorer, "checks": checks})


def _locate_check(check: CheckSpec, folder: Path) -> CheckSpec:
    changed = _changes(check.type, check.parameters, folder)
    return CheckSpec.model_validate({**check.model_dump(), **changed}) if changed else check


def _changes(name: str, parameters: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The parameters that change: the path of a function, or the checks with one."""
    value, inner = parameters.get("value"), parameters.get(CHECKS)
    if name == PYTHON and isinstance(value, str) and not value.startswith(("/", "~")):
        return {"value": str(folder.absolute() / value)}
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

"""Python functions of a suite, in files beside it."""

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from benchmaker.spec.suites.check_spec import CHECKS, CheckSpec, ScorerSpec

PYTHON = "python"
"""The id of the scorer whose ``value`` is ``file.py:function``."""

DIGEST = "sha256"
"""The parameter of that scorer with the SHA-256 of the file."""

_Change = Callable[[str], dict[str, Any]]
"""Returns the parameters that change for a function, from its path."""


def locate_scorer(spec: ScorerSpec, folder: Path) -> ScorerSpec:
    """Return a scorer with the absolute paths of its functions, at any depth.

    Relative paths start at ``folder``.

    >>> locate_scorer(ScorerSpec(id="python", value="a.py:f"), Path("/suites")).parameters
    {'value': '/suites/a.py:f'}
    """
    return _with_functions(spec, partial(_located, folder=folder))


def pin_scorer(spec: ScorerSpec | None, folder: Path) -> ScorerSpec | None:
    """Return a scorer with the SHA-256 of the files of its functions, at any depth.

    The content hash of a suite then depends on these files, and not on the place where they are. A
    file that can't be read, and one that a template names, has none.
    """
    return spec and _with_functions(spec, partial(_pinned, folder=folder))


def pin_checks(checks: Sequence[CheckSpec], folder: Path) -> tuple[CheckSpec, ...]:
    """Return checks with the SHA-256 of the files of their functions, as :func:`pin_scorer`."""
    change = partial(_pinned, folder=folder)
    found = ((one, _changes(one.type, one.parameters, change)) for one in checks)
    return tuple(
        CheckSpec.model_validate({**one.model_dump(), **changed}) if changed else one
        for one, changed in found
    )


def _with_functions(spec: ScorerSpec, change: _Change) -> ScorerSpec:
    changed = _changes(spec.id, spec.parameters, change)
    return ScorerSpec.model_validate({**spec.model_dump(), **changed}) if changed else spec


def _changes(name: str, parameters: dict[str, Any], change: _Change) -> dict[str, Any]:
    """The parameters that change: those of a function, or the checks with one."""
    value, inner = parameters.get("value"), parameters.get(CHECKS)
    if name == PYTHON and isinstance(value, str):
        changed = change(value)
        return {
            it: new for it, new in changed.items() if parameters.get(it) is None or it != DIGEST
        }
    if not isinstance(inner, (list, tuple)):
        return {}
    made = [_with_functions_inside(one, change) for one in inner]
    return {CHECKS: made} if made != list(inner) else {}


def _with_functions_inside(check: Any, change: _Change) -> Any:  # noqa: ANN401  as it stands in the file
    """A check within a set, which may have faults that are reported later."""
    if not isinstance(check, dict):
        return check
    given = {name: it for name, it in check.items() if isinstance(name, str)}
    return {**check, **_changes(str(check.get("type")), given, change)}


def _is_relative(value: str) -> bool:
    return not value.startswith(("/", "~"))


def _located(value: str, folder: Path) -> dict[str, Any]:
    return {"value": str(folder.absolute() / value)} if _is_relative(value) else {}


def _pinned(value: str, folder: Path) -> dict[str, Any]:
    path = Path(folder, value.rpartition(":")[0]).expanduser()
    try:
        found = path.stat()
        return {DIGEST: _digest(path.absolute(), found.st_mtime_ns, found.st_size)}
    except OSError:
        return {}


@lru_cache(maxsize=256)
def _digest(path: Path, _modified_ns: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

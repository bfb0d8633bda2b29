"""The options of a call from Python: checked, and taken from keywords of the release before."""

import functools
import inspect
import warnings
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from random import Random
from typing import Any, ParamSpec, TypeVar, get_type_hints

from benchmaker.arenas.standard.arguments import option_objections, refuse_wrong
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.option_declaration import Calls
from benchmaker.engine.requests.run_options import OPTIONS, RunOptions
from benchmaker.engine.trials.clock import Clock
from benchmaker.errors import SpecError
from benchmaker.spec import JudgeNames, Parameters
from benchmaker.spec.documents.suggestions import did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

_OPENED_LATER = Any
"""Stands for a class that is loaded, and whose values are checked, where models are opened."""


def validate_arguments(
    function: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Make an async function validate its arguments and options, and accept old keywords.

    Annotations in quotes are not checked.

    Raises:
        TypeError: a keyword is unknown.
        SpecError: arguments of a wrong type; the message names all of them.
    """

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        folded = fold_deprecated(function.__name__, function, kwargs, stacklevel=2)
        refuse_wrong(function.__name__, function, args, folded)
        return await function(*args, **folded)

    return call


def fold_deprecated(
    name: str, function: Callable[..., object], kwargs: Mapping[str, Any], *, stacklevel: int
) -> dict[str, Any]:
    """Return the keywords of a call with old ones moved into its ``options``.

    An old keyword is the name of an option. ``name`` is the function's name in messages, and
    ``stacklevel`` is that of the warning, as in :func:`warnings.warn`.

    Raises:
        TypeError: a keyword is unknown, or an option is given in two ways.
        SpecError: an option has a wrong type, or the call does not support it.
    """
    parameters = inspect.signature(function).parameters
    if "deprecated" not in parameters:
        return dict(kwargs)
    known = {it for it, declared in OPTIONS.items() if _call_of(name) in declared.calls}
    old = {it: value for it, value in kwargs.items() if it not in parameters}
    _refuse_unknown(name, old, sorted(known | parameters.keys() - {"deprecated"}), known)
    rest = {it: value for it, value in kwargs.items() if it not in old}
    options = rest.get("options")
    if options is None:
        options = RunOptions()
    if not isinstance(options, RunOptions):
        return rest
    if old:
        _refuse_twice(name, options, old)
        _warn(name, old, stacklevel=stacklevel + 1)
        options = replace(options, **old)
    refuse_wrong_options(name, options)
    _refuse_idle(name, options, known)
    return rest | {"options": options}


def _call_of(name: str) -> Calls:
    return Calls[name.removeprefix("a").upper()]


def _refuse_unknown(name: str, old: Mapping[str, Any], near: list[str], known: set[str]) -> None:
    for it in old:
        if it not in known:
            message = f"{name}() got an unexpected keyword argument {it!r}"
            guess = did_you_mean(it, near)
            raise TypeError(f"{message}. {guess}" if guess else message)


def _refuse_twice(name: str, options: RunOptions, old: Mapping[str, Any]) -> None:
    if twice := sorted(options.overrides().keys() & old.keys()):
        raise TypeError(f"{name}() got {', '.join(twice)} both as arguments and in options")


def _warn(name: str, old: Mapping[str, Any], *, stacklevel: int) -> None:
    given = ", ".join(f"{it}=…" for it in old)
    warnings.warn(
        f"{name}({given}) ends with the next release. "
        f"Write {name}(…, options=RunOptions({given})), with RunOptions from benchmaker.",
        DeprecationWarning,
        stacklevel=stacklevel + 1,
    )


def refuse_wrong_options(name: str, options: RunOptions) -> None:
    """Check the options of a call, which messages call ``name``, against their declarations.

    Raises:
        SpecError: values of a wrong type or out of range; the message names all of them.
    """
    hints = _hints()
    wrong = [
        one
        for it, declared in OPTIONS.items()
        for one in option_objections(declared, getattr(options, it), hints[it])
    ]
    if wrong:
        raise SpecError(" ".join(wrong), where=f"{name}()")


def _refuse_idle(name: str, options: RunOptions, known: set[str]) -> None:
    """Refuse options that the call does not heed."""
    if idle := sorted(options.overrides().keys() - known):
        raise SpecError(
            f"no effect here: {', '.join(idle)}.",
            where=f"{name}()",
            hint="Remove it from the options.",
        )


@functools.cache
def _hints() -> dict[str, Any]:
    names = {
        "Clock": Clock,
        "HttpLimits": _OPENED_LATER,
        "JudgeNames": JudgeNames,
        "Parameters": Parameters,
        "Random": Random,
        "RunLimits": RunLimits,
    }
    return get_type_hints(RunOptions, localns=names)

"""A Python function of a suite, as it is called inside the timed worker."""

import asyncio
import inspect
import json
import sys
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

_KEPT = 50
_modules: OrderedDict[tuple[str, str], dict[str, Any]] = OrderedDict()
_scopes: dict[int, dict[str, dict[str, Any]]] = {}
"""The modules of tools by conversation, each with a state of its own, and by file."""


def call_function(request: list[Any]) -> list[Any]:
    """Answer ``[folders, file, source, function, output, case, further]``.

    The function gets those of the ``further`` arguments for which it has a parameter.

    The reply is ``["ok", result]``, ``["absent"]`` if the file defines no such function, or
    ``["raised", type, message]``. ``folders`` are added to the places of imports.
    """
    folders, file, source, name, output, case, further = request
    sys.path += [folder for folder in folders if folder not in sys.path]
    try:
        function = _module(file, source).get(name)
        if not callable(function):
            return ["absent"]
        result = _call_check(function, {"output": output, "case": case}, further)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return ["ok", json.loads(json.dumps(plain_result(result)))]
    except MemoryError:
        return ["raised", "MemoryError", "out of memory"]
    except (Exception, SystemExit) as exc:  # noqa: BLE001  the function's own, which the parent reports
        return ["raised", type(exc).__name__, str(exc)[:500]]


def _call_check(function: Any, usual: dict[str, Any], further: dict[str, Any]) -> Any:  # noqa: ANN401  any callable
    """Call a function by position, or by name if it has no parameters of other names."""
    try:
        names = inspect.signature(function).parameters.keys()
    except (TypeError, ValueError):
        names = {}.keys()
    wanted = {name: it for name, it in further.items() if name in names}
    if wanted and names <= usual.keys() | further.keys():
        return function(**{name: it for name, it in usual.items() if name in names}, **wanted)
    return function(*usual.values(), **wanted)


def call_tool(request: list[Any]) -> list[Any]:
    """Answer ``[folders, file, source, function, arguments, scope, ended]`` with a text.

    The file runs once for each ``scope``, the number of a conversation, so that conversations share
    no state of it; the state of ``ended`` ones is dropped. Modules that it imports are shared.

    The reply is ``["ok", text]``, where a result that is no text is JSON; ``["absent"]`` if the
    file defines no such function; ``["refused", message]`` if it takes other arguments; or
    ``["raised", type, message]``, also for a result that is no JSON.
    """
    folders, file, source, name, arguments, scope, ended = request
    sys.path += [folder for folder in folders if folder not in sys.path]
    for number in ended:
        _scopes.pop(number, None)
    try:
        function = _module_of(scope, file, source).get(name)
        if not callable(function):
            return ["absent"]
        if message := _misfit(function, arguments):
            return ["refused", message]
        result = function(**arguments)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        if isinstance(result, str):
            return ["ok", result]
        return ["ok", json.dumps(plain_result(result), allow_nan=False, ensure_ascii=False)]
    except MemoryError:
        return ["raised", "MemoryError", "out of memory"]
    except (Exception, SystemExit) as exc:  # noqa: BLE001  an error of the function, sent to the model
        return ["raised", type(exc).__name__, str(exc)[:500]]


def _misfit(function: Any, arguments: dict[str, Any]) -> str:  # noqa: ANN401  any callable
    """The reason why a function does not take these arguments; empty if it does."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(**arguments)
    except TypeError as exc:
        return str(exc)
    return ""


def _module_of(scope: int, file: str, source: str) -> dict[str, Any]:
    """The names that the file defines for a conversation."""
    modules = _scopes.setdefault(scope, {})
    if file not in modules:
        modules[file] = _run_file(file, source)
    return modules[file]


def _run_file(file: str, source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "check", "__file__": file}
    exec(_compile(file, source), names)  # noqa: S102  code that the suite's author names
    return names


@lru_cache(maxsize=_KEPT)
def _compile(file: str, source: str) -> CodeType:
    return compile(source, file, "exec")


def _module(file: str, source: str) -> dict[str, Any]:
    """The names that the file defines; it runs once for each of its versions."""
    key = (file, source)
    if key not in _modules:
        _modules[key] = _run_file(file, source)
    _modules.move_to_end(key)
    while len(_modules) > _KEPT:
        _modules.popitem(last=False)
    return _modules[key]


def plain_result(result: Any) -> Any:  # noqa: ANN401  what the function returns
    """Return a function's result with numbers of numpy and the like as Python's own."""
    if isinstance(result, (list, tuple)):
        return [plain_result(value) for value in result]
    if isinstance(result, Mapping):
        return {str(key): plain_result(value) for key, value in result.items()}
    item = getattr(result, "item", None)
    return item() if callable(item) and not isinstance(result, (int, float, str)) else result

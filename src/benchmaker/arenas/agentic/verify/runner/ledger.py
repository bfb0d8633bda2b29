"""Messages of the process that runs tests, and its detection of tampering.

It shares its process with the code under test, so nothing here is a barrier. It detects the common
ways to manipulate a test run: a report without the key, a replaced function of the framework or of
the standard library, a search through the interpreter's objects.
"""

import ast
import ctypes
import hashlib
import hmac
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

_DETAIL = 800
_SET_DUMPABLE = 4
_SEARCHES = frozenset({"gc.get_objects", "gc.get_referrers", "gc.get_referents"})
_TRACES = frozenset({"sys.settrace", "sys.setprofile", "sys.monitoring.register_callback"})
_CHANGING = ("hook", "showwarning", "_showwarning")
_BASIC = (
    *("builtins", "os", "io", "json", "math", "re", "functools", "importlib", "types"),
    *("traceback", "inspect", "contextlib", "collections", "time", "subprocess", "operator"),
)

Tell = Callable[..., None]


def teller(fd: int, key: bytes) -> Tell:
    """Return a function that writes one signed, numbered line per message."""
    os.set_inheritable(fd, False)  # a function of os
    write, dumps, sign, own, pid = os.write, json.dumps, hmac.new, os.getpid, os.getpid()
    sha256 = hashlib.sha256
    number = iter(range(1 << 30))

    def tell(kind: str, **message: object) -> None:
        if own() != pid:
            return  # a fork speaks for nobody
        if isinstance(message.get("detail"), str):
            message["detail"] = str(message["detail"])[-_DETAIL:]
        body = dumps([next(number), kind, message])
        line = memoryview(f"{sign(key, body.encode(), sha256).hexdigest()} {body}\n".encode())
        while line:
            line = line[write(fd, line) :]

    return tell


class ModuleWatch:
    """Records the current state of modules, and reports changes."""

    def __init__(self, modules: list[ModuleType]) -> None:
        self._modules = [(module.__name__, module) for module in modules]
        self._seen = [entry for module in modules for entry in _entries(module)]
        self._searched: list[str] = []
        searched, events = self._searched, _SEARCHES | _TRACES

        def audit(event: str, _: tuple[object, ...]) -> None:
            if event in events:
                searched.append(f"{event} was called")

        sys.addaudithook(audit)

    def find_change(self) -> str | None:
        """Return the first manipulated object; None without one."""
        for name, module in self._modules:
            if sys.modules.get(name) is not module:
                return f"the module {name} was replaced"
        for owner, label, name, value, code in self._seen:
            found = vars(owner).get(name)
            if found is not value or (code and _code(found) != code):
                return f"{label}.{name} was replaced"
        return self._searched[0] if self._searched else None

    def add(self, module: ModuleType) -> None:
        """Remember one more module: one with tests, when it has been read."""
        self._modules.append((module.__name__, module))
        self._seen += _entries(module)


def _entries(module: ModuleType) -> Iterator[tuple[Any, str, str, object, object]]:
    label = module.__name__
    for name, value in list(vars(module).items()):
        if callable(value) and not name.endswith(_CHANGING):
            yield module, label, name, value, _code(value)
        if isinstance(value, type) and value.__module__ == label:
            for inner, part in list(vars(value).items()):
                is_code = callable(part) or isinstance(part, (classmethod, staticmethod, property))
                if is_code and not inner.startswith("_abc_"):
                    yield value, f"{label}.{name}", inner, part, _code(part)


def _code(value: object) -> object:
    if not isinstance(value, FunctionType):
        return None
    return value.__code__, value.__defaults__


def modules_to_watch(*prefixes: str, tests: str) -> list[ModuleType]:
    """The modules to remember: the framework's, and those of the standard library tests use."""
    for name in sorted({*_BASIC, *imported_modules(Path(tests))}):
        if name.partition(".")[0] in sys.stdlib_module_names:
            with suppress(ImportError):
                importlib.import_module(name)
    names = {*_BASIC, *imported_modules(Path(tests)), "__main__"}
    found = [
        module
        for name, module in list(sys.modules.items())
        if isinstance(module, ModuleType)
        and module.__name__ == name
        and (name in names or name.startswith(prefixes))
    ]
    return [module for module in found if module.__name__ not in ("sys", "warnings")]


def imported_modules(folder: Path) -> set[str]:
    """The modules that the Python files of a folder import, by name."""
    found: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        with suppress(SyntaxError, ValueError, OSError):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Import):
                    found.update(alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module)
    return found - {"this", "antigravity", "idlelib", "turtledemo"}


def order_paths(tests: str, workspace: str) -> None:
    """Prevent the workspace from shadowing the standard library or the tests."""
    packages = [path for path in sys.path if path.rstrip("/").endswith("-packages")]
    others = [path for path in sys.path if path not in packages]
    sys.path[:] = [*others, tests, os.path.abspath(workspace), *packages]  # noqa: PTH100  quick


def plan() -> dict[str, Any]:
    """Read the plan from the parent process; nothing of it remains readable.

    From now on no other process of the same user can reach this one's memory or files.
    """
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    given: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return given

"""The process of the program: runs the answer's code, and calls its functions for the tests.

It is as little trusted as the code it runs. It answers requests of the tests with values, or with
references to objects that stay here.
"""

import io
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.operators import (
    FOREIGN,
    ITERATORS,
    OPERATORS,
    has_operator,
    with_class,
)
from benchmaker.scoring.program.inside.places import FILE, place_in_program, write_program
from benchmaker.scoring.program.inside.values import decode, encode, update

MODULE = "solution"
_OUTPUT = 64_000
_MUTABLE = (list, dict, set, bytearray)
_KEPT = (*_MUTABLE, Counter, OrderedDict, defaultdict)
_HOLDERS = (tuple, frozenset, *_KEPT)
_MOST_ITEMS = 200
SHARED = 8
"""The containers whose copies the tests keep equal, as on their side."""


def serve() -> None:
    """Answer requests until the tests have ended."""
    program = Program(Link())
    try:
        program.serve()
    except LinkBroken:
        return


class Program:
    """The answer's code with its objects, each of which has a number."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._module = ModuleType(MODULE)
        self._objects: list[object] = []
        self._numbers: dict[int, int] = {}
        self._foreign: dict[int, _Foreign] = {}
        self._output = _Output()
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._last_shared = 0
        self._actions: dict[str, Callable[..., Any]] = {
            "load": self._load,
            "name": self._name,
            "get": lambda number, name: getattr(self._objects[number], name),
            "set": lambda number, name, value: setattr(self._objects[number], name, value),
            "delete": lambda number, name: delattr(self._objects[number], name),
            "call": self._call,
            "operator": self._operator,
            "plain": self._plain,
            "update": self._update,
            "await": self._await,
            "is_instance": lambda one, kind: isinstance(one, self._kind(kind)),
            "is_subclass": lambda one, kind: issubclass(one, self._kind(kind)),
        }

    def serve(self) -> None:
        """Answer one request after the other."""
        self._link.send(["ready"])
        while True:
            self._link.send(self.answer(self._link.receive()))

    def answer(self, request: list[Any]) -> list[Any]:
        """Return the reply to a request: its result, or the exception that it raised."""
        self._output.redirect()
        words: list[Any] = []
        written: list[Any] = []
        try:
            words = [decode(word, self._resolve, []) for word in request[1:]]
            arguments = _arguments(request[0], words)
            written = [_write(it, self.refer) for it in arguments]
            result = self._actions[request[0]](*words)
            if found := _position(result, arguments):
                result_data: Any = ["argument", found[0]]
            else:
                result_data = self._write_result(request[0], result)
            reply = ["ok", result_data]
        except LinkBroken:
            raise
        except BaseException as exc:  # noqa: BLE001  whatever the program raises is its result
            reply = ["raised", self._exception(exc)]
        changed = self._changes(_arguments(request[0], words), written)
        return [*reply, self._output.take(), changed, self._changed_containers()]

    def _write_result(self, action: str, result: Any) -> Any:  # noqa: ANN401  JSON
        """The data of a result; a container that the program keeps has a number."""
        data = encode(result, self.refer)
        if action not in ("get", "name") or type(result) not in _KEPT or len(result) > _MOST_ITEMS:
            return data
        known = (number for number, (value, _) in self._shared.items() if value is result)
        number = next(known, self._last_shared + 1)
        self._last_shared = max(self._last_shared, number)
        self._shared[number] = (result, data)
        while len(self._shared) > SHARED:
            del self._shared[next(iter(self._shared))]
        return ["shared", number, data]

    def _changed_containers(self) -> list[Any]:
        """The numbers and contents of the containers that have changed since they were sent."""
        found = []
        for number, (value, before) in list(self._shared.items()):
            after = _write(value, self.refer)
            if after not in (before, None):
                self._shared[number] = (value, after)
                found.append([number, after])
        return found

    def _update(self, number: int, changed: Any) -> None:  # noqa: ANN401  a container
        if number in self._shared:
            value = self._shared[number][0]
            update(value, changed)
            self._shared[number] = (value, _write(value, self.refer))

    def ask(self, *words: Any) -> Any:  # noqa: ANN401  any value
        """Use an object of the tests; return the result, or raise what it raised."""
        self._link.send(["callback", *(encode(word, self.refer) for word in words)])
        while True:
            reply = self._link.receive()
            if reply[0] == "result":
                return decode(reply[1], self._resolve)
            if reply[0] == "error":
                raise _python_error(reply[1], reply[2])
            self._link.send(self.answer(reply))

    def refer(self, value: object) -> list[Any]:
        """Return a reference to an object: one of the tests' own, or one of here, by its number."""
        if isinstance(value, _Foreign):
            return ["own", object.__getattribute__(value, "_number")]
        number = self._numbers.get(id(value))
        if number is not None:
            return ["object", number]
        number = self._numbers[id(value)] = len(self._objects)
        self._objects.append(value)
        return ["object", number, *self._describe(value)]

    def _describe(self, value: object) -> list[Any]:
        kind: type = type(value)
        supported = [at for at, name in enumerate(OPERATORS) if has_operator(kind, name)]
        if isinstance(value, type) and issubclass(value, BaseException):
            bases = [encode(base, self.refer) for base in value.__bases__]
            return ["error", value.__name__, supported, bases, str(value.__module__)]
        if isinstance(value, type):
            if hasattr(value, "__class_getitem__"):
                supported.append(list(OPERATORS).index("__getitem__"))
            return ["class", value.__name__, supported, _fields(value)]
        is_awaitable = hasattr(kind, "__await__")
        is_iterator = ITERATORS.get(kind.__name__) is kind
        word = "awaitable" if is_awaitable else kind.__name__ if is_iterator else ""
        return [word, kind.__name__, supported, _fields(kind)]

    def _resolve(self, data: list[Any]) -> object:
        if data[0] == "object":
            return self._objects[data[1]]
        if data[0] == "foreign":
            if data[1] not in self._foreign:
                self._foreign[data[1]] = _foreign_type(data[2], data[3])(self, data[1])
            return self._foreign[data[1]]
        raise ValueError(f"no value of the kind {data[0]}")

    def _load(self, source: str) -> list[str]:
        """Run the answer's code as a module; return its names."""
        self._module.__file__ = write_program(source)
        sys.modules[MODULE] = self._module
        sys.argv = [FILE]
        exec(compile(source, FILE, "exec"), self._module.__dict__)  # noqa: S102  its purpose
        return [name for name in list(self._module.__dict__) if type(name) is str]

    def _name(self, name: str) -> object:
        try:
            return self._module.__dict__[name]
        except KeyError:
            message = f"module {MODULE!r} has no attribute {name!r}"
            raise AttributeError(message) from None

    def _call(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        function: Any = self._objects[number]
        result: object = function(*args, **kwargs)
        return result

    def _await(self, number: int) -> object:
        import asyncio  # noqa: PLC0415  for coroutines alone, it takes a while

        result: object = asyncio.run(_await_value(self._objects[number]))
        return result

    def _operator(self, number: int, name: str, args: tuple[Any, ...]) -> object:
        return OPERATORS[name](self._objects[number], *args)

    def _kind(self, kind: Any) -> Any:  # noqa: ANN401  a class, or an object that stands for one
        return self._objects[kind] if type(kind) is int else kind

    def _plain(self, number: int) -> object:
        """Return an object of a subclass of a plain type, or of numpy, as the plain value."""
        value: Any = self._objects[number]
        kinds: tuple[type[Any], ...] = (
            bool,
            int,
            float,
            str,
            bytes,
            tuple,
            list,
            dict,
            set,
            frozenset,
        )
        for kind in kinds:
            if isinstance(value, kind):
                return ["plain", kind(value)]
        return None

    def _exception(self, exc: BaseException) -> list[Any]:
        """The class, the arguments, the text and the last line of an exception."""
        try:
            text = str(exc)
        except Exception:  # noqa: BLE001  the program's own
            text = ""
        try:
            args = encode(exc.args, self.refer)
        except Exception:  # noqa: BLE001  as above
            args = ["tuple", text]
        return [
            encode(type(exc), self.refer),
            self.refer(exc),
            args,
            text[:2000],
            place_in_program(exc),
        ]

    def _changes(self, arguments: list[Any], written: list[Any]) -> list[Any]:
        """The arguments that the call changed, by position, with their new values."""
        found = []
        for at, (value, before) in enumerate(zip(arguments, written, strict=False)):
            if before is not None and (after := _write(value, self.refer)) not in (before, None):
                found.append([at, after])
        return found


class _Output(io.BytesIO):
    """What the program prints during a request."""

    def redirect(self) -> None:
        sys.stdout = io.TextIOWrapper(self, "utf-8", errors="surrogatepass", write_through=True)
        sys.stderr = sys.stdout

    def take(self) -> str:
        try:
            text = self.getvalue()[:_OUTPUT].decode("utf-8", "replace")
            self.seek(0)
            self.truncate()
        except ValueError:  # the program closed the wrapper and this with it
            return ""
        return text

    def close(self) -> None:
        """Stay open: a wrapper that is collected closes its buffer."""


class _Foreign:
    """An object of the tests, by its number."""

    def __init__(self, program: Program, number: int) -> None:
        object.__setattr__(self, "_program", program)
        object.__setattr__(self, "_number", number)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("_"):
            raise AttributeError(name)
        return _ask(self, "get", name)


def _ask(foreign: object, what: str, *words: Any) -> Any:  # noqa: ANN401  any value
    program: Program = object.__getattribute__(foreign, "_program")
    return program.ask(object.__getattribute__(foreign, "_number"), what, *words)


class _Function(_Foreign):
    """A function of the tests."""

    def __call__(self, *args: object, **kwargs: object) -> Any:  # noqa: ANN401  any value
        return _ask(self, "call", args, kwargs)


class _Iterator(_Foreign):
    """An iterator of the tests."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:  # noqa: ANN401  any value
        return _ask(self, "next")


class _Object(_Foreign):
    """An instance of a class that the tests define: its public attributes and methods."""

    def __setattr__(self, name: str, value: object) -> None:
        _ask(self, "set", name, value)

    def __eq__(self, other: object) -> bool:
        return self is other or bool(_ask(self, "equals", other))

    def __lt__(self, other: object) -> bool:
        return bool(_ask(self, "is_less", other))

    def __hash__(self) -> int:
        number: int = object.__getattribute__(self, "_number")
        return number

    def __str__(self) -> str:
        return str(_ask(self, "text"))


def _foreign_type(kind: str, operators: list[str]) -> type[_Foreign]:
    """The class of an object of the tests, with the special methods that its own class has.

    For an iterator, ``operators`` is the name of its type.
    """
    if kind == "object":
        body = {name: _operator_of(name) for name in operators if name in FOREIGN}
        return type("_Object", (_Object,), body) if body else _Object
    if kind == "iterator":
        return type("_Iterator", (_Iterator,), with_class(operators[0]))
    return _Function


def _operator_of(name: str) -> Callable[..., Any]:
    return lambda self, *args: _ask(self, "operator", name, args)


async def _await_value(value: Any) -> Any:  # noqa: ANN401  an awaitable
    return await value


def _arguments(action: str, words: list[Any]) -> list[Any]:
    """The arguments of a call, those with a name last."""
    return [*words[1], *words[2].values()] if action == "call" and len(words) > 2 else []  # noqa: PLR2004


def _fields(kind: type) -> list[str]:
    """The names of the fields of a data class; none for any other."""
    found = getattr(kind, "__dataclass_fields__", None)
    return list(map(str, found)) if isinstance(found, dict) else []


def _write(value: object, refer: Callable[[Any], list[Any]]) -> Any:  # noqa: ANN401  JSON
    """A plain value that a function may change, as data; None for any other."""
    if type(value) not in _HOLDERS:
        return None
    try:
        return encode(value, refer)
    except Exception:  # noqa: BLE001  values of the program
        return None


def _position(result: object, arguments: list[Any]) -> list[int]:
    """The position of the argument that is the result itself."""
    if type(result) not in _MUTABLE:
        return []
    return [at for at, it in enumerate(arguments) if it is result]


def _python_error(name: str, message: str) -> BaseException:
    import builtins  # noqa: PLC0415  rare

    kind = getattr(builtins, name, None)
    is_error = isinstance(kind, type) and issubclass(kind, Exception)
    return kind(message) if is_error else RuntimeError(f"{name}: {message}")  # type: ignore[misc]

"""The tests' side of the link: requests to the program, and its callbacks.

Values come over as copies. Any other object stays with the program, and the tests hold a
:class:`~benchmaker.scoring.program.inside.remote.Remote` for it.
"""

import io
import sys
from collections.abc import Callable, Iterator
from threading import RLock
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.operators import FOREIGN, OPERATORS, has_operator
from benchmaker.scoring.program.inside.remote import (
    ProgramError,
    error_class,
    number_of,
    remote_type,
)
from benchmaker.scoring.program.inside.values import decode, encode, update

_NAMES = tuple(OPERATORS)
_OUTPUT = 500_000
SHARED = 8
"""The containers of the program whose copies are kept equal, the latest ones."""


class Unsendable(BaseException):
    """The tests pass a value that can't be sent to the program."""


class Client:
    """Uses the program over the link; every request has one reply.

    ``problem`` is the reason why the program no longer answers. ``unsendable`` says what the tests
    tried that can't be done over the link. ``own_words`` counts what was decided by the program's
    own code, ``uses`` the requests but those for names.
    """

    def __init__(self, link: Link, tests_module: str) -> None:
        self._link = link
        self._tests_module = tests_module
        self._remotes: dict[int, Any] = {}
        self._foreign: list[Any] = []
        self._foreign_numbers: dict[int, int] = {}
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._lock = RLock()
        self._printed = 0
        self.problem = ""
        self.unsendable = ""
        self.own_words = 0
        self.uses = 0

    def wait(self) -> None:
        """Wait until the program's process has started."""
        if self._receive() != ["ready"]:
            raise self._broken("the program sent invalid data")

    def request(self, action: str, *words: Any) -> Any:  # noqa: ANN401  any value
        """Return the program's result, or raise what it raised."""
        with self._lock:
            self._send_changes()
            self.uses += action not in ("load", "name")
            self._send([action, *(encode(word, self.refer, seen={}) for word in words)])
            pending: BaseException | None = None
            while True:
                reply = self._receive()
                if reply[0] == "callback":
                    pending = self._call_back(reply[1:]) or pending
                    continue
                if pending is not None:
                    raise pending
                return self._take(reply, _arguments(action, words))

    def refer(self, value: Any) -> list[Any]:  # noqa: ANN401  any value
        """Return a reference to an object of the program, or to one of the tests."""
        number = number_of(value)
        if number is not None:
            return ["object", number]
        kind = self._foreign_kind(value)
        if id(value) not in self._foreign_numbers:
            self._foreign_numbers[id(value)] = len(self._foreign)
            self._foreign.append(value)
        operators = special_methods(type(value)) if kind == "object" else [type(value).__name__]
        return ["foreign", self._foreign_numbers[id(value)], kind, operators]

    def _foreign_kind(self, value: Any) -> str:  # noqa: ANN401  any value
        if isinstance(value, io.IOBase):
            raise self._can_not_send(f"an object of the type {type(value).__name__}")
        if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
            return "function"
        if isinstance(value, Iterator) and not callable(value):
            return "iterator"
        if type(value).__module__ == self._tests_module:
            return "object"
        if callable(value):
            return "function"
        raise self._can_not_send(f"an object of the type {type(value).__name__}")

    def refuse(self, what: str) -> Unsendable:
        """Note that the tests do what can't be done over the link; return the error to raise."""
        self.unsendable = f"the tests {what}"
        return Unsendable(self.unsendable)

    def _can_not_send(self, what: str) -> Unsendable:
        return self.refuse(f"pass {what}, which can't be sent")

    def _take(self, reply: list[Any], arguments: list[Any]) -> Any:  # noqa: ANN401  any value
        try:
            kind, data, output, changes, shared = reply
            self._print(output)
            for at, value in changes:
                update(arguments[at], self.read(value))
            for number, value in shared:
                self._share(number, value)
            if kind == "raised":
                raised: BaseException | None = self._exception(data)
                result = None
            else:
                raised = None
                is_argument = isinstance(data, list) and data[:1] == ["argument"]
                result = arguments[data[1]] if is_argument else self.read(data)
        except (ValueError, TypeError, IndexError, RecursionError, OverflowError) as exc:
            raise self._broken("the program sent invalid data") from exc
        if raised is not None:
            raise raised
        return result

    def _print(self, output: str) -> None:
        """Print what the program printed, where the tests may capture it."""
        if not isinstance(output, str):
            raise TypeError("no text")
        self._printed += len(output)
        if output and self._printed <= _OUTPUT:
            sys.stdout.write(output.encode("utf-8", "replace").decode("utf-8"))

    def read(self, data: Any) -> Any:  # noqa: ANN401  any value
        """Return the value of data from the program."""
        return decode(data, self._resolve)

    def _resolve(self, data: list[Any]) -> Any:  # noqa: ANN401  an object
        tag, number = data[0], data[1]
        if tag == "shared":
            return self._share(number, data[2])
        if type(number) is not int or number < 0:
            raise ValueError("no number of an object")
        if tag == "own":
            return self._foreign[number]
        if tag != "object":
            raise ValueError(f"no value of the kind {tag}")
        if number not in self._remotes:
            self._remotes[number] = self._make_remote(number, *data[2:])
        return self._remotes[number]

    def _share(self, number: Any, data: Any) -> Any:  # noqa: ANN401  a list, dictionary or set
        """The copy of a container that the program keeps, with its present content."""
        value = self.read(data)
        if number in self._shared:
            known = self._shared[number][0]
            update(known, value)
            value = known if type(known) is type(value) else value
        self._shared[number] = (value, encode(value, self.refer))
        while len(self._shared) > SHARED:
            del self._shared[next(iter(self._shared))]
        return value

    def _send_changes(self) -> None:
        """Let the program change its containers as the tests changed their copies."""
        for number, (value, before) in list(self._shared.items()):
            now = encode(value, self.refer)
            if now != before:
                self._shared[number] = (value, now)
                self.request("update", number, value)

    def _make_remote(
        self,
        number: int,
        kind: str,
        name: str,
        operators: list[int],
        *rest: Any,  # noqa: ANN401  JSON
    ) -> Any:  # noqa: ANN401  an object, or a class of exceptions
        """``rest`` has the bases and the module of an exception, or the fields of a data class."""
        if kind == "error":
            bases, module = rest
            found = [self.read(base) for base in bases]
            return error_class(str(name), found, number, str(module))
        supported = frozenset(_NAMES[at] for at in operators)
        fields = tuple(map(str, *rest))
        made = remote_type(supported, kind, str(name), fields)(self, number, str(name))
        return made.as_coroutine() if kind == "awaitable" else made

    def _exception(self, data: list[Any]) -> BaseException:
        """The exception that the program raised; one of a class of Python itself is that."""
        kind, instance, args, text, place = data
        found = self.read(kind)
        handle = number_of(self.read(instance))
        arguments = self.read(args)
        if not (isinstance(found, type) and issubclass(found, (Exception, SystemExit))):
            name = getattr(found, "__name__", "an exception")
            found, arguments = Exception, (f"{name}: {text}",)
        try:
            made: BaseException = found(*arguments)
        except TypeError:
            made = found.__new__(found)
            made.args = (text,)
        if isinstance(made, ProgramError):
            made._of_program = (self, handle, str(text))  # noqa: SLF001  own
        made._is_of_program_ = True  # type: ignore[attr-defined]
        if place:
            made.add_note(str(place))
        return made

    def _call_back(self, words: list[Any]) -> BaseException | None:
        """Do what the program asks of an object of the tests; a failed test stays an exception."""
        try:
            number, what, *rest = (self.read(word) for word in words)
            result = self._use(self._foreign[number], what, *rest)
            self._send(["result", encode(result, self.refer)])
        except (LinkBroken, Unsendable):
            raise
        except Exception as exc:  # noqa: BLE001  an error of the tests' function goes to its caller
            self._send(["error", type(exc).__name__, str(exc)[:2000]])
        except BaseException as exc:  # noqa: BLE001  skipped or failed: raised when the call ends
            self._send(["error", "RuntimeError", type(exc).__name__])
            return exc
        return None

    def _use(self, value: Any, what: str, *words: Any) -> Any:  # noqa: ANN401  any value
        """Do with an object of the tests what its kind allows."""
        kind = self._foreign_kind(value)
        if what == "get" and kind != "object" and hasattr(value, str(*words)):
            owner = type(value).__name__
            raise self._can_not_send(f"{words[0]} of an object of the type {owner}")
        if what not in _ALLOWED[kind]:
            raise AttributeError(*words) if what == "get" else TypeError(what)
        return _CALLBACKS[what](value, *words)

    def _send(self, message: list[Any]) -> None:
        if self.problem:
            raise LinkBroken(self.problem)
        try:
            self._link.send(message)
        except LinkBroken as exc:
            raise self._broken(str(exc)) from exc

    def _receive(self) -> list[Any]:
        try:
            return self._link.receive()
        except LinkBroken as exc:
            raise self._broken(str(exc)) from exc

    def _broken(self, problem: str) -> LinkBroken:
        self.problem = self.problem or problem
        return LinkBroken(self.problem)


def _arguments(action: str, words: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call, those with a name last."""
    return [*words[1], *words[2].values()] if action == "call" else []


def _get_public(value: Any, name: str) -> Any:  # noqa: ANN401  an object of the tests
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(value, name)


def special_methods(kind: type) -> list[str]:
    """Return the special methods of a class of the tests that the program may use."""
    return [
        name
        for name in FOREIGN
        if has_operator(kind, name) and getattr(kind, name, None) is not None
    ]


def _operate(value: Any, name: str, args: tuple[Any, ...]) -> Any:  # noqa: ANN401  as above
    if name not in special_methods(type(value)):
        raise TypeError(name)
    return OPERATORS[name](value, *args)


def _set_public(value: Any, name: str, new: Any) -> None:  # noqa: ANN401  an object of the tests
    if name.startswith("_"):
        raise AttributeError(name)
    setattr(value, name, new)


_CALLBACKS: dict[str, Callable[..., Any]] = {
    "call": lambda function, args, kwargs: function(*args, **kwargs),
    "next": next,
    "get": _get_public,
    "set": _set_public,
    "equals": lambda one, other: one == other,
    "is_less": lambda one, other: one < other,
    "text": str,
    "operator": _operate,
}


_ALLOWED = {
    "function": ("call",),
    "iterator": ("next",),
    "object": ("call", "get", "set", "equals", "is_less", "text", "operator"),
}
"""What the program may do with an object of the tests, by its kind."""

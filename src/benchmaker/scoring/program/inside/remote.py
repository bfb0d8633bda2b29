"""The tests' side of the link: the program's functions and objects, as the tests use them.

Values come over as copies. Any other object stays with the program, and the tests hold a
:class:`Remote` for it. A comparison of such an object with a plain value is made here, on its
plain content; the program never learns the other value. Arithmetic with a plain value must result
in an object again, of which no number, truth or order can be taken: the program knows the value.

What only the program's own code can decide, such as the equality of two of its objects, is counted
in :attr:`Client.own_words`.
"""

import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from threading import RLock
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from benchmaker.scoring.program.inside.link import Link, LinkBroken
from benchmaker.scoring.program.inside.operators import (
    BINARY,
    OPERATORS,
    ORDER,
    PLAIN,
    REFLECTED,
    UNARY,
)
from benchmaker.scoring.program.inside.values import decode, encode

_OUTPUT = 500_000
_NAMES = tuple(OPERATORS)
_PLAIN_KINDS = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    list,
    tuple,
    dict,
    set,
    frozenset,
    type(None),
)


_SPECIAL_ATTRIBUTES = frozenset({"__name__", "__qualname__", "__doc__", "__dict__", "__members__"})
"""Special attributes that are data for the tests; libraries act on others, such as numpy's."""


class Unsendable(BaseException):
    """The tests pass a value that can't be sent to the program."""


class Client:
    """Uses the program over the link; every request has one reply.

    ``problem`` is the reason why the program no longer answers. ``unsendable`` names a value that
    the tests tried to pass. ``own_words`` counts what was decided by the program's own code.
    """

    def __init__(self, link: Link, tests_module: str) -> None:
        self._link = link
        self._tests_module = tests_module
        self._remotes: dict[int, Any] = {}
        self._foreign: list[Any] = []
        self._foreign_numbers: dict[int, int] = {}
        self._lock = RLock()
        self._printed = 0
        self.problem = ""
        self.unsendable = ""
        self.own_words = 0

    def wait(self) -> None:
        """Wait until the program's process has started."""
        if self._receive() != ["ready"]:
            raise self._broken("the program sent invalid data")

    def request(self, action: str, *words: Any) -> Any:  # noqa: ANN401  any value
        """Return the program's result, or raise what it raised."""
        with self._lock:
            self._send([action, *(encode(word, self.refer) for word in words)])
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
        number = _number_of(value)
        if number is not None:
            return ["object", number]
        kind = self._foreign_kind(value)
        if id(value) not in self._foreign_numbers:
            self._foreign_numbers[id(value)] = len(self._foreign)
            self._foreign.append(value)
        return ["foreign", self._foreign_numbers[id(value)], kind]

    def _foreign_kind(self, value: Any) -> str:  # noqa: ANN401  any value
        if isinstance(value, (FunctionType, MethodType, BuiltinFunctionType)):
            return "function"
        if isinstance(value, Iterator):
            return "iterator"
        if type(value).__module__ == self._tests_module:
            return "object"
        if callable(value):
            return "function"
        self.unsendable = f"the tests pass an object of the type {type(value).__name__}"
        raise Unsendable(self.unsendable)

    def _take(self, reply: list[Any], arguments: list[Any]) -> Any:  # noqa: ANN401  any value
        try:
            kind, data, output, changes = reply
            self._print(output)
            for at, value in changes:
                _update(arguments[at], self.read(value))
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
        if type(number) is not int or number < 0:
            raise ValueError("no number of an object")
        if tag == "own":
            return self._foreign[number]
        if tag != "object":
            raise ValueError(f"no value of the kind {tag}")
        if number not in self._remotes:
            self._remotes[number] = self._make_remote(number, *data[2:])
        return self._remotes[number]

    def _make_remote(
        self, number: int, kind: str, name: str, operators: list[int], bases: Iterable[object] = ()
    ) -> Any:  # noqa: ANN401  an object, or a class of exceptions
        if kind == "error":
            return _error_class(str(name), [self.read(base) for base in bases], number)
        made: Remote = _remote_type(frozenset(_NAMES[at] for at in operators), kind)(
            self, number, str(name)
        )
        return made.as_coroutine() if kind == "awaitable" else made

    def _exception(self, data: list[Any]) -> BaseException:
        """The exception that the program raised; one of a class of Python itself is that."""
        kind, instance, args, text, place = data
        found = self.read(kind)
        handle = _number_of(self.read(instance))
        arguments = self.read(args)
        if not (isinstance(found, type) and issubclass(found, (Exception, SystemExit))):
            name = getattr(found, "__name__", "an exception")
            found, arguments = Exception, (f"{name}: {text}",)
        try:
            made: BaseException = found(*arguments)
        except TypeError:
            made = found.__new__(found)
            made.args = (text,)
        if isinstance(made, _ProgramError):
            made._of_program = (self, handle, str(text))  # noqa: SLF001  own
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
        if what not in _ALLOWED[self._foreign_kind(value)]:
            raise TypeError(what)
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
    found = None if name.startswith("_") else getattr(value, name, None)
    if isinstance(found, (*_PLAIN_KINDS, MethodType)):
        return found
    raise AttributeError(name)


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
}


_ALLOWED = {
    "function": ("call",),
    "iterator": ("next",),
    "object": ("call", "get", "set", "equals", "is_less", "text"),
}
"""What the program may do with an object of the tests, by its kind."""


def _update(old: Any, new: Any) -> None:  # noqa: ANN401  plain values
    """Change a value of the tests as the program changed its copy."""
    if type(old) is not type(new):
        return
    if isinstance(old, (list, bytearray)):
        is_inner = len(old) == len(new)
        old[:] = [_merge(*pair) for pair in zip(old, new, strict=True)] if is_inner else new
    elif isinstance(old, dict):
        merged = {key: _merge(old.get(key), value) for key, value in new.items()}
        old.clear()
        old.update(merged)
    elif isinstance(old, set):
        old.clear()
        old.update(new)
    elif isinstance(old, tuple):
        for pair in zip(old, new, strict=False):
            _update(*pair)


def _merge(old: Any, new: Any) -> Any:  # noqa: ANN401  plain values
    """The old object with the new content, if it can have it; else the new one."""
    if type(old) is type(new) and isinstance(old, (list, dict, set, bytearray)):
        _update(old, new)
        return old
    return new


def _number_of(value: Any) -> int | None:  # noqa: ANN401  any value
    """The number of an object of the program; None for any other."""
    number: int | None = None
    if isinstance(value, Remote):
        number = value._number_  # noqa: SLF001  own
    elif isinstance(value, type) and issubclass(value, _ProgramError):
        number = value.__dict__.get("_number_")
    elif isinstance(value, _ProgramError) and value._of_program:  # noqa: SLF001  own
        number = value._of_program[1]  # noqa: SLF001  own
    return number


class _ProgramError(Exception):
    """Base of the exceptions that the program defines; attributes are asked of the program."""

    _of_program: Any = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        of = self.__dict__.get("_of_program")
        if of is None or of[1] is None or name.startswith("__"):
            raise AttributeError(name)
        return of[0].request("get", of[1], name)

    def __str__(self) -> str:
        of = self.__dict__.get("_of_program")
        return of[2] if of else super().__str__()


def _error_class(name: str, bases: list[Any], number: int) -> type[BaseException]:
    """A class of exceptions that the program defines, below those it derives from."""
    kinds = tuple(it for it in bases if isinstance(it, type) and issubclass(it, Exception))
    own = () if any(issubclass(it, _ProgramError) for it in kinds) else (_ProgramError,)
    body = {"_number_": number, "__module__": "solution"}
    try:
        return type(name, (*own, *kinds), body)
    except TypeError:
        return type(name, (_ProgramError,), body)


class Remote:
    """An object of the program."""

    __slots__ = ("__weakref__", "_client_", "_content_", "_is_tainted_", "_name_", "_number_")

    def __init__(self, client: Client, number: int, name: str, *, is_tainted: bool = False) -> None:
        for slot, value in (
            ("_client_", client),
            ("_number_", number),
            ("_content_", None),
            ("_name_", name),
            ("_is_tainted_", is_tainted),
        ):
            object.__setattr__(self, slot, value)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("__") and name not in _SPECIAL_ATTRIBUTES:
            raise AttributeError(name)
        _count_if_tainted(self)
        return self._client_.request("get", self._number_, name)

    def __setattr__(self, name: str, value: object) -> None:
        self._client_.request("set", self._number_, name, value)

    def __delattr__(self, name: str) -> None:
        self._client_.request("delete", self._number_, name)

    def __eq__(self, other: object) -> Any:  # noqa: ANN401  or NotImplemented
        if isinstance(other, Remote):
            return self._number_ == other._number_ or _are_equal(self, other)
        content = _content(self)
        if content is None:
            return False if type(other) in _PLAIN_KINDS else NotImplemented
        return content[0] == other

    def __hash__(self) -> int:
        return hash(self._number_)

    def __str__(self) -> str:
        _count_if_tainted(self)
        return str(self._client_.request("operator", self._number_, "__str__", ()))

    def __repr__(self) -> str:
        return str(self._client_.request("operator", self._number_, "__repr__", ()))

    def as_coroutine(self) -> Any:  # noqa: ANN401  a coroutine
        """Return a coroutine that lets the program run its own to the end."""

        async def wait() -> Any:  # noqa: ANN401  any value
            return self._client_.request("await", self._number_)

        return _Awaitable(wait)


class _Awaitable:
    """An awaitable that makes its coroutine when it is awaited, so that none is left unawaited."""

    def __init__(self, wait: Callable[[], Any]) -> None:
        self._wait = wait
        self._coroutine: Any = None

    def __await__(self) -> Any:  # noqa: ANN401  a generator
        return self._wait().__await__()

    def send(self, value: Any) -> Any:  # noqa: ANN401  as a coroutine has it
        """Go on, as ``asyncio.run`` does."""
        self._coroutine = self._coroutine or self._wait()
        return self._coroutine.send(value)

    def throw(self, *args: Any) -> Any:  # noqa: ANN401  as a coroutine has it
        """Raise inside."""
        self._coroutine = self._coroutine or self._wait()
        return self._coroutine.throw(*args)

    def close(self) -> None:
        """Stop it, if it has begun."""
        if self._coroutine is not None:
            self._coroutine.close()


def _count_if_tainted(remote: Remote) -> None:
    if remote._is_tainted_:
        remote._client_.own_words += 1


def _content(remote: Remote) -> list[Any] | None:
    """The plain content of an object in a list of one; None if it has none.

    One that can't change is asked for once: an object has no second guess.
    """
    if remote._is_tainted_:
        return None
    known: list[Any] | None = remote._content_
    if known is None:
        found = remote._client_.request("plain", remote._number_)
        known = [found[1]] if isinstance(found, list) and len(found) == 2 else []  # noqa: PLR2004
        if not known or isinstance(known[0], (bool, int, float, str, bytes, tuple, frozenset)):
            object.__setattr__(remote, "_content_", known)
    return known or None


def _are_equal(one: Remote, other: Remote) -> bool:
    """What the program says of two of its objects; one that equals anything says nothing."""
    client = one._client_
    client.own_words += 1
    if _says(client, one._number_, "__eq__", secrets.token_hex(8)):
        return False
    return _says(client, one._number_, "__eq__", other) is True


def _says(client: Client, number: int, name: str, other: Any) -> Any:  # noqa: ANN401  any value
    """The result of a comparison by the program; False if it can't compare such values."""
    try:
        return client.request("operator", number, name, (other,))
    except Exception:  # noqa: BLE001  the program's own
        return False


@cache
def _remote_type(operators: frozenset[str], kind: str) -> type[Remote]:
    """A class of objects that have these operators, and no others."""
    body: dict[str, Any] = {"__slots__": ()}
    for name in operators:
        if make := _FORWARDED.get(name):
            body[name] = make(name)
    if kind == "class":
        body |= {"__instancecheck__": _is_instance, "__subclasscheck__": _is_subclass}
    if "__contains__" in operators:
        body["__contains__"] = _contains_by_items if "__iter__" in operators else _contains
    if "__call__" in operators:
        body["__call__"] = _call
    return type("Remote", (Remote,), body)


def _call(self: Remote, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any value
    _count_if_tainted(self)
    return self._client_.request("call", self._number_, args, kwargs)


def _is_instance(self: Remote, value: Any) -> bool:  # noqa: ANN401  any value
    if _number_of(value) is None:
        return False
    self._client_.own_words += 1
    return self._client_.request("is_instance", value, self) is True


def _is_subclass(self: Remote, value: Any) -> bool:  # noqa: ANN401  any value
    if _number_of(value) is None:
        return False
    self._client_.own_words += 1
    return self._client_.request("is_subclass", value, self) is True


def _contains_by_items(self: Remote, item: Any) -> bool:  # noqa: ANN401  any value
    """Look among the items here, so that the program does not learn which is sought."""
    _refuse_if_tainted(self, "__contains__")
    return any(it is item or it == item for it in iter(self))


def _contains(self: Remote, item: Any) -> bool:  # noqa: ANN401  any value
    """What the program says; an object that contains anything says nothing."""
    _refuse_if_tainted(self, "__contains__")
    client, number = self._client_, self._number_
    client.own_words += 1
    for other in (secrets.token_hex(8), secrets.randbits(60)):
        if _says(client, number, "__contains__", other) is not False:
            return False
    return client.request("operator", number, "__contains__", (item,)) is True


def _refuse_if_tainted(remote: Remote, name: str) -> None:
    if remote._is_tainted_:
        raise TypeError(
            f"{name} of a {remote._name_} that was computed with a value of the tests: "
            "compare its attributes"
        )


def _plain_operator(name: str) -> Callable[..., Any]:
    def method(self: Remote, *args: Any) -> Any:  # noqa: ANN401  any value
        _refuse_if_tainted(self, name)
        return self._client_.request("operator", self._number_, name, args)

    return method


def _unary_operator(name: str) -> Callable[..., Any]:
    def method(self: Remote) -> Any:  # noqa: ANN401  any value
        found = self._client_.request("operator", self._number_, name, ())
        return _tainted(found, name) if self._is_tainted_ else found

    return method


def _binary_operator(name: str) -> Callable[..., Any]:
    """Arithmetic: with a plain value it results in an object that is tainted."""
    of = {**BINARY, **REFLECTED}[name]

    def method(self: Remote, other: Any) -> Any:  # noqa: ANN401  any value
        content = _content(self)
        if content is not None and not isinstance(other, Remote):
            return of(content[0], other)
        found = self._client_.request("operator", self._number_, name, (other,))
        is_own = isinstance(other, Remote) and not other._is_tainted_
        return found if is_own and not self._is_tainted_ else _tainted(found, name)

    return method


def _tainted(found: Any, name: str) -> Any:  # noqa: ANN401  an object of the program
    if not isinstance(found, Remote):
        raise TypeError(f"{name} of an object of the program with a value of the tests")
    return type(found)(found._client_, found._number_, found._name_, is_tainted=True)


def _order_operator(name: str) -> Callable[..., Any]:
    of = ORDER[name]

    def method(self: Remote, other: Any) -> Any:  # noqa: ANN401  any value
        _refuse_if_tainted(self, name)
        if isinstance(other, Remote):
            _refuse_if_tainted(other, name)
            self._client_.own_words += 1
            return self._client_.request("operator", self._number_, name, (other,)) is True
        content = _content(self)
        return NotImplemented if content is None else of(content[0], other)

    return method


_FORWARDED: dict[str, Callable[[str], Callable[..., Any]]] = {
    **dict.fromkeys(UNARY, _unary_operator),
    **dict.fromkeys((*BINARY, *REFLECTED), _binary_operator),
    **dict.fromkeys(ORDER, _order_operator),
    **dict.fromkeys(
        (*PLAIN, "__setitem__", "__delitem__", "__enter__", "__exit__"), _plain_operator
    ),
}

"""The program's objects, as the tests use them.

A comparison of such an object with a plain value is made here, on its plain content; the program
never learns the other value. Arithmetic with a plain value must result in an object again, of which
no number, truth or order can be taken: the program knows the value.

Decisions of the program's own code, such as the equality of two of its objects, are counted in
``own_words`` of the client.
"""

import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from benchmaker.scoring.program.inside.operators import (
    BINARY,
    ORDER,
    PLAIN,
    REFLECTED,
    UNARY,
    with_class,
)


class Requests(Protocol):
    """The way to the program."""

    own_words: int

    def request(self, action: str, *words: Any) -> Any:  # noqa: ANN401  any value
        """Return the program's result, or raise what it raised."""
        ...


PLAIN_KINDS = (
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


_LIBRARY = frozenset(
    {"dataclasses", "json.decoder", "statistics", "decimal", "queue", "_queue", "struct", "re"}
    | {"asyncio.exceptions", "asyncio.queues", "concurrent.futures._base", "configparser"}
    | {"binascii", "_csv", "graphlib", "tomllib", "xml.etree.ElementTree", "zlib"}
)
"""Modules whose exceptions are the same on both sides; none of them is a result of a test."""


def number_of(value: Any) -> int | None:  # noqa: ANN401  any value
    """The number of an object of the program; None for any other."""
    number: int | None = None
    if isinstance(value, Remote):
        number = value._number_
    elif isinstance(value, type) and issubclass(value, ProgramError):
        number = value.__dict__.get("_number_")
    elif isinstance(value, ProgramError) and value._of_program:  # noqa: SLF001  own
        number = value._of_program[1]  # noqa: SLF001  own
    return number


class ProgramError(Exception):
    """Base of the exceptions that the program defines; it has their attributes."""

    _of_program: Any = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        of = self.__dict__.get("_of_program")
        if of is None or of[1] is None or name.startswith("__"):
            raise AttributeError(name)
        return of[0].request("get", of[1], name)

    def __str__(self) -> str:
        of = self.__dict__.get("_of_program")
        return of[2] if of else super().__str__()


def error_class(name: str, bases: list[Any], number: int, module: str = "") -> type[BaseException]:
    """A class of exceptions that the program defines, below those it derives from.

    One of Python's library is that of the tests, if they have imported it.
    """
    known = getattr(sys.modules.get(module), name, None) if module in _LIBRARY else None
    if isinstance(known, type) and issubclass(known, Exception):
        return known
    kinds = tuple(it for it in bases if isinstance(it, type) and issubclass(it, Exception))
    own = () if any(issubclass(it, ProgramError) for it in kinds) else (ProgramError,)
    body = {"_number_": number, "__module__": "solution"}
    try:
        return type(name, (*own, *kinds), body)
    except TypeError:
        return type(name, (ProgramError,), body)


class Remote:
    """An object of the program."""

    __slots__ = (
        *("__weakref__", "_client_", "_content_", "_is_method_"),
        *("_is_tainted_", "_name_", "_number_"),
    )

    def __init__(
        self, client: Requests, number: int, name: str, *, is_tainted: bool = False
    ) -> None:
        for slot, value in (
            ("_client_", client),
            ("_number_", number),
            ("_content_", None),
            ("_is_method_", False),
            ("_name_", name),
            ("_is_tainted_", is_tainted),
        ):
            object.__setattr__(self, slot, value)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any value
        if name.startswith("__") and name not in _SPECIAL_ATTRIBUTES:
            raise AttributeError(name)
        _count_if_tainted(self)
        found = self._client_.request("get", self._number_, name)
        if isinstance(found, Remote):
            object.__setattr__(found, "_is_method_", True)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        self._client_.request("set", self._number_, name, value)

    def __delattr__(self, name: str) -> None:
        self._client_.request("delete", self._number_, name)

    def __eq__(self, other: object) -> Any:  # noqa: ANN401  or NotImplemented
        if isinstance(other, Remote):
            return self._number_ == other._number_ or _are_equal(self, other)
        content = _content(self)
        if content is None:
            return False if type(other) in PLAIN_KINDS else NotImplemented
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
    if _says(client, one._number_, "__eq__", os.urandom(8).hex()):
        return False
    return _says(client, one._number_, "__eq__", other) is True


def _says(client: Requests, number: int, name: str, other: Any) -> Any:  # noqa: ANN401  any value
    """The result of a comparison by the program; False if it can't compare such values."""
    try:
        return client.request("operator", number, name, (other,))
    except Exception:  # noqa: BLE001  the program's own
        return False


@cache
def remote_type(
    operators: frozenset[str], kind: str, name: str = "Remote", fields: tuple[str, ...] = ()
) -> type[Remote]:
    """A class of objects that have these operators, and no others.

    It has the name of the program's class, and the fields of a data class.
    """
    body: dict[str, Any] = {"__slots__": ()}
    if fields:
        from dataclasses import make_dataclass  # noqa: PLC0415  few programs have any

        made: Any = make_dataclass("Fields", fields, init=False, repr=False, eq=False)
        body["__dataclass_fields__"] = made.__dataclass_fields__
    for operator in operators:
        if make := _FORWARDED.get(operator):
            body[operator] = make(operator)
    if kind == "class":
        body |= {"__instancecheck__": _is_instance, "__subclasscheck__": _is_subclass}
    body |= with_class(kind)
    if "__contains__" in operators:
        body["__contains__"] = _contains_by_items if "__iter__" in operators else _contains
    if "__hash__" in operators:
        body["__hash__"] = _hash
    if "__call__" in operators:
        body["__call__"] = _call
    return type("type" if kind == "class" else name, (Remote,), body)


def _call(self: Remote, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  any value
    _count_if_tainted(self)
    result = self._client_.request("call", self._number_, args, kwargs)
    if self._is_method_ and (args or kwargs) and isinstance(result, bool):
        self._client_.own_words += 1
    return result


def _is_instance(self: Remote, value: Any) -> bool:  # noqa: ANN401  any value
    if number_of(value) is None:
        return False
    self._client_.own_words += 1
    return self._client_.request("is_instance", value, self) is True


def _is_subclass(self: Remote, value: Any) -> bool:  # noqa: ANN401  any value
    if number_of(value) is None:
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
    for other in (os.urandom(8).hex(), int.from_bytes(os.urandom(7), "big")):
        if _says(client, number, "__contains__", other) is not False:
            return False
    return client.request("operator", number, "__contains__", (item,)) is True


def _refuse_if_tainted(remote: Remote, name: str) -> None:
    if remote._is_tainted_:
        raise TypeError(
            f"{name} of a {remote._name_} that was computed with a value of the tests: "
            "compare its attributes"
        )


def _hash(self: Remote) -> int:
    """The hash of the plain content, else what the program says: equality is decided apart."""
    content = None if self._is_tainted_ else _content(self)
    if content is not None:
        return hash(content[0])
    return hash(self._client_.request("operator", self._number_, "__hash__", ()))


def _plain_operator(name: str) -> Callable[..., Any]:
    def method(self: Remote, *args: Any) -> Any:  # noqa: ANN401  any value
        _refuse_if_tainted(self, name)
        return self._client_.request("operator", self._number_, name, args)

    return method


def _unary_operator(name: str) -> Callable[..., Any]:
    def method(self: Remote) -> Any:  # noqa: ANN401  any value
        found = self._client_.request("operator", self._number_, name, ())
        return _taint(found, name) if self._is_tainted_ else found

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
        return found if is_own and not self._is_tainted_ else _taint(found, name)

    return method


def _taint(found: Any, name: str) -> Any:  # noqa: ANN401  an object of the program
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

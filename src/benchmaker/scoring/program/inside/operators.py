"""The special methods that the tests may use on an object of the program."""

import builtins
import math
import operator
from collections.abc import Callable
from types import GeneratorType
from typing import Any

UNARY: dict[str, Callable[..., Any]] = {
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__invert__": operator.invert,
}
BINARY: dict[str, Callable[..., Any]] = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__matmul__": operator.matmul,
    "__truediv__": operator.truediv,
    "__floordiv__": operator.floordiv,
    "__mod__": operator.mod,
    "__pow__": operator.pow,
    "__and__": operator.and_,
    "__or__": operator.or_,
    "__xor__": operator.xor,
    "__lshift__": operator.lshift,
    "__rshift__": operator.rshift,
}
REFLECTED: dict[str, Callable[..., Any]] = {
    f"__r{name.strip('_')}__": (lambda one, other, of=of: of(other, one))
    for name, of in BINARY.items()
}
ORDER: dict[str, Callable[..., Any]] = {
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "__abs__": abs,
    "__bool__": bool,
    "__int__": int,
    "__float__": float,
    "__complex__": complex,
    "__index__": operator.index,
    "__round__": round,
    "__trunc__": math.trunc,
    "__floor__": math.floor,
    "__ceil__": math.ceil,
    "__len__": len,
    "__iter__": iter,
    "__next__": next,
    "__reversed__": reversed,
    "__getitem__": operator.getitem,
}
"""Operators whose result is a value for the test rather than another object of the program."""

OTHER: dict[str, Callable[..., Any]] = {
    "__setitem__": operator.setitem,
    "__delitem__": operator.delitem,
    "__contains__": operator.contains,
    "__call__": lambda one, *args: one(*args),
    "__enter__": lambda one: type(one).__enter__(one),
    "__exit__": lambda one, *args: type(one).__exit__(one, *args),
    "__str__": builtins.str,
    "__repr__": builtins.repr,
    "__eq__": operator.eq,
    "__hash__": hash,
}
OPERATORS = {**UNARY, **BINARY, **REFLECTED, **ORDER, **PLAIN, **OTHER}

FOREIGN = (
    *("__bool__", "__len__", "__iter__", "__next__", "__reversed__", "__getitem__"),
    *("__setitem__", "__delitem__", "__contains__", "__call__", "__int__", "__float__"),
    *("__index__", "__neg__", "__abs__", "__hash__", *BINARY, *REFLECTED),
)
"""The special methods that the program may use on an object of the tests, if its class has them."""

ITERATORS: dict[str, type] = {
    kind.__name__: kind for kind in (GeneratorType, map, filter, zip, enumerate, reversed)
}
"""Types of iterators, of which the other side's objects are instances too."""


def has_operator(kind: type, name: str) -> bool:
    """True if a class defines a special method; each has ``__hash__`` of ``object``."""
    if name == "__hash__":
        own: object = kind.__hash__
        return own is not object.__hash__
    return hasattr(kind, name)


def with_class(kind: str) -> dict[str, Any]:
    """Return the body of a class whose objects count as instances of an iterator's type."""
    found = ITERATORS.get(kind)
    return {} if found is None else {"__class__": property(lambda _: found)}

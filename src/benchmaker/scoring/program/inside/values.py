"""Plain values as JSON, in both directions; nothing that is read here runs code of the other side.

``None``, booleans, texts, finite floats and small integers are themselves. Every other value is a
list that begins with its tag. A value of another type is left to ``refer``, which returns a list
with a tag of its own; reading such a list is left to ``resolve``.
"""

import builtins
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, MappingProxyType
from typing import Any

Refer = Callable[[Any], list[Any]]
Resolve = Callable[[list[Any]], Any]

_DEPTH = 150
_SMALL = 1 << 53
_ARRAYS = "biufcUS"
_BY_NAME: dict[str, Any] = {"Counter": Counter, "OrderedDict": OrderedDict}
_NAMED = {
    value: name
    for name, value in vars(builtins).items()
    if isinstance(value, type) or name in {"len", "sum", "max", "min", "abs", "sorted", "print"}
}
"""Types and functions of Python itself, which each side has."""


Seen = dict[int, tuple[int, Any]]
"""The containers of a value that are written, by their ids: their numbers, and themselves."""


def encode(value: Any, refer: Refer, depth: int = 0, seen: Seen | None = None) -> Any:  # noqa: ANN401  any value
    """Return a value as JSON data; with ``seen``, a container that occurs twice stays one."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -_SMALL < value < _SMALL else ["int", hex(value)]
    if kind is float:
        return value if math.isfinite(value) else ["float", repr(value)]
    if depth > _DEPTH:
        raise RecursionError("the value is nested too deeply")

    def inner(item: Any) -> Any:  # noqa: ANN401  any value
        return encode(item, refer, depth + 1, seen)

    if kind in _WRITERS:
        return _write(value, inner, seen)
    if kind.__module__ == "numpy":
        return _numpy(value, inner, refer)
    return _rare(value, kind) or refer(value)


def _write(value: Any, inner: "Inner", seen: Seen | None) -> list[Any]:  # noqa: ANN401  any value
    if seen is None or type(value) not in _CONTAINERS:
        return _WRITERS[type(value)](value, inner)
    if id(value) in seen:
        return ["same", seen[id(value)][0]]
    data = _WRITERS[type(value)](value, inner)
    seen[id(value)] = (len(seen), value)
    return data


def decode(data: Any, resolve: Resolve, made: list[Any] | None = None) -> Any:  # noqa: ANN401  any value
    """Return the value of JSON data; ``made`` collects containers, so that one may occur twice.

    Raises:
        ValueError: the data has no such form, or its value is impossible.
    """
    if not isinstance(data, list):
        if isinstance(data, dict):
            raise ValueError("an object of JSON is no value")  # noqa: TRY004  a fault of the data
        return data
    tag, items = data[0], data[1:]
    if tag == "same" and made is not None:
        return _made_before(items, made)
    if tag not in _READERS:
        return resolve(data)
    try:
        value = _READERS[tag]([decode(item, resolve, made) for item in items])
    except (TypeError, IndexError, ArithmeticError, OverflowError, ImportError) as exc:
        raise ValueError(f"no value of the kind {tag}") from exc
    if made is not None and type(value) in _CONTAINERS:
        made.append(value)
    return value


def _made_before(items: list[Any], made: list[Any]) -> Any:  # noqa: ANN401  a container
    try:
        return made[items[0]]
    except (TypeError, IndexError) as exc:
        raise ValueError("no such container") from exc


_CONTAINERS = frozenset({list, set, dict, bytearray, Counter, OrderedDict, defaultdict, deque})
"""Types whose values can be changed."""

Inner = Callable[[Any], Any]


def _items(tag: str) -> Callable[[Iterable[Any], Inner], list[Any]]:
    return lambda value, inner: [tag, *map(inner, value)]


def _pairs(tag: str) -> Callable[[dict[Any, Any], Inner], list[Any]]:
    return lambda value, inner: [tag, *(inner(it) for pair in value.items() for it in pair)]


def _text(tag: str, of: Callable[[Any], str]) -> Callable[[Any, Inner], list[Any]]:
    return lambda value, _: [tag, of(value)]


_WRITERS: dict[type, Callable[[Any, Inner], list[Any]]] = {
    list: _items("list"),
    tuple: _items("tuple"),
    set: _items("set"),
    frozenset: _items("frozenset"),
    dict: _pairs("dict"),
    Counter: _pairs("Counter"),
    OrderedDict: _pairs("OrderedDict"),
    defaultdict: _pairs("defaultdict"),
    deque: lambda value, inner: ["deque", inner(value.maxlen), *map(inner, value)],
    bytes: _text("bytes", bytes.hex),
    bytearray: _text("bytearray", bytearray.hex),
    complex: lambda value, inner: ["complex", inner(value.real), inner(value.imag)],
    range: lambda it, inner: ["range", inner(it.start), inner(it.stop), inner(it.step)],
    slice: lambda it, inner: ["slice", inner(it.start), inner(it.stop), inner(it.step)],
    Decimal: _text("Decimal", str),
    Fraction: lambda it, inner: ["Fraction", inner(it.numerator), inner(it.denominator)],
    date: _text("date", date.isoformat),
    timedelta: lambda it, _: ["timedelta", it.days, it.seconds, it.microseconds],
    type(...): lambda *_: ["..."],
    MappingProxyType: lambda value, inner: ["mappingproxy", inner(dict(value))],
    **{
        type(getattr(kind(), view)()): _items(f"{prefix}_{view}")
        for prefix, kind in (("dict", dict), ("odict", OrderedDict))
        for view in ("keys", "values", "items")
    },
}


def _of_pairs(make: Callable[[Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda items: make(zip(items[::2], items[1::2], strict=True))


def _default_dict(pairs: Any) -> Any:  # noqa: ANN401  an iterator of pairs
    return defaultdict(None, pairs)


def _view(kind: Callable[[Any], Any], name: str) -> Callable[[list[Any]], Any]:
    """Make a view of a dictionary; that of values has the positions as its keys."""
    pairs: dict[str, Callable[[list[Any]], Any]] = {
        "keys": lambda items: ((it, None) for it in items),
        "values": enumerate,
        "items": iter,
    }
    return lambda items: getattr(kind(pairs[name](items)), name)()


def _array(items: list[Any]) -> Any:  # noqa: ANN401  an array of numpy
    import numpy as np  # noqa: PLC0415  for programs that use it alone

    kind, shape, data = items
    found = np.dtype(str(kind))
    if found.kind not in _ARRAYS:
        raise ValueError(f"no array of {kind}")
    return np.frombuffer(bytes.fromhex(data), dtype=found).reshape(shape).copy()


_READERS: dict[Any, Callable[[list[Any]], Any]] = {
    "int": lambda items: int(items[0], 16),
    "float": lambda items: float(items[0]),
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": _of_pairs(dict),
    "Counter": _of_pairs(lambda pairs: Counter(dict(pairs))),
    "OrderedDict": _of_pairs(OrderedDict),
    "defaultdict": _of_pairs(_default_dict),
    "deque": lambda items: deque(items[1:], items[0]),
    "bytes": lambda items: bytes.fromhex(items[0]),
    "bytearray": lambda items: bytearray.fromhex(items[0]),
    "complex": lambda items: complex(*map(float, items)),
    "range": lambda items: range(*items),
    "slice": lambda items: slice(*items),
    "Decimal": lambda items: Decimal(items[0]),
    "Fraction": lambda items: Fraction(*items),
    "date": lambda items: date.fromisoformat(items[0]),
    "datetime": lambda items: datetime.fromisoformat(items[0]),
    "time": lambda items: time.fromisoformat(items[0]),
    "timedelta": lambda items: timedelta(*items),
    "array": _array,
    "...": lambda _: ...,
    "mappingproxy": lambda items: MappingProxyType(dict(items[0])),
    **{
        f"{prefix}_{view}": _view(kind, view)
        for prefix, kind in (("dict", dict), ("odict", OrderedDict))
        for view in ("keys", "values", "items")
    },
    "python": lambda items: _python_object(items[0]),
}


def _python_object(name: str) -> Any:  # noqa: ANN401  a type or function of Python
    found = vars(builtins).get(name)
    if found is None or _NAMED.get(found) != name:
        raise ValueError(f"Python has no type {name}")
    return found


def _numpy(value: Any, inner: Inner, refer: Refer) -> Any:  # noqa: ANN401  an object of numpy
    """A scalar of numpy as Python's own number, an array with its bytes."""
    if type(value).__name__ == "ndarray" and value.dtype.kind in _ARRAYS:
        return ["array", value.dtype.str, ["tuple", *value.shape], value.tobytes().hex()]
    item = value.item() if hasattr(value, "item") and not getattr(value, "shape", 1) else value
    return refer(value) if type(item) is type(value) else inner(item)


def _rare(value: Any, kind: type) -> list[Any] | None:  # noqa: ANN401  any value
    """Times of the day, and what Python itself defines; None for anything else."""
    if kind in (datetime, time) and (value.tzinfo is None or type(value.tzinfo) is timezone):
        return [kind.__name__, value.isoformat()]
    if not isinstance(value, (type, BuiltinFunctionType)):
        return None
    try:
        name = _NAMED.get(value)
    except Exception:  # noqa: BLE001  an object that can't be hashed, or fails at it
        return None
    return ["python", name] if name and vars(builtins).get(name) is value else None


def update(old: Any, new: Any) -> None:  # noqa: ANN401  plain values
    """Change a value as the other side changed its copy."""
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
            update(*pair)


def _merge(old: Any, new: Any) -> Any:  # noqa: ANN401  plain values
    """The old object with the new content, if it can have it; else the new one."""
    if type(old) is type(new) and isinstance(old, (list, dict, set, bytearray)):
        update(old, new)
        return old
    return new

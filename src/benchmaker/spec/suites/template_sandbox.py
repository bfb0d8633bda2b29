"""Jinja2's sandbox for templates of untrusted suites, bounded in time and size.

Expressions, ``if``, ``for``, ``set`` and the filters below are available. There are no macros,
includes or imports. Each operation checks the size of its operands, each pass of a loop the time.
"""

import json
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.filters import FILTERS
from jinja2.runtime import Context, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.tests import TESTS
from jinja2.utils import missing

MOST_CHARACTERS = 1_000_000
MOST_PASSES = 20_000
MOST_SECONDS = 2.0

_FILTERS = (
    "abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "int", "items",
    "last", "length", "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse",
    "round", "select", "selectattr", "sort", "sum", "title", "trim", "truncate", "unique",
    "upper", "wordcount",
)  # fmt: skip
_TESTS = (
    "boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "float", "ge",
    "greaterthan", "gt", "in", "integer", "iterable", "le", "lessthan", "lower", "lt",
    "mapping", "ne", "none", "number", "odd", "sequence", "string", "true", "undefined",
    "upper", "!=", "<", "<=", "==", ">", ">=",
)  # fmt: skip
_METHODS = (
    "capitalize", "endswith", "get", "items", "keys", "lower", "lstrip", "rstrip", "split",
    "splitlines", "startswith", "strip", "title", "upper", "values",
)  # fmt: skip
_REFUSED = (
    nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.Include, nodes.Import, nodes.FromImport,
    nodes.Extends, nodes.Block, nodes.ExprStmt, nodes.AssignBlock, nodes.Pow,
)  # fmt: skip
_LIMITS = "_limits"


class UndefinedVariable(Exception):
    """A template uses ``name``, which ``owner`` lacks; None if it is a variable."""

    def __init__(self, name: str, owner: object = None) -> None:
        super().__init__(name)
        self.name = name
        self.owner = owner


class LimitExceeded(Exception):
    """A template takes too long, or its text grows too large."""


class _Missing(StrictUndefined):
    """An undefined value that keeps its name and owner when it is used."""

    __slots__ = ()

    def _fail_with_undefined_error(self, *_args: Any, **_named: Any) -> Any:  # noqa: ANN401  never returns
        owner = self._undefined_obj
        raise UndefinedVariable(str(self._undefined_name), None if owner is missing else owner)

    __iter__ = __str__ = __len__ = __eq__ = __ne__ = _fail_with_undefined_error
    __bool__ = __hash__ = __contains__ = __getattr__ = _fail_with_undefined_error
    __lt__ = __le__ = __gt__ = __ge__ = __call__ = __getitem__ = _fail_with_undefined_error
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _fail_with_undefined_error
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _fail_with_undefined_error
    __mod__ = __rmod__ = __pow__ = __rpow__ = __pos__ = __neg__ = _fail_with_undefined_error
    __int__ = __float__ = __complex__ = _fail_with_undefined_error


class RenderLimits:
    """The passes and the time of one rendering."""

    def __init__(self) -> None:
        self._passes = self._written = 0
        self._until = monotonic() + MOST_SECONDS

    def note_pass(self) -> str:
        """Count one pass of a loop; returns an empty text, since it stands in the output."""
        self._passes += 1
        if self._passes > MOST_PASSES:
            raise LimitExceeded(f"loops make more than {MOST_PASSES:,} passes")
        self.refuse_late()
        return ""

    def add_text(self, text: str) -> str:
        """Count a piece of the output, and return it."""
        self._written += len(text)
        _refuse_size(self._written)
        return text

    def refuse_late(self) -> None:
        """Raise LimitExceeded after the time limit."""
        if monotonic() > self._until:
            raise LimitExceeded(f"rendering takes longer than {MOST_SECONDS:g} s")


def size_of(value: object, room: int = MOST_CHARACTERS) -> int:
    """Return the characters of a value as text, roughly; LimitExceeded if beyond ``room``."""
    size = 1
    match value:
        case str() | bytes():
            size += len(value)
        case int() if value.bit_length() > 256:  # noqa: PLR2004  no figure of a suite is larger
            raise LimitExceeded("a number is too large")
        case Mapping():
            for key, inner in value.items():
                size += size_of(key, room - size) + size_of(inner, room - size)
        case list() | tuple() | set() | frozenset():
            for inner in value:
                size += size_of(inner, room - size)
        case _:
            pass
    if size > room:
        raise LimitExceeded(f"a text is longer than {MOST_CHARACTERS:,} characters")
    return size


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment of a suite's templates."""

    intercepted_binops = frozenset({"+", "*", "%"})

    def __init__(self) -> None:
        super().__init__(
            undefined=_Missing, keep_trailing_newline=True, autoescape=False, finalize=_finalize
        )
        self.globals = {"range": safe_range}
        self.filters = {name: _with_size_check(FILTERS[name]) for name in _FILTERS}
        self.filters |= {"join": _join, "replace": _replace, "string": _string, "tojson": _json}
        self.tests = {name: TESTS[name] for name in _TESTS}

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """The syntax tree without refused nodes, with its loops counted."""
        tree = super()._parse(source, name, filename)
        for kind in _REFUSED:
            for node in tree.find_all(kind):
                word = type(node).__name__.lower()
                raise TemplateSyntaxError(f"{word!r} is not available here", node.lineno)
        for used in tree.find_all(nodes.Name):
            if used.name.startswith("_"):
                raise TemplateSyntaxError("a name can't begin with '_'", used.lineno)
        for loop in tree.find_all(nodes.For):
            if loop.recursive:
                raise TemplateSyntaxError("'recursive' is not available here", loop.lineno)
            limits = nodes.Name(_LIMITS, "load", lineno=loop.lineno)
            note = nodes.Call(nodes.Getattr(limits, "note_pass", "load"), [], [], None, None)
            loop.body.insert(0, nodes.Output([note], lineno=loop.lineno).set_lineno(loop.lineno))
            note.set_environment(self)
        for both in tree.find_all(nodes.Concat):
            both.nodes = [nodes.Filter(one, "string", [], [], None, None) for one in both.nodes]
            both.set_environment(self)
        return tree

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:  # noqa: ANN401  any value
        """True for fields of data and the methods above."""
        if isinstance(obj, RenderLimits):
            return attr == "note_pass"
        if callable(value) and attr not in _METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:  # noqa: ANN401  any value
        """Offer no ``format`` of texts, whose widths have no limit."""

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401  any value
        """Return the result of an operation whose operands are within the limits."""
        sizes = size_of(left), size_of(right)
        if operator == "%" and isinstance(left, str):
            raise LimitExceeded("formatting by % is not available")
        if operator == "*":
            for value, times, size in ((left, right, sizes[0]), (right, left, sizes[1])):
                if not isinstance(value, (int, float)) and isinstance(times, int):
                    _refuse_size(size * max(times, 0))
        else:
            _refuse_size(sum(sizes))
        return super().call_binop(context, operator, left, right)


def _refuse_size(size: int) -> None:
    if size > MOST_CHARACTERS:
        raise LimitExceeded(f"a text is longer than {MOST_CHARACTERS:,} characters")


def _finalize(value: Any) -> Any:  # noqa: ANN401  any value
    """A value as a suite would write it; its size is checked before it becomes text."""
    if isinstance(value, Undefined):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    size_of(value)
    return "" if value is None else value


def _with_size_check(function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, which refuses values that are too large."""

    def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401  as the filter takes them
        for value in (*given, *named.values()):
            size_of(value)
        made = function(*given, **named)
        return list(made) if hasattr(made, "__next__") else made

    for name, value in getattr(function, "__dict__", {}).items():
        setattr(call, name, value)
    return call


def _string(value: Any) -> str:  # noqa: ANN401  any value
    """The value as text, as it stands in the output."""
    return str(_finalize(value))


def _json(value: Any) -> str:  # noqa: ANN401  any value
    """The value as JSON, with no sign escaped for HTML."""
    size_of(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def _join(value: Any, separator: str = "", attribute: str | None = None) -> str:  # noqa: ANN401  any list
    """The items as one text."""
    items = [one.get(attribute) if attribute and isinstance(one, Mapping) else one for one in value]
    texts = [_string(one) for one in items]
    _refuse_size(size_of(items) + len(str(separator)) * len(texts))
    return str(separator).join(texts)


def _replace(text: Any, old: str, new: str) -> str:  # noqa: ANN401  any value
    """The text with each occurrence replaced."""
    whole, old, new = _string(text), str(old), str(new)
    _refuse_size(len(whole) + whole.count(old) * len(new))
    return whole.replace(old, new)

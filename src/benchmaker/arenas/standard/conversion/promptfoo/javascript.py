"""The syntax tree of a JavaScript expression: the small part that configurations use.

Literals, names, members, calls, operators, conditions, templates, objects with spreads, and
regular expressions are read. Functions, assignments and statements are not: nothing is run.
Source: ECMAScript 2023, sections 12 and 13, as far as named here.
"""

import re
from dataclasses import dataclass
from typing import Any


class NotUnderstood(ValueError):
    """The text is no expression of the part of JavaScript that is read."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree: its kind, its value, and the nodes below.

    Kinds: ``literal``, ``undefined``, ``name``, ``member``, ``index``, ``call``, ``unary``,
    ``binary``, ``condition``, ``regex``, ``object``, ``array``, ``spread``, ``template``.
    """

    kind: str
    value: Any = None
    parts: tuple["Node", ...] = ()


_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<template>`(?:[^`\\]|\\.)*`)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<sign>\.\.\.|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%!<>?:.,()\[\]{}=;])
    )""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"\s*/((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")
_PRECEDENCE = {
    "??": 1, "||": 2, "&&": 3, "===": 4, "!==": 4, "==": 4, "!=": 4, "<": 5, ">": 5, "<=": 5,
    ">=": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip
_WORDS = {"true": True, "false": False, "null": None}
_REFUSED = frozenset(
    {
        "return",
        "const",
        "let",
        "var",
        "function",
        "new",
        "async",
        "await",
        "class",
        "delete",
        "in",
        "instanceof",
    }
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_MOST_CHARACTERS = 20_000
_MOST_LEVELS = 60
_MOST_TOKENS = 300


def parse_expression(source: str) -> Node:
    """Return the tree of an expression; a final ``;`` is left out.

    Several lines are the body of a function, which must be one ``return``.

    Raises:
        NotUnderstood: it is none, or uses something else.

    >>> parse_expression("output.length < 5").value
    '<'
    """
    text = source.strip()
    if len(text) > _MOST_CHARACTERS:
        raise NotUnderstood("it is too long")
    if "\n" in text:
        if not text.startswith("return "):
            raise NotUnderstood("several statements are not understood")
        text = text.removeprefix("return ")
    text = text.strip().rstrip(";")
    reader = _Reader(text)
    found = reader.expression()
    if not reader.at_end():
        raise NotUnderstood(f"unexpected {text[reader.place :].strip()[:20]!r}")
    return found


@dataclass(slots=True)
class _Reader:
    """A parser by precedence."""

    text: str
    place: int = 0
    levels: int = 0
    tokens: int = 0

    def at_end(self) -> bool:
        return not self.text[self.place :].strip()

    def expression(self) -> Node:
        self.levels += 1
        if self.levels > _MOST_LEVELS:
            raise NotUnderstood("it is nested too deeply")
        found = self._binary(0)
        if self._takes("?"):
            yes = self.expression()
            self._require(":")
            found = Node("condition", None, (found, yes, self.expression()))
        self.levels -= 1
        return found

    def _binary(self, least: int) -> Node:
        left = self._unary()
        while (sign := self._peek()) in _PRECEDENCE and _PRECEDENCE[sign] > least:
            self._takes(sign)
            left = Node("binary", sign, (left, self._binary(_PRECEDENCE[sign])))
        return left

    def _unary(self) -> Node:
        for sign in ("!", "-", "+"):
            if self._takes(sign):
                return Node("unary", sign, (self._unary(),))
        if self._peek() == "typeof":
            self._token()
            return Node("unary", "typeof", (self._unary(),))
        return self._postfix(self._primary())

    def _postfix(self, found: Node) -> Node:
        while True:
            if self._takes("."):
                found = Node("member", self._name(), (found,))
            elif self._takes("["):
                found = Node("index", None, (found, self.expression()))
                self._require("]")
            elif self._takes("("):
                found = Node("call", None, (found, *self._items(")")))
            else:
                return found

    def _primary(self) -> Node:
        if regex := _REGEX.match(self.text, self.place):
            self.place = regex.end()
            return Node("regex", (regex[1], regex[2]))
        kind, token = self._token()
        if kind == "sign":
            return self._enclosure(token)
        if kind == "number":
            return Node("literal", float(token) if re.search(r"[.eE]", token) else int(token))
        if kind == "text":
            return Node("literal", _unescape(token[1:-1]))
        if kind == "template":
            parts = _template_parts(token[1:-1])
            return parts[0] if len(parts) == 1 else Node("template", None, tuple(parts))
        return _word(token)

    def _enclosure(self, sign: str) -> Node:
        if sign == "(":
            found = self.expression()
            self._require(")")
            return found
        if sign == "[":
            return Node("array", None, tuple(self._items("]")))
        if sign == "{":
            return self._object()
        raise NotUnderstood(f"unexpected {sign!r}")

    def _object(self) -> Node:
        keys: list[str | None] = []
        values: list[Node] = []
        while not self._takes("}"):
            if self._takes("..."):
                keys.append(None)
                values.append(self.expression())
            else:
                keys.append(self._key())
                is_short = self._peek() in {",", "}"}
                values.append(Node("name", keys[-1]) if is_short else self._after_colon())
            if not self._takes(","):
                self._require("}")
                break
        return Node("object", tuple(keys), tuple(values))

    def _key(self) -> str:
        kind, token = self._token()
        if kind == "text":
            return _unescape(token[1:-1])
        if kind in {"name", "number"}:
            return token
        raise NotUnderstood(f"unexpected {token!r}")

    def _after_colon(self) -> Node:
        self._require(":")
        return self.expression()

    def _items(self, end: str) -> list[Node]:
        found: list[Node] = []
        while not self._takes(end):
            is_spread = self._takes("...")
            one = self.expression()
            found.append(Node("spread", None, (one,)) if is_spread else one)
            if not self._takes(","):
                self._require(end)
                break
        return found

    def _name(self) -> str:
        kind, token = self._token()
        if kind != "name":
            raise NotUnderstood(f"unexpected {token!r}")
        return token

    def _peek(self) -> str:
        found = _TOKEN.match(self.text, self.place)
        return found[0].strip() if found else ""

    def _takes(self, sign: str) -> bool:
        if self._peek() != sign:
            return False
        self._token()
        return True

    def _require(self, sign: str) -> None:
        if not self._takes(sign):
            raise NotUnderstood(f"{sign!r} is missing")

    def _token(self) -> tuple[str, str]:
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            raise NotUnderstood("it ends early or has an unknown sign")
        self.place = found.end()
        self.tokens += 1
        if self.tokens > _MOST_TOKENS:
            raise NotUnderstood("it is too long")
        kind = str(found.lastgroup)
        return kind, found[kind]


def _word(token: str) -> Node:
    if token in _REFUSED:
        raise NotUnderstood(f"{token!r} is not understood")
    if token == "undefined":  # noqa: S105  a word of JavaScript
        return Node("undefined")
    return Node("literal", _WORDS[token]) if token in _WORDS else Node("name", token)


def _template_parts(text: str) -> list[Node]:
    parts: list[Node] = []
    pieces = re.split(r"\$\{((?:[^{}]|\{[^{}]*\})*)\}", text)
    for place, piece in enumerate(pieces):
        parts.append(parse_expression(piece) if place % 2 else Node("literal", _unescape(piece)))
    return parts


def _unescape(text: str) -> str:
    def sign(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            return chr(int(code, 16))
        return _ESCAPES.get(found[4], found[4])

    return re.sub(r"\\(?:u\{([0-9a-fA-F]{1,5})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))",
                  sign, text, flags=re.DOTALL)  # fmt: skip

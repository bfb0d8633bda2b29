"""A spreadsheet without a screen.

Formulas are parsed once, into nested tuples, with every cell that they name. A change marks what
depends on it as stale and computes nothing; asking for a cell computes what is stale below it,
each formula once, deepest first and without recursion from cell to cell.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

CELL = re.compile(r"([A-Z]{1,2})([1-9][0-9]{0,4})")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:E[+-]?[0-9]+)?")
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:E[+-]?[0-9]+)?(?![A-Z0-9.]))"
    r"|(?P<name>[A-Z]+[0-9]*)|(?P<sign><=|>=|<>|[-+*/^()=<>,:]))"
)
CYCLE, DIVISION, VALUE, NUM, SYNTAX = "#CYCLE!", "#DIV/0!", "#VALUE!", "#NUM!", "#SYNTAX!"


class Wrong(Exception):
    """A formula that has no value but an error."""


@dataclass(frozen=True)
class Error:
    """An error as the value of a cell; a text that looks like one is no error."""

    name: str


@dataclass(frozen=True)
class Formula:
    """What a formula computes, and the cells that it names."""

    tree: tuple
    needs: tuple[str, ...]


class Sheet:
    """Cells by name, each with a text; formulas begin with ``=``."""

    def __init__(self):
        self._formulas: dict[str, Formula] = {}
        self._values: dict[str, object] = {}
        self._needed_by: dict[str, set[str]] = {}
        self._computed = 0

    @property
    def computed(self):
        """How many times a formula has been computed so far."""
        return self._computed

    def set(self, cell, text):
        """Write a text into a cell; ValueError when there is no such cell."""
        cell = named(cell)
        for one in self._needs(cell):
            self._needed_by[one].discard(cell)
        self._formulas.pop(cell, None)
        self._forget(cell)
        if text.lstrip().startswith("="):
            formula = self._formulas[cell] = parsed(text.lstrip()[1:])
            for one in formula.needs:
                self._needed_by.setdefault(one, set()).add(cell)
        elif text.strip():
            self._values[cell] = number(text) if NUMBER.fullmatch(text.strip().upper()) else text

    def get(self, cell):
        """The value of a cell: a float, a text, or None; ValueError when there is no such cell."""
        cell = named(cell)
        if self._is_stale(cell):
            self._settle(cell)
        value = self._values.get(cell)
        return value.name if isinstance(value, Error) else value

    def _needs(self, cell):
        return self._formulas[cell].needs if cell in self._formulas else ()

    def _is_stale(self, cell):
        return cell in self._formulas and cell not in self._values

    def _forget(self, cell):
        """Forget the value of a cell and of all that depends on it.

        What depends on a stale formula is stale already.
        """
        self._values.pop(cell, None)
        waiting = [cell]
        while waiting:
            for one in self._needed_by.get(waiting.pop(), ()):
                if one in self._values:
                    del self._values[one]
                    waiting.append(one)

    def _settle(self, cell):
        """Compute what is stale from a cell downwards, what is needed first."""
        path = {cell: iter(self._needs(cell))}
        on_cycle = set()
        while path:
            at = next(reversed(path))
            needed = next((one for one in path[at] if self._is_stale(one)), None)
            if needed is None:
                del path[at]
                self._values[at] = self._value(at, at in on_cycle)
            elif needed in path:
                on_cycle.add(at)
            else:
                path[needed] = iter(self._needs(needed))

    def _value(self, cell, is_on_cycle):
        formula = self._formulas[cell]
        if is_on_cycle or any(self._values.get(one) == Error(CYCLE) for one in formula.needs):
            return Error(CYCLE)
        self._computed += 1
        try:
            value = result(formula.tree, self._values.get)
        except Wrong as wrong:
            return Error(str(wrong))
        return 0.0 if value is None else value


def named(cell):
    """A cell's name in capitals; ValueError when it names none."""
    if not isinstance(cell, str) or not cell.isascii() or not CELL.fullmatch(cell.upper()):
        raise ValueError(f"{cell!r} is not a cell")
    return cell.upper()


def number(text):
    """The number that a text is; it may be too large for one."""
    value = float(text)
    return value if math.isfinite(value) else Error(NUM)


def column(letters):
    """A column's number by its letters, from 1."""
    value = 0
    for letter in letters:
        value = value * 26 + ord(letter) - 64
    return value


def letters(column):
    """A column's letters by its number."""
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def cells(first, last):
    """The cells of a range, row by row, whichever corners name it."""
    (a, top), (b, bottom) = CELL.fullmatch(first).groups(), CELL.fullmatch(last).groups()
    columns = sorted((column(a), column(b)))
    rows = sorted((int(top), int(bottom)))
    for row in range(rows[0], rows[1] + 1):
        for one in range(columns[0], columns[1] + 1):
            yield f"{letters(one)}{row}"


def parsed(text):
    """A formula out of its text; one that can't be read has an error for its value."""
    try:
        if not text.isascii():
            raise Wrong(SYNTAX)
        parser = Parser(list(tokens(text.upper())))
        tree = parser.comparison()
        parser.expect("")
    except Wrong:
        return Formula(("error", SYNTAX), ())
    return Formula(tree, tuple(dict.fromkeys(parser.needs)))


def tokens(text) -> Iterator[tuple[str, str]]:
    """Kind and text of each token, and one that marks the end."""
    at, end = 0, len(text.rstrip())
    while at < end:
        found = TOKEN.match(text, at)
        if found is None:
            raise Wrong(SYNTAX)
        at = found.end()
        yield str(found.lastgroup), found[found.lastgroup]
    yield "sign", ""


class Parser:
    """Reads tokens by recursive descent; each level binds tighter than the one before."""

    def __init__(self, given):
        self.tokens = given
        self.at = 0
        self.needs = []

    def peek(self):
        return self.tokens[self.at]

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def is_next(self, *signs):
        kind, text = self.peek()
        return kind == "sign" and text in signs

    def expect(self, sign):
        if not self.is_next(sign):
            raise Wrong(SYNTAX)
        return self.take()

    def chain(self, below, *signs):
        tree = below()
        while self.is_next(*signs):
            sign = self.take()[1]
            tree = ("pair", sign, tree, below())
        return tree

    def comparison(self):
        tree = self.sum()
        if self.is_next("=", "<>", "<", "<=", ">", ">="):
            sign = self.take()[1]
            tree = ("pair", sign, tree, self.sum())
        return tree

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.signed, "*", "/")

    def signed(self):
        if self.is_next("-", "+"):
            return ("sign", self.take()[1], self.signed())
        return self.power()

    def power(self):
        base = self.atom()
        if self.is_next("^"):
            self.take()
            return ("pair", "^", base, self.signed())
        return base

    def atom(self):
        kind, text = self.take()
        if kind == "number":
            return ("number", float(text))
        if kind == "name" and self.is_next("("):
            return self.call(text)
        if kind == "name" and CELL.fullmatch(text):
            self.needs.append(text)
            return ("cell", text)
        if (kind, text) == ("sign", "("):
            tree = self.comparison()
            self.expect(")")
            return tree
        raise Wrong(SYNTAX)

    def call(self, name):
        self.take()
        if name == "IF":
            return self.choice()
        if name not in FUNCTIONS:
            raise Wrong(SYNTAX)
        return ("call", name, tuple(self.arguments(self.group)))

    def choice(self):
        given = tuple(self.arguments(self.comparison))
        if len(given) not in (2, 3):
            raise Wrong(SYNTAX)
        return ("if", *given, *[("number", 0.0)] * (3 - len(given)))

    def arguments(self, read: Callable):
        yield read()
        while self.is_next(","):
            self.take()
            yield read()
        self.expect(")")

    def group(self):
        """An argument of a function: a range, a cell by itself, or anything else."""
        start = self.at
        if self.take()[0] == "name" and self.is_next(":"):
            first, last = self.tokens[start][1], self.tokens[self.at + 1][1]
            self.at += 2
            if not CELL.fullmatch(first) or not CELL.fullmatch(last):
                raise Wrong(SYNTAX)
            found = tuple(cells(first, last))
            self.needs += found
            return ("cells", found)
        self.at = start
        tree = self.comparison()
        return ("cells", (tree[1],)) if tree[0] == "cell" else tree


def result(tree, value_of):
    """The value of a formula; Wrong carries the error."""
    match tree:
        case ("number", value):
            return checked(value)
        case ("cell", name):
            return sound(value_of(name))
        case ("error", name):
            raise Wrong(name)
        case ("sign", sign, inner):
            value = as_number(result(inner, value_of))
            return -value if sign == "-" else value
        case ("pair", sign, left, right):
            a = as_number(result(left, value_of))
            return pair(sign, a, as_number(result(right, value_of)))
        case ("if", condition, then, otherwise):
            is_so = as_number(result(condition, value_of)) != 0
            return result(then if is_so else otherwise, value_of)
        case ("call", name, arguments):
            numbers = [one for tree in arguments for one in group(tree, value_of)]
            return checked(FUNCTIONS[name](numbers))
    raise AssertionError(tree)


def group(tree, value_of):
    """The numbers of an argument; in cells, what is no number is passed over."""
    if tree[0] != "cells":
        yield as_number(result(tree, value_of))
        return
    for name in tree[1]:
        value = sound(value_of(name))
        if isinstance(value, float):
            yield value


def sound(value):
    """A value that is no error."""
    if isinstance(value, Error):
        raise Wrong(value.name)
    return value


def as_number(value):
    """A number, 0 for nothing; a text is none."""
    if isinstance(value, str):
        raise Wrong(VALUE)
    return 0.0 if value is None else value


def checked(value):
    """A number that can be kept."""
    if isinstance(value, complex) or not math.isfinite(value):
        raise Wrong(NUM)
    return float(value)


def pair(sign, a, b):
    """Two numbers by a sign."""
    match sign:
        case "/" if b == 0:
            raise Wrong(DIVISION)
        case "^":
            return power(a, b)
        case "+" | "-" | "*" | "/":
            return checked({"+": a + b, "-": a - b, "*": a * b}[sign] if sign != "/" else a / b)
    compared = {"=": a == b, "<>": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}
    return float(compared[sign])


def power(a, b):
    """One number to the power of another."""
    if a == 0 and b < 0:
        raise Wrong(DIVISION)
    try:
        return checked(a**b)
    except OverflowError:
        raise Wrong(NUM) from None


def average(numbers):
    """The mean; of nothing there is none."""
    if not numbers:
        raise Wrong(DIVISION)
    return sum(numbers) / len(numbers)


FUNCTIONS = {
    "SUM": sum,
    "MIN": lambda numbers: min(numbers, default=0.0),
    "MAX": lambda numbers: max(numbers, default=0.0),
    "COUNT": len,
    "AVG": average,
}

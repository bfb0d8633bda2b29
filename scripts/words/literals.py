"""The messages in a module: its string literals of three words or more."""

import ast
import re
from dataclasses import dataclass, field

from scripts.words.docstrings import is_boolean

_WORD = re.compile(r"(?<![\w./<-])[A-Za-z’']+(?![\w/=>])")
_FEWEST_WORDS = 3
_MACHINE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WITH|ALTER|DROP|FROM|WHERE|AND|ORDER|ON) "
    r"|^\s*(?:[<\[@#]|\{(?!…))|[;{]\s*$|=>|\(\)[;.{]|\breturn |:\s*\w+;|\\[bdsw]"
)
_NO_PROSE = {"getLogger", "literal_column", "namedtuple", "NewType", "split", "text", "TypeVar"}
_API = {"description", "summary"}
VALUE = "{…}"
"""Stands for a value that is put in later."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal with its place; ``keyword`` is the argument that it is given to, if any."""

    words: str
    line: int
    last: int
    keyword: str
    is_boolean: bool

    @property
    def is_description(self) -> bool:
        """True for a text of the JSON Schema or the OpenAPI document."""
        return self.keyword in _API


def literals(module: ast.Module) -> tuple[list[Literal], list[ast.Constant]]:
    """The literals of a module that may be prose, and all of its docstrings."""
    reader = _Reader()
    reader.visit(module)
    return reader.found, reader.docstrings


def joined(node: ast.JoinedStr) -> str:
    """An f-string with ``{…}`` for its values."""
    parts = (str(it.value) if isinstance(it, ast.Constant) else VALUE for it in node.values)
    return "".join(parts)


def is_prose(words: str) -> bool:
    """True for three words or more that are neither code, SQL, nor markup."""
    is_long = len(_WORD.findall(words)) >= _FEWEST_WORDS
    return is_long and " " in words.strip() and not _MACHINE.search(words)


@dataclass
class _Reader(ast.NodeVisitor):
    found: list[Literal] = field(default_factory=list)
    docstrings: list[ast.Constant] = field(default_factory=list)
    keyword: str = ""
    is_boolean: bool = False

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._keep(node, node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        self._keep(node, joined(node))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)
        elif isinstance(node.value.value, str):
            self.docstrings.append(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        if not _takes_no_prose(node.func):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        before, self.keyword = self.keyword, node.arg or ""
        self.visit(node.value)
        self.keyword = before

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        before, self.is_boolean = self.is_boolean, is_boolean(node)
        if node.value is not None:
            self.visit(node.value)
        self.is_boolean = before

    def visit_arg(self, node: ast.arg) -> None:
        """An annotation is no prose."""

    def _keep(self, node: ast.expr, words: str) -> None:
        if is_prose(words):
            last = node.end_lineno or node.lineno
            self.found.append(Literal(words, node.lineno, last, self.keyword, self.is_boolean))


def _takes_no_prose(called: ast.expr) -> bool:
    name = ast.unparse(called)
    return name.startswith("re.") or name.rpartition(".")[2] in _NO_PROSE

"""The values of the program in the source of tests, as far as its text shows."""

import ast
from collections.abc import Iterator

from benchmaker.scoring.program.inside.source_names import MODULE, modules_used, names_of_program

_Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Assignment = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr)
_NAMESPACES = ("globals", "locals", "vars")
Place = tuple[int, int, int, int]
"""First and last line, first and last column; an unknown column is −1."""


class ProgramValues:
    """The names and attributes of tests that may hold values of the program."""

    def __init__(self, tree: ast.Module, known: frozenset[str] = frozenset()) -> None:
        self._tree = tree
        wanted = names_of_program(tree)
        self._names = {*wanted, MODULE, *_NAMESPACES, *_imported_names(tree)} - set(
            modules_used(tree, wanted)
        )
        self._names -= known
        self._attributes: set[str] = set()
        self._parameters = _parameters(tree)
        size = -1
        while size != len(self._names) + len(self._attributes):
            size = len(self._names) + len(self._attributes)
            for node in ast.walk(tree):
                self._follow(node)

    def is_used(self, places: list[Place]) -> bool:
        """True if the program may be used at a place of a traceback, or before it.

        The last place is that of the error; the others are calls that led to it. Within a function,
        code before the place counts.
        """
        for at, place in enumerate(places):
            around = self._around(place)
            node = next(_nodes_at(around, place), None)
            is_last = at == len(places) - 1
            if is_last and self._holds(node or _statement_at(around, place)):
                return True
            if around is not self._tree and self._is_used_before(around, place):
                return True
        return False

    def decide_skips(self) -> bool:
        """True if a value of the program may decide at the top that a test is skipped."""
        return any(
            self._holds(part) or any(map(_is_late_condition, ast.walk(part)))
            for part in _parts_at_top(self._tree)
            if any(map(_names_a_skip, ast.walk(part)))
        )

    def _around(self, place: Place) -> ast.AST:
        """The innermost function around a place, else the module."""
        found: ast.AST = self._tree
        for node in ast.walk(self._tree):
            if isinstance(node, _Function) and node.lineno <= place[0] <= _last_line(node):
                found = node
        return found

    def _is_used_before(self, function: ast.AST, place: Place) -> bool:
        statement = _statement_at(function, place)
        start = (statement.lineno, statement.col_offset) if statement else (place[0], 0)
        before = (
            it
            for it in ast.walk(function)
            if isinstance(it, (ast.Name, ast.Attribute))
            and isinstance(it.ctx, ast.Load)
            and (it.end_lineno or 0, it.end_col_offset or 0) <= start
        )
        return any(map(self._is_value, before))

    def _holds(self, node: ast.AST | None) -> bool:
        return node is not None and any(map(self._is_value, ast.walk(node)))

    def _is_value(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._names
        return isinstance(node, ast.Attribute) and node.attr in self._attributes

    def _follow(self, node: ast.AST) -> None:
        """Add the names that a statement binds to a value of the program."""
        if isinstance(node, _Assignment) and self._holds(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._add(*targets)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            if self._holds(node.iter):
                self._add(node.target)
        elif isinstance(node, ast.withitem):
            if self._holds(node.context_expr) and node.optional_vars:
                self._add(node.optional_vars)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._follow_definition(node)
        elif isinstance(node, ast.Call) and self._holds(node):
            self._follow_call(node)

    def _follow_definition(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> None:
        if self._holds(node):
            self._names.add(node.name)
        if any(map(self._holds, node.decorator_list)):
            self._names |= self._parameters.get(node.name, frozenset())

    def _follow_call(self, node: ast.Call) -> None:
        """A call may pass the value to a function of the tests, or put it into a list."""
        name = str(getattr(node.func, "id", "") or getattr(node.func, "attr", ""))
        values = [*node.args, *(it.value for it in node.keywords)]
        if any(map(self._holds, values)):
            self._names |= self._parameters.get(name, frozenset())
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            if isinstance(owner, ast.Name) and owner.id not in ("self", "cls"):
                self._names.add(owner.id)
        if self._holds(node.func):
            self._names |= {it.id for it in values if isinstance(it, ast.Name)}

    def _add(self, *targets: ast.expr) -> None:
        for node in (it for target in targets for it in ast.walk(target)):
            if isinstance(node, ast.Name):
                self._names.add(node.id)
            elif isinstance(node, ast.Attribute):
                self._attributes.add(node.attr)


def _imported_names(tree: ast.Module) -> set[str]:
    """The names that tests import from the program."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    own = {it.asname or it.name for node in imports if node.module == MODULE for it in node.names}
    modules = (node for node in ast.walk(tree) if isinstance(node, ast.Import))
    return own | {it.asname or "" for node in modules for it in node.names if it.name == MODULE}


def _parameters(tree: ast.Module) -> dict[str, frozenset[str]]:
    """The parameters of the functions that the tests define."""
    return {
        node.name: frozenset(it.arg for it in ast.walk(node.args) if isinstance(it, ast.arg))
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _parts_at_top(node: ast.AST) -> Iterator[ast.AST]:
    """The statements and decorators outside of functions."""
    for child in getattr(node, "body", ()):
        yield from getattr(child, "decorator_list", ())
        if isinstance(child, ast.ClassDef):
            yield from _parts_at_top(child)
        elif not isinstance(child, _Function):
            yield child


def _names_a_skip(node: ast.AST) -> bool:
    name = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return "skip" in str(name).lower()


def _is_late_condition(node: ast.AST) -> bool:
    """True for ``skipif`` with a condition as text, which is evaluated at each test."""
    is_skip = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("skipif")
    return is_skip and any(isinstance(it, ast.Constant) for it in node.args)  # type: ignore[attr-defined]


def _nodes_at(around: ast.AST, place: Place) -> Iterator[ast.AST]:
    for node in ast.walk(around):
        if isinstance(node, (ast.expr, ast.stmt)) and place == (
            node.lineno,
            node.end_lineno,
            node.col_offset,
            node.end_col_offset,
        ):
            yield node


def _statement_at(around: ast.AST, place: Place) -> ast.stmt | None:
    """The innermost statement around a place."""
    found = None
    for node in ast.walk(around):
        if isinstance(node, ast.stmt) and node.lineno <= place[0] <= _last_line(node):
            is_after = (node.lineno, node.col_offset) > (place[0], place[2]) and place[2] >= 0
            found = found if is_after else node
    return found


def _last_line(node: ast.AST) -> int:
    return getattr(node, "end_lineno", 0) or 0

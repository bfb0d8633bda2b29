"""The code of tests in Python that can run, as far as their text shows; nothing is run."""

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SKIPS = frozenset({"skip", "xfail", "expectedFailure"})
_HOOKS = ("setup", "teardown", "setUp", "tearDown", "pytest_", "asyncSetUp", "asyncTearDown", "__")
"""The beginnings of names that a framework calls."""


class LiveCode:
    """The nodes that can run, and the functions and blocks that never do.

    A function can run if a framework calls it, if it has a decorator, or if code that can run
    mentions its name. ``nodes`` are those that can run, ``idle`` the other functions with the
    module, class or function around each. ``main_blocks`` run in a main program alone.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.nodes: list[ast.AST] = []
        self.idle: list[tuple[Function, ast.AST]] = []
        self.main_blocks: list[ast.If] = []
        self._names: set[str] = set()
        self._add_children(tree, tree)
        while self._add_functions():
            pass

    def mentions(self, name: str) -> bool:
        """True if code that can run uses a name or an attribute."""
        return name in self._names

    def _add_functions(self) -> bool:
        """Add the functions that are called by what was added; False if there are none."""
        added = [(it, owner) for it, owner in self.idle if self._is_called(it, owner)]
        self.idle = [pair for pair in self.idle if pair not in added]
        for function, _ in added:
            for node in function.body:
                self._add(node, function)
        return bool(added)

    def _add(self, node: ast.AST, owner: ast.AST) -> None:
        if isinstance(node, Function):
            self.idle.append((node, owner))
            for child in (*node.decorator_list, node.args):
                self._add(child, owner)
            return
        if is_main_block(node):
            self.main_blocks.append(node)  # type: ignore[arg-type]
            return
        self.nodes.append(node)
        if isinstance(node, (ast.Name, ast.Attribute)):
            self._names.add(node.id if isinstance(node, ast.Name) else node.attr)
        self._add_children(node, node if isinstance(node, ast.ClassDef) else owner)

    def _add_children(self, node: ast.AST, owner: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._add(child, owner)

    def _is_called(self, function: Function, owner: ast.AST) -> bool:
        if function.name in self._names:
            return True
        if is_test(function, owner):
            return is_collected(owner, self) and not (
                is_left_out(function) or is_left_out(owner) or find_misuse(function, owner)
            )
        return bool(function.decorator_list) or function.name.startswith(_HOOKS)


def is_main_block(node: ast.AST) -> bool:
    """True for ``if __name__ == "__main__"``."""
    if not isinstance(node, ast.If):
        return False
    return ast.unparse(node.test) in ("__name__ == '__main__'", "'__main__' == __name__")


def is_test(node: ast.AST, owner: ast.AST) -> bool:
    """True for a function of a module or class whose name begins with ``test``."""
    is_named = isinstance(node, Function) and node.name.startswith("test")
    return is_named and not isinstance(owner, Function)


def is_collected(owner: ast.AST, live: LiveCode) -> bool:
    """True for a module, and for a class whose tests pytest runs."""
    if not isinstance(owner, ast.ClassDef):
        return True
    is_own = owner.name.startswith("Test") and (bool(owner.bases) or not has_init(owner))
    return is_own or bool(owner.bases) or live.mentions(owner.name)


def has_init(owner: ast.ClassDef) -> bool:
    """True for a class that defines ``__init__``."""
    return any(isinstance(it, Function) and it.name == "__init__" for it in owner.body)


def is_left_out(node: ast.AST) -> bool:
    """True for a test or class that is skipped, or expected to fail, without a condition."""
    return any(map(is_skip, getattr(node, "decorator_list", ())))


def is_skip(decorator: ast.expr) -> bool:
    """True for a mark that skips a test, or expects its failure, without a condition."""
    call = decorator if isinstance(decorator, ast.Call) else None
    name = call.func if call else decorator
    word = getattr(name, "attr", None) or getattr(name, "id", "")
    has_condition = word == "xfail" and call is not None and _has_condition(call)
    return word in _SKIPS and not has_condition


def _has_condition(call: ast.Call) -> bool:
    named = any(it.arg in ("condition", "raises", "strict") for it in call.keywords)
    return bool(call.args) or named


def find_misuse(function: Function, owner: ast.AST) -> str:
    """Return why pytest never runs a test, with its line; empty if it does."""
    at, name = f"line {function.lineno}: ", function.name
    has_bases = isinstance(owner, ast.ClassDef) and bool(owner.bases)
    if isinstance(function, ast.AsyncFunctionDef) and not has_bases:
        return f"{at}pytest does not run async def {name}; use asyncio.run in the test."
    if any(isinstance(it, (ast.Yield, ast.YieldFrom)) for it in own_nodes(function)):
        return f"{at}{name} has a yield, and pytest runs no generators; remove the yield."
    if any(map(_is_empty_parametrize, function.decorator_list)):
        return f"{at}the list in parametrize is empty, so {name} never runs."
    return ""


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (Function, ast.Lambda)):
            yield from own_nodes(child)


def _is_empty_parametrize(decorator: ast.expr) -> bool:
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return False
    values = [
        *decorator.args[1:2],
        *(it.value for it in decorator.keywords if it.arg == "argvalues"),
    ]
    is_named = decorator.func.attr == "parametrize"
    return is_named and any(isinstance(it, (ast.List, ast.Tuple)) and not it.elts for it in values)

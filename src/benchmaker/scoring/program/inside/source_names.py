"""The names in the source of tests: those that the program must define, and the tests stated."""

import ast
import builtins
import re
from collections.abc import Iterator
from importlib.util import find_spec

MODULE = "solution"
_ALIASES = {"np": "numpy", "pd": "pandas", "dt": "datetime"}
_WORD = re.compile(r"[^\W\d]\w*")
_OF_TESTS = ("_", "load_tests", "pytest", "setup", "teardown", "test")
"""Beginnings of names that a framework for tests would take for its own."""

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def names_of_program(tree: ast.Module) -> list[str]:
    """Return the names that tests use without defining them; Python's own are never among them."""
    bound = {name for node in ast.walk(tree) for name in _bound_names(node)}
    used = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    found = used - bound - set(dir(builtins))
    return sorted(name for name in found if not name.startswith("__"))


def names_in_texts(tree: ast.Module, names: list[str]) -> list[str]:
    """Return the names among ``names`` that stand in texts of tests: ``eval("add(1, 2)")``.

    They are all, where the tests compose names. Names that the tests define at the top keep their
    meaning, as do those of Python and pytest.
    """
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    words = {word for text in texts if isinstance(text, str) for word in _WORD.findall(text)}
    bound = {name for node in _top_nodes(tree) for name in _bound_names(node)}
    meant = set(names) if composes_names(tree) else words & set(names)
    found = meant - bound - set(dir(builtins))
    return sorted(name for name in found if not name.lower().startswith(_OF_TESTS))


def reads_namespace(tree: ast.Module) -> bool:
    """True for tests that take names from a namespace: ``globals()["add"]``."""
    return any(map(_is_namespace, ast.walk(tree)))


def composes_names(tree: ast.Module) -> bool:
    """True for tests that may look up any name: ``globals()["a" + "dd"]``, ``eval(text)``."""
    return any(map(_composes_name, ast.walk(tree)))


def _composes_name(node: ast.AST) -> bool:
    """True for a look-up by a text that is no constant."""
    if isinstance(node, ast.Subscript):
        return _holds_namespace(node.value) and not isinstance(node.slice, ast.Constant)
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
    place = {"eval": 0, "exec": 0, "compile": 0, "getattr": 1}.get(str(name))
    if name == "get" and _holds_namespace(node.func):
        place = 0
    key = node.args[place : place + 1] if place is not None else []
    return bool(key) and not isinstance(key[0], ast.Constant)


def _holds_namespace(node: ast.AST) -> bool:
    return any(map(_is_namespace, ast.walk(node)))


def _is_namespace(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in ("globals", "locals", "vars", "__name__")
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def modules_used(tree: ast.Module, names: list[str]) -> dict[str, str]:
    """Return the names that stand for modules, with the modules: used for attributes, never called.

    Tests need not import what the program usually imports, and must not take it from there.
    """
    called = {node.func.id for node in ast.walk(tree) if _is_call_by_name(node)}  # type: ignore[attr-defined]
    bases = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    found = {name: _ALIASES.get(name, name) for name in names if name in bases - called}
    return {name: module for name, module in found.items() if find_spec(module) is not None}


def hidden_names(tree: ast.Module, names: list[str]) -> list[str]:
    """Return the names of Python that tests call and the program defines, without importing them.

    They stay Python's own: a program must not replace what tests are made of.
    """
    called = {node.func.id for node in ast.walk(tree) if _is_call_by_name(node)}  # type: ignore[attr-defined]
    bound = {name for node in ast.walk(tree) for name in _bound_names(node)}
    return sorted(called & set(dir(builtins)) & set(names) - bound)


def inner_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that tests define in functions alone, and never at the top."""
    nodes = list(ast.walk(tree))
    every = {name for node in nodes for name in _bound_names(node)}
    top = {name for node in _top_nodes(tree) for name in _bound_names(node)}
    return frozenset(every - top - {it for node in nodes for it in getattr(node, "names", ())})


def _top_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes outside of functions."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*_Function, ast.Lambda)):
            yield from _top_nodes(child)


def needs_pytest(tree: ast.Module) -> bool:
    """True for tests with fixtures, parameters, marks or classes.

    Tests that import pytest or unittest are among them if they define what pytest collects.
    """
    if any(map(_is_for_pytest, tree.body)):
        return True
    return bool(_imports(tree) & {"pytest", "unittest"}) and any(
        map(_is_collectable, _top_nodes(tree))
    )


def imports_pytest(tree: ast.Module) -> bool:
    """True if tests are run by pytest, or import it."""
    return needs_pytest(tree) or "pytest" in _imports(tree)


def checks_at_top(tree: ast.Module) -> list[ast.stmt]:
    """Return the statements at the top that hold an assertion outside of functions."""
    return [node for node in tree.body if is_testing(node) and _asserts(node)]


def names_of_tests(tree: ast.Module) -> list[str]:
    """Return the names of the test functions, in order; each once, as the last of a name runs."""
    names = (node.name for node in tree.body if _is_test(node))  # type: ignore[attr-defined]
    return list(dict.fromkeys(names))


def is_testing(node: ast.stmt) -> bool:
    """True for a statement at the top that tests something: an assertion, a call or a block."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.Assert, ast.For, ast.While, ast.With, ast.Try, ast.If))


def is_checking(node: ast.AST) -> bool:
    """True for an assertion, a raised exception, and a call such as ``pytest.raises``."""
    if isinstance(node, (ast.Assert, ast.Raise)):
        return True
    name = getattr(node, "attr", None) or getattr(node, "id", None) or ""
    return str(name).startswith(("assert", "raises", "warns", "fail", "exit"))


def _bound_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (*_Function, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif (isinstance(node, ast.ExceptHandler) and node.name) or (
        isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name
    ):
        yield node.name


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, _Function) and node.name.startswith("test")


def _is_for_pytest(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test")
    if not isinstance(node, _Function):
        return False
    has_parts = bool(node.decorator_list or ast.unparse(node.args))
    is_plain = isinstance(node, ast.FunctionDef) and not has_parts
    return _is_setup(node) or (_is_test(node) and not is_plain)


def _is_collectable(node: ast.AST) -> bool:
    """True for what pytest may collect: test functions, classes, and names given to functions."""
    if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Call, ast.Lambda, ast.Name)):
        return any(name.startswith(("test", "Test")) for it in node.targets for name in _ids(it))
    return isinstance(node, ast.ClassDef) or _is_test(node)


def _ids(node: ast.AST) -> Iterator[str]:
    return (it.id for it in ast.walk(node) if isinstance(it, ast.Name))


def _asserts(node: ast.stmt) -> bool:
    nodes = (node, *_top_nodes(node))
    return any(is_checking(it) and not isinstance(it, ast.Raise) for it in nodes)


def _imports(tree: ast.Module) -> set[str]:
    return {name for node in ast.walk(tree) for name in _imported_modules(node)}


def _is_setup(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return node.name.startswith(("setup_", "teardown_", "pytest_"))


def _imported_modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module.partition(".")[0]


def _is_call_by_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)

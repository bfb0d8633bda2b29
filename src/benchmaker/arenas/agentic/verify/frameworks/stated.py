"""The tests that stand in the task's own Python files, read without running anything."""

import ast
from collections.abc import Iterator
from pathlib import Path

from benchmaker.arenas.agentic.verify.patterns import matcher
from benchmaker.arenas.agentic.verify.workspace import files

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_files(tests: Path, patterns: tuple[str, ...], framework: str) -> list[str]:
    """The files with tests: those that the patterns name, else those of the usual names."""
    usual = ("**/test_*.py", "**/*_test.py") if framework == "pytest" else ("**/test*.py",)
    is_named = matcher(patterns or usual)
    is_python = matcher(("**/*.py",))
    names = (path for path in files(tests) if is_named(path) and is_python(path))
    return [path for path in names if path.rpartition("/")[2] not in ("conftest.py", "__init__.py")]


def stated_tests(tests: Path, paths: list[str], framework: str) -> tuple[str, ...]:
    """The ids of tests that are surely there, in the framework's own form.

    Those that only come into being when a module is run are not among them.
    """
    found: list[str] = []
    for path in paths:
        try:
            module = ast.parse((tests / path).read_bytes())
        except (SyntaxError, ValueError):
            continue
        found += _of_pytest(module, path) if framework == "pytest" else _of_unittest(module, path)
    return tuple(found)


def _of_pytest(module: ast.Module, path: str) -> Iterator[str]:
    for node in module.body:
        if isinstance(node, _Function) and node.name.startswith("test"):
            yield f"{path}::{node.name}"
        elif isinstance(node, ast.ClassDef) and (_is_test_case(node) or _is_pytest_class(node)):
            yield from (f"{path}::{node.name}::{name}" for name in _methods(node))


def _of_unittest(module: ast.Module, path: str) -> Iterator[str]:
    name = path.removesuffix(".py").replace("/", ".")
    for node in module.body:
        if isinstance(node, ast.ClassDef) and _is_test_case(node):
            yield from (f"{name}.{node.name}.{method}" for method in _methods(node))


def _is_test_case(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).rpartition(".")[2].endswith("TestCase") for base in node.bases)


def _is_pytest_class(node: ast.ClassDef) -> bool:
    return node.name.startswith("Test") and "__init__" not in {
        one.name for one in node.body if isinstance(one, _Function)
    }


def _methods(node: ast.ClassDef) -> Iterator[str]:
    for one in node.body:
        if isinstance(one, _Function) and one.name.startswith("test"):
            yield one.name

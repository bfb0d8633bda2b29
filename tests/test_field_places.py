"""The fields of suites, cases, trials and evaluations are listed in few places."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchmaker
from benchmaker.record import Trial
from benchmaker.record.submissions.evaluation import Evaluation
from benchmaker.spec import Case, Suite

SOURCE = Path(benchmaker.__file__).parent
MOST = 4
"""A class itself, its table, a form of its file, and a table of a report."""


def places(fields: set[str], text: str) -> Iterator[int]:
    """The lines of a module where something names at least half of the fields."""
    if 2 * len(fields & set(re.findall(r"\w+", text))) < len(fields):
        return
    for node in ast.walk(ast.parse(text)):
        if 2 * len(fields & set(names_in(node))) >= len(fields):
            yield node.lineno


def names_in(node: ast.AST) -> Iterator[str]:
    """The names listed by a class, a signature, a call, a dict, a sequence or a table."""
    match node:
        case ast.ClassDef(body=body):
            declared = (it.target for it in body if isinstance(it, ast.AnnAssign))
            yield from (it.id for it in declared if isinstance(it, ast.Name))
        case ast.FunctionDef(args=given) | ast.AsyncFunctionDef(args=given):
            yield from (it.arg for it in (*given.posonlyargs, *given.args, *given.kwonlyargs))
        case ast.Call():
            yield from (it.arg for it in node.keywords if it.arg)
            yield from map(name_of, node.args)
        case ast.Dict():
            yield from (name_of(key) for key in node.keys if key is not None)
        case ast.Tuple() | ast.List() | ast.Set():
            yield from map(name_of, node.elts)


def name_of(node: ast.expr) -> str:
    """The field that an element names: ``"a"``, ``a``, ``it.a``, ``column("a")`` or ``f(it.a)``."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(args=[first, *_]):
            return name_of(first)
    return ""


def fields_of(kind: type) -> set[str]:
    held = ("model_fields", "__struct_fields__", "__dataclass_fields__")
    return set(next(getattr(kind, name) for name in held if hasattr(kind, name)))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("class Point:\n    x: int\n    y: int", 1),
        ("def move(x, *, y): ...", 1),
        ("Point(x=1, y=2)", 1),
        ("Point(it.x, escape(it.y))", 1),
        ('{"x": 1, "y": 2}', 1),
        ('Table("points", number_column("x"), Column("y", Text))', 1),
        ('("x", "y")', 1),
        ("Point(x=1)", 0),
    ],
)
def test_a_place_is_what_names_half_of_the_fields(text, count):
    assert len(list(places({"x", "y", "z"}, text))) == count


@pytest.mark.parametrize("kind", [Suite, Case, Trial, Evaluation])
def test_the_fields_of_a_class_are_listed_in_few_places(kind):
    found = [
        f"{path.relative_to(SOURCE).as_posix()}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "migrations" not in path.parts
        for line in places(fields_of(kind), path.read_text(encoding="utf-8"))
    ]
    assert 1 <= len(found) <= MOST, found

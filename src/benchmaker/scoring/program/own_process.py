"""Means of tests in Python that act on their own process, and not on the program."""

import ast
from collections.abc import Iterator

_FIXTURES = frozenset({"monkeypatch", "mocker", "tmp_path", "tmpdir"})
_STATE = frozenset(
    {"os.environ", "os.putenv", "os.chdir", "random.seed", "sys.stdin", "sys.argv"}
    | {"asyncio.Queue", "asyncio.Event", "asyncio.Lock", "asyncio.Semaphore"}
)
_PATCH = "unittest.mock"


def find_unreached(source: str) -> list[str]:
    """Return a note on each means of the tests that does not reach the program, once each.

    >>> find_unreached("def test_a(monkeypatch): assert f()")
    ['monkeypatch in line 1 does not reach the program, which runs in a process of its own.']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        for name in _unreached(node, _names_of_patch(tree)):
            lines.setdefault(name, _line_of(node))
    return [
        f"{name} in line {line} does not reach the program, which runs in a process of its own."
        for name, line in lines.items()
    ]


def _line_of(node: ast.AST) -> int:
    place = node.iter if isinstance(node, ast.comprehension) else node
    line: int = place.lineno  # type: ignore[attr-defined]
    return line


def _unreached(node: ast.AST, patches: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.AsyncFor) or (isinstance(node, ast.comprehension) and node.is_async):
        yield "async for"
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from (it.arg for it in node.args.args if it.arg in _FIXTURES)
    elif isinstance(node, ast.Attribute) and ast.unparse(node) in _STATE:
        yield ast.unparse(node)
    elif isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        own = next((it for it in patches if f"{called}.".startswith(f"{it}.")), None)
        if own is not None:
            yield f"patch{called.removeprefix(own)}"


def _names_of_patch(tree: ast.Module) -> frozenset[str]:
    """The names by which the tests call ``unittest.mock.patch``."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {it.name: it.asname or it.name for it in node.names}
            if node.module == _PATCH and "patch" in names:
                found.add(names["patch"])
            elif node.module == "unittest" and "mock" in names:
                found.add(f"{names['mock']}.patch")
        elif isinstance(node, ast.Import):
            found |= {f"{it.asname or it.name}.patch" for it in node.names if it.name == _PATCH}
    return frozenset(found)

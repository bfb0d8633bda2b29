"""The checks in tests in Python, as far as their text shows; nothing is run."""

import ast
from collections.abc import Iterator

from benchmaker.scoring.program.always_true import find_always_true, is_always_true
from benchmaker.scoring.program.inside.source_names import is_checking, is_testing
from benchmaker.scoring.program.live_code import (
    LiveCode,
    find_misuse,
    has_init,
    is_left_out,
    is_skip,
    is_test,
)

_SHORT = 60
_UNTESTED = "there is no assertion, and no function whose name begins with test."
_MAIN = "the block never runs, because __name__ is not '__main__' here."
_SKIPPED = "all tests are skipped or are expected to fail."
_UNCHECKED = "the tests check nothing; add an assertion."


def find_fault(source: str) -> str | None:
    """Return why a text contains no tests, or tests that never fail or run; None for tests.

    >>> find_fault("add(1, 2) == 3")
    'line 1: the result of the comparison is not used: write assert add(1, 2) == 3'
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as exc:
        return f"line {getattr(exc, 'lineno', 0) or 0}: {getattr(exc, 'msg', exc)}."
    if not tree.body:
        return "there are no tests."
    return next(_faults(tree), None)


def find_notes(source: str) -> list[str]:
    r"""Return a note on each function with assertions that never runs, and on each odd message.

    >>> find_notes("def check(): assert add(1, 2) == 3\nassert add(0, 0) == 0")
    ['line 1: check is never called, so its assertions do not run.']
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [*_notes_on_idle_code(LiveCode(tree)), *_notes_on_messages(tree)]


def _faults(tree: ast.Module) -> Iterator[str]:
    yield from find_always_true(tree)
    yield from _unused_comparisons(tree)
    yield from _shadowed_tests(tree, tree.body)
    yield from (f"line {it.lineno}: {_SKIPPED}" for it in tree.body if _skips_module(it))
    live = LiveCode(tree)
    yield from _misuses(tree, live)
    if not any(_is_check(it, tree) for it in live.nodes):
        yield _why_unchecked(tree, live)


def _is_check(node: ast.AST, tree: ast.Module) -> bool:
    is_idle = isinstance(node, ast.Assert) and is_always_true(node.test, tree)
    return is_checking(node) and not is_idle


def _unused_comparisons(node: ast.AST) -> Iterator[str]:
    """The comparisons that are statements, but for those that may raise on purpose."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.With, ast.AsyncWith, ast.Try)):
            continue
        if isinstance(child, ast.Expr) and _is_comparison(child.value):
            text = ast.unparse(child.value)
            at = f"line {child.lineno}: the result of the comparison is not used"
            yield (
                f"{at}: write assert {text}"
                if len(text) < _SHORT
                else f"{at}: write assert before it."
            )
        yield from _unused_comparisons(child)


def _is_comparison(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return any(map(_is_comparison, node.values))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, ast.Compare)


def _shadowed_tests(owner: ast.AST, body: list[ast.stmt]) -> Iterator[str]:
    """The tests and test classes that a later one of the same name replaces."""
    seen: dict[str, int] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _shadowed_tests(node, node.body)
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, ast.ClassDef) or is_test(node, owner):
            if node.name in seen:
                first = f"line {node.lineno}: {node.name} replaces that of line {seen[node.name]}"
                yield f"{first}, which never runs; rename one."
            seen[node.name] = node.lineno


def _skips_module(node: ast.stmt) -> bool:
    """True for a mark or a call at the top that skips all tests without a condition."""
    if isinstance(node, ast.Assign):
        names = {ast.unparse(it) for it in node.targets}
        marks = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]
        return "pytestmark" in names and any(map(is_skip, marks))
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return is_call and ast.unparse(node.value.func) == "pytest.skip"  # type: ignore[attr-defined]


def _misuses(tree: ast.Module, live: LiveCode) -> Iterator[str]:
    """The tests and classes that pytest never runs."""
    for function, owner in live.idle:
        if is_test(function, owner) and (fault := find_misuse(function, owner)):
            yield fault
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not node.bases:
            yield from _misuse_of_class(node, live)


def _misuse_of_class(node: ast.ClassDef, live: LiveCode) -> Iterator[str]:
    at = f"line {node.lineno}: "
    if live.mentions(node.name):
        return
    parts = [it for it in node.body if isinstance(it, (*_FUNCTIONS, ast.ClassDef))]
    if has_init(node):
        yield f"{at}pytest does not run {node.name}, which has __init__; use setup_method."
    elif parts and not any(is_test(it, node) or isinstance(it, ast.ClassDef) for it in parts):
        yield f"{at}{node.name} has no method whose name begins with test."


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _why_unchecked(tree: ast.Module, live: LiveCode) -> str:
    """Why no check runs: the code that has one, if there is any."""
    has_tests = any(isinstance(it, ast.ClassDef) or is_test(it, tree) for it in tree.body)
    for block in live.main_blocks:
        if _has_check(block) or not has_tests:
            return f"line {block.lineno}: {_MAIN}"
    tests = [(it, owner) for it, owner in live.idle if is_test(it, owner)]
    if any(is_left_out(it) or is_left_out(owner) for it, owner in tests):
        return f"line {tests[0][0].lineno}: {_SKIPPED}"
    idle = [it for it, _ in live.idle if _has_check(it)]
    if idle:
        name = idle[-1].name
        remedy = "call it in a test." if has_tests else f"add {name}(…) at the end."
        return f"{name} is defined but never called; {remedy}"
    for node in live.nodes:
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print" and _compares(node):
            return f"line {node.lineno}: print checks nothing; write assert instead."
    return _UNCHECKED if has_tests or any(map(is_testing, tree.body)) else _UNTESTED


def _compares(call: ast.Call) -> bool:
    return any(map(_is_comparison, call.args))


def _has_check(node: ast.AST) -> bool:
    return any(map(is_checking, ast.walk(node)))


def _notes_on_idle_code(live: LiveCode) -> Iterator[str]:
    for function, owner in live.idle:
        at = f"line {function.lineno}: {function.name}"
        if not is_test(function, owner):
            if _has_check(function):
                yield f"{at} is never called, so its assertions do not run."
        elif isinstance(owner, ast.ClassDef) and not (is_left_out(function) or is_left_out(owner)):
            yield f"{at} never runs, because the name of {owner.name} does not begin with Test."
    for block in live.main_blocks:
        if _has_check(block):
            yield f"line {block.lineno}: {_MAIN}"


def _notes_on_messages(tree: ast.Module) -> Iterator[str]:
    """The calls whose second argument is compared with nothing."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if name in ("assertTrue", "assertFalse") and _has_value_as_message(node):
            at = f"line {node.lineno}: the second argument of {name}"
            yield f"{at} is a message; use assertEqual."


def _has_value_as_message(call: ast.Call) -> bool:
    values = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set)
    if len(call.args) < 2 or not isinstance(call.args[1], values):  # noqa: PLR2004  the condition
        return False
    return not isinstance(getattr(call.args[1], "value", None), (str, type(None)))

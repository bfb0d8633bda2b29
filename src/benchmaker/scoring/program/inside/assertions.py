"""Tests without a framework: each assertion, call or block at the top level is one.

Functions whose names begin with ``test`` are called afterwards, in order.
"""

import ast
import sys
from types import CodeType, ModuleType
from typing import Any

from benchmaker.scoring.program.inside.client import Unsendable
from benchmaker.scoring.program.inside.link import LinkBroken
from benchmaker.scoring.program.inside.own_faults import TESTS_FILE, OwnFaults, is_skip
from benchmaker.scoring.program.inside.reached import watch_checks
from benchmaker.scoring.program.inside.report import Report, describe
from benchmaker.scoring.program.inside.source_names import is_testing, names_of_tests

_LENGTH = 120
_SKIPPED = "the tests skip themselves"
_LEFT, _RIGHT = "__left", "__right"


def run_statements(report: Report, tree: ast.Module, source: str) -> None:
    """Run the statements in order; a failed test does not stop the following ones."""
    module = ModuleType(TESTS_FILE)
    sys.modules[TESTS_FILE] = module
    if report.client is not None:
        report.client.prepare(module)
    faults = OwnFaults(tree)
    functions = names_of_tests(tree)
    report.planned = sum(map(is_testing, tree.body)) + len(functions)
    lines = source.splitlines()
    watch_checks(report, tree, TESTS_FILE)
    tree = ast.fix_missing_locations(_Messages().visit(tree))
    for node in tree.body:
        name = f"line {node.lineno}: {lines[node.lineno - 1].strip()}"[:_LENGTH]
        report.running = name
        code = compile(ast.Module([node], []), TESTS_FILE, "exec", dont_inherit=True)
        failure = _run(report, faults, code, module)
        if failure is _SKIPPED:
            report.planned = report.passed + len(report.failures)
            report.skipped += 1
            return
        if is_testing(node):
            report.add(name, failure)
        elif failure is not None:
            report.add(name, failure)
            return
    for name in functions:
        report.running = name
        code = compile(f"{name}()", "call", "exec", dont_inherit=True)
        report.add(name, _run(report, faults, code, module))


def _run(report: Report, faults: OwnFaults, code: CodeType, module: ModuleType) -> str | None:
    """Run code; return the message of its failure. A fault of the tests ends them.

    The message is :data:`_SKIPPED` for tests that skip themselves, unless they used the program.
    """
    client = report.client
    before = client.uses if client else 0
    if client:
        client.watch()
    try:
        exec(code, module.__dict__)  # noqa: S102  the tests of the suite's author
    except (LinkBroken, Unsendable):
        raise
    except BaseException as exc:  # noqa: BLE001  whatever ends a test
        if fault := faults.find(exc):
            report.end(fault)
        if is_skip(exc) and not (client and client.uses):
            return _SKIPPED
        has_used = bool(report.hidden or (client and client.uses > before))
        if own := faults.before_use(exc, has_used=has_used):
            report.end_at(own)
        return _describe(exc)
    return None


def _describe(exc: BaseException) -> str:
    if not isinstance(exc, AssertionError):
        return describe(exc)
    at, here = exc.__traceback__, ""
    while at is not None:
        here = f" (line {at.tb_lineno})" if at.tb_frame.f_code.co_filename == TESTS_FILE else here
        at = at.tb_next
    return f"{exc}{here}" if str(exc) else f"the assertion is false{here}"


class _Messages(ast.NodeTransformer):
    """Gives each assertion of a comparison a message with its two values."""

    def visit_Assert(self, node: ast.Assert) -> Any:  # noqa: ANN401  ast's
        """Name both sides, so that a message can hold them."""
        test = node.test
        if node.msg is not None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return node
        left = ast.NamedExpr(ast.Name(_LEFT, ast.Store()), test.left)
        right = ast.NamedExpr(ast.Name(_RIGHT, ast.Store()), test.comparators[0])
        made = ast.Assert(ast.Compare(left, test.ops, [right]), _message(test.ops[0]))
        return ast.copy_location(made, node)


def _message(operator: ast.cmpop) -> ast.expr:
    """The values, shortened: ``4 == 3 is false``."""
    sign = _SIGNS.get(type(operator), "?")
    text = f"f'{{{_LEFT}!r:.200}} {sign} {{{_RIGHT}!r:.200}} is false'"
    return ast.parse(text, mode="eval").body


_SIGNS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

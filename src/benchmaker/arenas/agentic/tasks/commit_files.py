"""The files of a commit as those of a task: tests, and everything else."""

import ast
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final, Literal

_TEST_FOLDERS: Final = frozenset({"test", "tests", "testing", "__tests__", "spec", "testdata"})
_TEST_NAME: Final = re.compile(
    r"test_.*\.py|.*_tests?\.py|tests?\.py|conftest\.py|.*[._-](?:test|spec)\.[cm]?[jt]sx?"
    r"|.*_test\.(?:go|exs|rb|c|cc|cpp)|.*_spec\.rb|.*Tests?\.(?:java|kt|cs|php|swift)"
)
_PYTHON_TEST: Final = re.compile(r"test_.*\.py|.*_tests?\.py|tests?\.py")
_TRAILER: Final = re.compile(
    r"(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|cc):.*",
    re.IGNORECASE,
)
_NETWORK: Final = re.compile(
    r"(?i:name or service not known|temporary failure in name resolution|network is unreachable"
    r"|no route to host)|gaierror|NameResolutionError|getaddrinfo|ENOTFOUND|EAI_AGAIN"
)
_ABSENT: Final = re.compile(r"No module named '?([A-Za-z_][\w.]*)")


def is_test_file(path: str) -> bool:
    """True for tests and what lies beside them, by the usual names.

    >>> [is_test_file(it) for it in ("tests/data.json", "a/test_b.py", "src/app.py", "x_test.go")]
    [True, True, False, True]
    """
    *folders, name = PurePosixPath(path).parts
    return not _TEST_FOLDERS.isdisjoint(folders) or bool(_TEST_NAME.fullmatch(name))


def is_python_test(path: str) -> bool:
    """True for a file with Python tests."""
    return is_test_file(path) and bool(_PYTHON_TEST.fullmatch(PurePosixPath(path).name))


def framework_of(modules: Iterable[bytes]) -> Literal["pytest", "unittest"]:
    """The framework of Python test files: unittest if that is sufficient."""
    return "pytest" if any(_needs_pytest(module) for module in modules) else "unittest"


def _needs_pytest(source: bytes) -> bool:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return True
    for node in tree.body:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        is_class = isinstance(node, ast.ClassDef) and not node.bases
        if (is_function or is_class) and str(getattr(node, "name", "")).lower().startswith("test"):
            return True
    return any(
        isinstance(node, ast.Import) and any(it.name == "pytest" for it in node.names)
        for node in ast.walk(tree)
    )


def prompt_of(message: str) -> str:
    """The message of a commit without its trailers."""
    lines = message.strip().splitlines()
    while lines and (not lines[-1].strip() or _TRAILER.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def failure_cause(evidence: str) -> str:
    """The reason for tests that fail, as far as their output tells it; else empty."""
    if found := _NETWORK.search(evidence):
        return f"the tests need the network ({found[0]})"
    if absent := _ABSENT.search(evidence):
        package = absent[1].partition(".")[0]
        return f"the tests need {package}, which is not installed where benchmaker is installed"
    return ""

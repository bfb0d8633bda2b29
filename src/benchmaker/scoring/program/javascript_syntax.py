"""The syntax of tests in JavaScript, as node reads them; nothing is run."""

import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from benchmaker.sandbox.recipe import PATH

_MODULE = re.compile(r"^\s*import\s*[\w{*\"']", re.MULTILINE)
_ERROR = re.compile(r"^SyntaxError: .*$", re.MULTILINE)
_AWAIT = re.compile(r"\bawait\s+\w")
_HINT = " Write await in an async function, or in a test of node:test."
_TIMEOUT_S = 10


@lru_cache(maxsize=256)
def find_syntax_error(source: str) -> str | None:
    """Return the first syntax error with its line; None without one, or without node."""
    node = shutil.which("node", path=PATH)
    if node is None:
        return None
    name = "tests.mjs" if _MODULE.search(source) else "tests.cjs"
    with tempfile.TemporaryDirectory(prefix="benchmaker-") as folder:
        path = Path(folder, name)
        path.write_text(source, "utf-8", errors="replace")
        said = _check(node, path)
    error, line = _ERROR.search(said), re.search(rf"{name}:(\d+)", said)
    if error is None:
        return None
    number = int(line[1]) if line else 0
    text = "".join(source.split("\n")[number - 1 : number])
    return f"line {number}: {error[0]}.{_HINT if _is_of_await(error[0], text) else ''}"


def _is_of_await(error: str, line: str) -> bool:
    """True if an error comes from ``await`` outside of an async function."""
    is_argument = "missing ) after" in error and "async" not in line
    return "await is only valid" in error or (is_argument and bool(_AWAIT.search(line)))


def _check(node: str, path: Path) -> str:
    try:
        ended = subprocess.run(  # noqa: S603  node reads the file without running it
            [node, "--check", str(path)], capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stderr.decode("utf-8", "replace")

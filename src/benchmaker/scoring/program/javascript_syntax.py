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
_HINT = " Write it in an async function, or in a test of node:test."
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
    hint = _HINT if "await is only valid" in error[0] else ""
    return f"line {line[1] if line else 0}: {error[0]}.{hint}"


def _check(node: str, path: Path) -> str:
    try:
        ended = subprocess.run(  # noqa: S603  node reads the file without running it
            [node, "--check", str(path)], capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stderr.decode("utf-8", "replace")

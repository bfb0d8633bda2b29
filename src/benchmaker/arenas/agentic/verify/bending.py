"""Files that are not taken from a submission, because they could bend how it is graded."""

import re
from fnmatch import fnmatchcase
from typing import Final

HISTORY: Final = frozenset({".git", ".hg", ".svn", ".jj"})
CACHES: Final = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
PACKAGES: Final = frozenset({"node_modules", "site-packages", ".pnp"})

CONFIGURATION: Final = (
    # Python and pytest
    *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"),
    *("tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py", ".coveragerc"),
    *("sitecustomize.py", "usercustomize.py", "*.pth", "*._pth", "pyvenv.cfg"),
    # JavaScript
    *("package.json", "jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.workspace.*"),
    *("babel.config.*", ".babelrc*", ".mocharc*", ".swcrc", ".npmrc", ".yarnrc*", ".pnp.*"),
    # Go
    *("*_test.go", "go.work", "go.work.sum"),
    # linters and type checkers
    *("ruff.toml", ".ruff.toml", ".flake8", ".pylintrc", "pylintrc", "mypy.ini", ".mypy.ini"),
    *(".eslintrc*", "eslint.config.*", ".eslintignore", "biome.json", "biome.jsonc"),
    *(".golangci.*", "pyrightconfig.json"),
)
"""Configuration by name; a task's ``allow`` lets its files in."""

_IMPORTED_AT_START = re.compile(r"(?:^|/)(?:site|user)customize(?:/|\.[^/]+$)")
_METADATA = re.compile(r"(?:^|/)[^/]+\.(?:dist|egg)-info(?:/|$)")


def why_bending(path: str) -> str | None:
    """Why a file is not taken; None where nothing speaks against it.

    >>> why_bending("tests/conftest.py")
    'could bend a test run'
    >>> why_bending("src/app.py")
    """
    parts = path.split("/")
    if not HISTORY.isdisjoint(parts):
        return "history is not graded"
    if not CACHES.isdisjoint(parts) or parts[-1].endswith((".pyc", ".pyo")):
        return "compiled code is not graded"
    if not PACKAGES.isdisjoint(parts) or _METADATA.search(path):
        return "packages that are brought along could bend a test run"
    if _IMPORTED_AT_START.search(path):
        return "could bend a test run"
    if any(fnmatchcase(parts[-1].lower(), name) for name in CONFIGURATION):
        return "could bend a test run"
    return None

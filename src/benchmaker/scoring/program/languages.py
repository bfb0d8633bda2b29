"""The languages of programs: labels of their fences, endings of their files, their interpreters."""

import shutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from benchmaker.errors import PrerequisiteError
from benchmaker.sandbox import Isolation
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from benchmaker.sandbox.recipe import PATH

PYTHON, JAVASCRIPT = "python", "javascript"


class Language(NamedTuple):
    """A language: the ending of its files, and the labels of fences besides its name."""

    ending: str
    labels: tuple[str, ...] = ()


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        PYTHON: Language("py", ("py", "python3", "py3", "ipython")),
        JAVASCRIPT: Language("js", ("js", "node", "nodejs", "mjs", "cjs", "ecmascript")),
        "typescript": Language("ts", ("ts", "mts")),
        "bash": Language("sh", ("sh", "shell", "zsh")),
        "c": Language("c"),
        "c++": Language("cpp", ("cpp", "cc", "cxx")),
        "c#": Language("cs", ("cs", "csharp")),
        "go": Language("go", ("golang",)),
        "java": Language("java"),
        "kotlin": Language("kt", ("kt",)),
        "lua": Language("lua"),
        "perl": Language("pl", ("pl",)),
        "php": Language("php"),
        "r": Language("R"),
        "ruby": Language("rb", ("rb",)),
        "rust": Language("rs", ("rs",)),
        "sql": Language("sql"),
        "swift": Language("swift"),
    }
)

_INSTALL = {
    "bash": "bash",
    "cargo": "cargo",
    "gcc": "gcc",
    "go": "golang-go",
    "node": "nodejs",
    "perl": "perl",
    "php": "php-cli",
    "ruby": "ruby",
    "rustc": "rustc",
}
"""Debian's packages of programs."""


def language_named(name: str) -> str:
    """Return the name of a language by one of its labels; other names unchanged.

    >>> language_named("JS")
    'javascript'
    """
    plain = name.strip().lower()
    return next((it for it, known in LANGUAGES.items() if plain in known.labels), plain)


def fence_labels(language: str) -> frozenset[str]:
    """Return the labels of fences with programs of a language."""
    return frozenset({language, *LANGUAGES.get(language, Language("")).labels})


def ending_of(language: str) -> str:
    """Return the ending of the language's files; the name itself for unknown ones."""
    return LANGUAGES[language].ending if language in LANGUAGES else language


def missing_wall() -> PrerequisiteError | None:
    """Return why code can't be isolated on this machine, with the command that helps; or None."""
    return unmet_prerequisite(Isolation.NAMESPACE)


def missing_program(program: str) -> PrerequisiteError | None:
    """Return that a program is not installed, with the command that installs it; or None."""
    if shutil.which(program, path=PATH) is not None:
        return None
    package = _INSTALL.get(program, program)
    return PrerequisiteError(
        f"{program} is not installed.", hint=f"Install it: sudo apt-get install {package}"
    )

"""A Dockerfile as a list of instructions with their lines."""

import json
import re
from dataclasses import dataclass
from typing import Final

_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
_WORD: Final = re.compile(r"""(?:[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+""")
_VARIABLE: Final = re.compile(r"\\(.)|\$\{(\w+)(?::?-([^}]*))?\}|\$(\w+)")
_TAKES_HEREDOC: Final = frozenset({"RUN", "COPY", "ADD"})


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction: the number of its first line, its name in capitals, and the rest."""

    line: int
    name: str
    text: str
    has_heredoc: bool = False

    @property
    def source(self) -> str:
        """The instruction on one line."""
        return f"{self.name} {self.text}".strip()

    @property
    def flags(self) -> dict[str, str]:
        """The options before the arguments, such as ``--chmod=755``."""
        words = self.text.split()
        flags = [word[2:] for word in words if word.startswith("--")]
        return {name: value for name, _, value in (flag.partition("=") for flag in flags)}

    @property
    def arguments(self) -> list[str]:
        """The arguments, in either of the two forms; options are left out."""
        text = re.sub(r"^(?:--\S+\s+)+", "", self.text)
        if text.startswith("["):
            try:
                return [str(word) for word in json.loads(text)]
            except (ValueError, TypeError):
                pass
        return [unquote(word) for word in _WORD.findall(text)]


def instructions(text: str) -> list[Instruction]:
    r"""Split a Dockerfile into its instructions; comments are left out.

    >>> [(one.line, one.source) for one in instructions("FROM a\n\nRUN b \\\n  c\n")]
    [(1, 'FROM a'), (3, 'RUN b c')]
    """
    lines = text.splitlines()
    found, at = [], 0
    while at < len(lines):
        first = at
        words, at = _join_lines(lines, at)
        if not words:
            continue
        name, _, rest = words.partition(" ")
        ends = _HEREDOC.findall(rest) if name.upper() in _TAKES_HEREDOC else []
        for _, end in ends:
            at = _after(lines, at, end)
        found.append(Instruction(first + 1, name.upper(), rest.strip(), bool(ends)))
    return found


def _join_lines(lines: list[str], at: int) -> tuple[str, int]:
    """One instruction with its continued lines, and the number of the next line."""
    parts: list[str] = []
    while at < len(lines):
        line = lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            if parts:
                continue
            break
        parts.append(line.removesuffix("\\").strip())
        if not line.endswith("\\"):
            break
    return " ".join(part for part in parts if part), at


def _after(lines: list[str], at: int, end: str) -> int:
    while at < len(lines) and lines[at].strip() != end:
        at += 1
    return at + 1


def unquote(word: str) -> str:
    """A word without its quotes and escapes."""
    parts = re.findall(r"""'[^']*'|"(?:\\.|[^"\\])*"|[^"']+""", word)
    return "".join(
        re.sub(r"\\(.)", r"\1", part[1:-1]) if part.startswith('"') else part.strip("'")
        for part in parts
    )


def expand(text: str, variables: dict[str, str]) -> str | None:
    """The text with its variables replaced; None if one is unknown and has no default.

    >>> expand("$A/${B:-b}", {"A": "a"})
    'a/b'
    """
    unknown = False

    def value(found: re.Match[str]) -> str:
        nonlocal unknown
        if found[1]:
            return found[1]
        name = found[2] or found[4]
        if name not in variables and found[3] is None:
            unknown = True
        return variables.get(name) or found[3] or ""

    expanded = _VARIABLE.sub(value, text)
    return None if unknown else expanded

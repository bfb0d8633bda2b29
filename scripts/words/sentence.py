"""Texts with their place, split into sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Area(StrEnum):
    """The kind of text that a sentence is part of."""

    HELP = "help"
    MESSAGES = "messages"
    PAGES = "pages"
    DOCSTRINGS = "docstrings"
    DOCS = "docs"
    GENERATED = "generated"


@dataclass(frozen=True, slots=True)
class Text:
    """A run of prose: a paragraph, an item of a list, a cell, a message.

    Its line breaks are those of the file, so that each sentence has a line. Values put in later
    are written ``{…}``. ``is_boolean`` texts describe a yes or no, and may open with "Whether".
    """

    area: Area
    file: Path
    line: int
    words: str
    is_boolean: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text, on one line; ``masked`` has the same length and no code."""

    text: Text
    line: int
    words: str
    masked: str

    @property
    def length(self) -> int:
        """The number of words; code, a link and a value put in later are one each."""
        return sum(any(map(str.isalnum, word)) for word in self.masked.split())


_CODE = re.compile(r"``.+?``|`[^`]+`|\{…\}", re.DOTALL)
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bal)(?<!\bapprox)"
    r"[.!?…][\"'”’)*_]*\s+(?=[\"'“(*_`\[]*[A-Z0-9À-Þ`{])|\s+·\s+|\n\s*\n"
)
_BETWEEN = " \t\n·"
_MARKUP = " \t\n\"'“”’(*_>"


def sentences(text: Text) -> Iterator[Sentence]:
    """The sentences of a text, markup at their beginning removed."""
    masked = _CODE.sub(_mask, text.words)
    begin = 0
    for end in [*(found.end() for found in _END.finditer(masked)), len(masked)]:
        part = masked[begin:end]
        first = begin + len(part) - len(part.lstrip(_MARKUP))
        if masked[first:end].strip():
            line = text.line + text.words.count("\n", 0, first)
            last = first + len(masked[first:end].rstrip(_BETWEEN))
            shown, judged = one_line(text.words[first:last]), one_line(masked[first:last])
            yield Sentence(text, line, shown, judged)
        begin = end


def one_line(words: str) -> str:
    """The words with single spaces between them."""
    return " ".join(words.split())


def _mask(found: re.Match[str]) -> str:
    """The code as one word of the same length; its ticks remain, and the program's name."""
    code = found[0].strip("`")
    ticks = "`" * ((len(found[0]) - len(code)) // 2)
    kept = "benchmaker" if code.startswith("benchmaker") else ""
    return f"{ticks}{kept}{'x' * (len(code) - len(kept))}{ticks}"

"""The words of the pages: text, titles and labels of templates, and messages of their scripts."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser

from scripts.words.literals import VALUE, is_prose

_INLINE = {
    "a", "abbr", "b", "bdi", "cite", "code", "data", "em", "i", "kbd", "mark", "q", "s", "samp",
    "small", "span", "strong", "sub", "sup", "time", "u", "var",
}  # fmt: skip
_SPOKEN = {"alt", "aria-label", "placeholder", "title", "data-unsaved", "aria-valuetext"}
_SILENT = {"script", "style"}
_JINJA = re.compile(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_BRANCH = re.compile(r"\{%-?\s*(?:else|elif|for|endfor|block|endblock|macro|endmacro|call)\b")
_ICON = re.compile(r"\{\{-?\s*icon\(")
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
_PUT_IN, _BREAK = "\ue000", "\ue001"


def page_texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a Jinja template with their lines."""
    reader = _Reader()
    reader.feed(_JINJA.sub(_without_jinja, source))
    reader.close()
    reader.end_of_text()
    yield from ((line, _with_values(words)) for line, words in reader.found)
    for tag in _JINJA.finditer(source):
        if not tag[0].startswith("{#"):
            yield from _strings(tag[0], source.count("\n", 0, tag.start()) + 1)


def script_texts(source: str) -> Iterator[tuple[int, str]]:
    """The messages in a script: its string literals of three words or more, with their lines."""
    for number, line in enumerate(source.split("\n"), 1):
        if not line.lstrip().startswith(("//", "*", "/*")):
            yield from _strings(line, number)


def _strings(code: str, line: int) -> Iterator[tuple[int, str]]:
    for found in _STRING.finditer(code):
        words = re.sub(r"\$\{[^}]*\}", VALUE, found[1] or found[2] or found[3] or "")
        if is_prose(words):
            yield line + code.count("\n", 0, found.start()), words


def _without_jinja(tag: re.Match[str]) -> str:
    """As many characters and line breaks as the tag has: a value, a break, or spaces."""
    if tag[0].startswith("{{"):
        filler = " " if _ICON.match(tag[0]) else _PUT_IN
    else:
        filler = _BREAK if _BRANCH.match(tag[0]) else " "
    return re.sub(r"[^\n]", filler, tag[0])


def _with_values(words: str) -> str:
    return re.sub(rf"{_PUT_IN}+(?:\n{_PUT_IN}+)*", VALUE, words)


class _Reader(HTMLParser):
    """Gathers texts; a tag of a block, or two tags side by side, end one."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[int, str]] = []
        self.words = ""
        self.line = 1
        self.silent = ""
        self.is_after_tag = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE or self.is_after_tag:
            self.end_of_text()
        self.silent = tag if tag in _SILENT else self.silent
        if tag == "code":
            self.words += "`"
        line = self.getpos()[0]
        self.found += [(line, value) for name, value in attrs if name in _SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        self.silent = "" if tag == self.silent else self.silent
        if tag == "code":
            self.words += "`"
        if tag not in _INLINE:
            self.end_of_text()
        self.is_after_tag = True

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        self.is_after_tag = self.is_after_tag and not data.strip()
        first, *rest = re.split(rf"{_BREAK}+", data)
        self._add(first, self.getpos()[0])
        line = self.getpos()[0] + first.count("\n")
        for part in rest:
            self.end_of_text()
            self._add(part, line)
            line += part.count("\n")

    def handle_entityref(self, name: str) -> None:
        self._add(unescape(f"&{name};"), self.getpos()[0])

    def handle_charref(self, name: str) -> None:
        self._add(unescape(f"&#{name};"), self.getpos()[0])

    def end_of_text(self) -> None:
        """Keep the text so far, and begin another."""
        if self.words.strip(" \n`·"):
            self.found.append((self.line, self.words))
        self.words = ""

    def _add(self, data: str, line: int) -> None:
        if not self.words.strip():
            self.words = data.lstrip()
            self.line = line + data[: len(data) - len(self.words)].count("\n")
        else:
            self.words += data

"""Fenced code in an answer: a line scanner by CommonMark, tolerant of careless models.

CommonMark 0.31 §4.5, with these liberties: a fence may be at any depth of a list; a page that is
still open treats inner fences with a language as its own content; a fence that closes after
``</html>`` on the same line closes; a fence that begins after ``</html>`` closes the one before;
fences in a block of Markdown count as if it did not exist. Blocks of reasoning are skipped.
"""

import re
from dataclasses import dataclass, field

_FENCE = re.compile(
    r"(?P<lead>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}|~{3,})(?P<info>[^\r\n]*)"
)
_LATE_CLOSE = re.compile(
    r"</(?:html|svg|body|script|style|template)>[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*$"
)
_PAGE = re.compile(r"<(/?)(?:!doctype[ \t]+html|html)\b", re.IGNORECASE | re.ASCII)
_REASONING = re.compile(r"[ \t]{0,3}<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_ANY_REASONING = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_REASONING_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_MARKDOWN = {"markdown", "md"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


MOST_FENCES = 1000
"""Maximum number of fences examined."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence: its info string, where it begins, and the spans of its content.

    ``text_from`` is where the text above it begins, which may name the file.
    """

    info: str
    start: int
    text_from: int
    spans: tuple[tuple[int, int], ...]
    is_complete: bool


@dataclass(slots=True)
class Scan:
    """The result of a scan: fences, the spans outside them, and whether reasoning was skipped."""

    fences: list[Fence] = field(default_factory=list)
    outside: list[tuple[int, int]] = field(default_factory=list)
    had_reasoning: bool = False


@dataclass(slots=True)
class _Open:
    """A fence whose end is not reached."""

    mark: str
    indent: int
    info: str
    start: int
    text_from: int
    spans: list[tuple[int, int]] = field(default_factory=list)
    depth: int = 0
    in_page: bool = False
    after_page: bool = False

    def take(self, start: int, end: int) -> None:
        """Add a piece of content; one that touches the last is joined to it."""
        if self.spans and self.spans[-1][1] == start:
            self.spans[-1] = (self.spans[-1][0], end)
        elif start < end:
            self.spans.append((start, end))

    def to_fence(self, *, is_complete: bool) -> Fence:
        return Fence(self.info, self.start, self.text_from, tuple(self.spans), is_complete)

    def closes(self, mark: str) -> bool:
        return mark[0] == self.mark[0] and len(mark) >= len(self.mark)


def scan(text: str) -> Scan:
    """All fences of an answer, in order."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found = Scan()
        self.open: _Open | None = None
        self.wrappers: list[str] = []
        self.text_from = 0
        ends = [match.start() for match in _REASONING_END.finditer(text)]
        self.last_reasoning_end = ends[-1] if ends else -1

    def scan(self) -> Scan:
        at = self._answer_start()
        while at < len(self.text):
            at = self._line(at)
        if self.open is not None:
            self._finish(is_complete=False)
        return self.found

    def _answer_start(self) -> int:
        """Return the start of the answer proper: after initial reasoning, closed or not."""
        begins = len(self.text) - len(self.text.lstrip())
        closing = _REASONING_END.search(self.text)
        if _REASONING.match(self.text, begins):
            self.found.had_reasoning = True
            return closing.end() if closing else len(self.text)
        if closing and _stands_alone(self.text, closing) and not self._is_opened(closing.start()):
            self.found.had_reasoning = True
            return closing.end()
        return 0

    def _is_opened(self, before: int) -> bool:
        return bool(_ANY_REASONING.search(self.text, 0, before))

    def _line(self, at: int) -> int:
        match = _LINE.match(self.text, at)
        end = match.end() if match else len(self.text)
        line = self.text[at:end]
        if self.open is None:
            return self._scan_outside(at, end, line)
        self._scan_inside(self.open, at, end, line)
        return end

    def _scan_outside(self, at: int, end: int, line: str) -> int:
        if at < self.last_reasoning_end and _REASONING.match(line):
            closing = _REASONING_END.search(self.text, at)
            if closing:
                self.found.had_reasoning = True
                return closing.end()
        fence = _match_opening(line)
        if fence is None:
            self._pass(at, end)
        elif self._unwraps(fence):
            self.wrappers.pop()
        elif _language(fence) in _MARKDOWN:
            self.wrappers.append(fence["mark"])
        else:
            self._begin(at, fence)
        return end

    def _pass(self, at: int, end: int) -> None:
        outside = self.found.outside
        if outside and outside[-1][1] == at:
            outside[-1] = (outside[-1][0], end)
        else:
            outside.append((at, end))

    def _unwraps(self, fence: re.Match[str]) -> bool:
        if not self.wrappers or fence["info"].strip():
            return False
        wrapper = self.wrappers[-1]
        return bool(fence["mark"][0] == wrapper[0] and len(fence["mark"]) >= len(wrapper))

    def _begin(self, at: int, fence: re.Match[str]) -> None:
        info = fence["info"].strip()
        self.open = _Open(fence["mark"], len(fence["lead"]), info, at, self.text_from)

    def _scan_inside(self, fence: _Open, at: int, end: int, line: str) -> None:
        other = _FENCE.match(line)
        if other and fence.closes(other["mark"]) and self._met(fence, at, other):
            return
        late = _LATE_CLOSE.search(line.rstrip("\r\n")) if not fence.depth else None
        if late and fence.closes(late["mark"]):
            fence.take(at, at + late.start("mark"))
            self._finish(is_complete=True, at=end)
            return
        for page in _PAGE.finditer(line):
            fence.in_page, fence.after_page = not page[1], bool(page[1])
        fence.take(at + _indent(line, fence.indent), end)

    def _met(self, fence: _Open, at: int, other: re.Match[str]) -> bool:
        """A fence within a fence: whether it ends the one that is open."""
        info = other["info"].strip()
        if info:
            if fence.after_page and _match_opening(other.string):
                self._finish(is_complete=True, at=at)
                self._begin(at, other)
                return True
            fence.depth += fence.in_page
            return False
        if len(other["lead"].strip()) or len(other["lead"]) > fence.indent + 3:
            return False
        if fence.depth:
            fence.depth -= 1
            return False
        self._finish(is_complete=True, at=at + other.end())
        return True

    def _finish(self, *, is_complete: bool, at: int | None = None) -> None:
        if self.open is not None and len(self.found.fences) < MOST_FENCES:
            self.found.fences.append(self.open.to_fence(is_complete=is_complete))
        self.open = None
        self.text_from = len(self.text) if at is None else at


def _stands_alone(text: str, closing: re.Match[str]) -> bool:
    before, after = text[: closing.start()], text[closing.end() : closing.end() + 1]
    return after in {"", "\n", "\r"} or before.endswith(("\n", "\r"))


def _match_opening(line: str) -> re.Match[str] | None:
    fence = _FENCE.match(line)
    if fence is None or (fence["mark"][0] == "`" and "`" in fence["info"]):
        return None
    return fence


def _language(fence: re.Match[str]) -> str:
    return fence["info"].strip().partition(" ")[0].lower()


def _indent(line: str, most: int) -> int:
    """Return the part of a line's indent that belongs to the fence."""
    found = len(line) - len(line.lstrip(" \t"))
    return min(found, most)

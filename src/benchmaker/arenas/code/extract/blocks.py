"""Pieces of code in an answer: from its fences, and from outside them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchmaker.arenas.code.extract.fences import Fence, Scan
from benchmaker.arenas.code.extract.languages import (
    DATA,
    WEB,
    is_component_of_vue,
    language_of,
    script_or_style,
)
from benchmaker.arenas.code.extract.names import label_of, path_of

MOST_BLOCKS = 200
"""Maximum number of pieces of code examined."""

_PAGE_START = re.compile(r"^[ \t]{0,40}(<!doctype[ \t]+html\b)", re.IGNORECASE | re.MULTILINE)
_BARE_START = re.compile(r"<(?:!doctype[ \t]+html|html)\b", re.IGNORECASE)
_SVG_START = re.compile(r"<svg\b", re.IGNORECASE)
_SFC_START = re.compile(r"^[ \t]{0,40}<(?:template|script)\b", re.IGNORECASE | re.MULTILINE)
_RULE = re.compile(r"^[ \t]{0,8}[-=─━═*_#]{8,}[ \t]*\r?$", re.MULTILINE)
_FRAGMENT_END = re.compile(r">\s*\Z")
_ENDS = {
    "html": re.compile(r"</html\s{0,8}>", re.IGNORECASE),
    "svg": re.compile(r"</svg\s{0,8}>", re.IGNORECASE),
    "vue": re.compile(r"</(?:template|script|style)\s{0,8}>", re.IGNORECASE),
}
_WHOLE = re.compile(r"</(?:html|svg)\s{0,8}>\s{0,200}\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One piece of code; ``path`` is None if the answer gives it no name."""

    language: str
    text: str
    spans: tuple[tuple[int, int], ...]
    path: str | None = None
    is_complete: bool = True

    @property
    def start(self) -> int:
        """Its start in the answer."""
        return self.spans[0][0] if self.spans else 0


def text_of(answer: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text at some spans, joined."""
    return "".join(answer[start:end] for start, end in spans)


def fenced_blocks(answer: str, fences: Sequence[Fence]) -> tuple[list[CodeBlock], list[Fence]]:
    """The blocks of the web among fences, and the fences that hold none."""
    found: list[CodeBlock] = []
    others: list[Fence] = []
    for fence in fences:
        block = _fenced_block(answer, fence)
        if block is None:
            others.append(fence)
        elif len(found) < MOST_BLOCKS and block.text.strip():
            found.append(block)
    return found, others


def _fenced_block(answer: str, fence: Fence) -> CodeBlock | None:
    text = text_of(answer, fence.spans)
    label = label_of(fence.info)
    language = language_of(label, text)
    if language is None:
        return None
    above = answer[fence.text_from : fence.start]
    path = path_of(fence.info, text, above, language)
    if path is not None and path.endswith(".vue"):
        language = "vue"
    if language in DATA and path is None:
        return None
    whole = fence.is_complete or _WHOLE.search(text[-250:]) is not None
    return CodeBlock(language, text, fence.spans, path, whole)


def loose_blocks(answer: str, scan: Scan, others: Sequence[Fence]) -> list[CodeBlock]:
    """Return code outside fences, or in fences of other languages: pages, drawings, components.

    Without a whole page, drawing or component, a text that consists entirely of markup counts, then
    code between horizontal rules.
    """
    regions = sorted([*scan.outside, *(span for fence in others for span in fence.spans)])
    for find in (_pages, _drawings, _components):
        found = [block for start, end in regions for block in find(answer, start, end)]
        if found:
            return found[:MOST_BLOCKS]
    for find in (_fragments, _ruled_blocks):
        found = [block for start, end in scan.outside for block in find(answer, start, end)]
        if found:
            return found[:MOST_BLOCKS]
    return []


def _pages(answer: str, start: int, end: int) -> Iterator[CodeBlock]:
    starts = [match.start(1) for match in _PAGE_START.finditer(answer, start, end)]
    if not starts:
        bare = _BARE_START.search(answer, start, end)
        starts = [bare.start()] if bare else []
    for at, following in zip(starts, [*starts[1:], end], strict=False):
        yield _until_last("html", answer, at, following)


def _drawings(answer: str, start: int, end: int) -> Iterator[CodeBlock]:
    found = _SVG_START.search(answer, start, end)
    if found:
        yield _until_last("svg", answer, found.start(), end)


def _components(answer: str, start: int, end: int) -> Iterator[CodeBlock]:
    found = _SFC_START.search(answer, start, end)
    if found and is_component_of_vue(answer[found.start() : end]):
        yield _until_last("vue", answer, found.start(), end)


def _until_last(language: str, answer: str, start: int, end: int) -> CodeBlock:
    """The block to the last end tag; to the end of the text, and incomplete, without one."""
    ends = [match.end() for match in _ENDS[language].finditer(answer, start, end)]
    stop = ends[-1] if ends else end
    return _block(language, answer, (start, stop), is_complete=bool(ends))


def _fragments(answer: str, start: int, end: int) -> Iterator[CodeBlock]:
    text = answer[start:end]
    if text.lstrip().startswith("<") and _FRAGMENT_END.search(text[-200:]):
        language = language_of("", text)
        if language == "html":
            yield _block(language, answer, (start, end))


def _ruled_blocks(answer: str, start: int, end: int) -> Iterator[CodeBlock]:
    rules = list(_RULE.finditer(answer, start, end))
    edges = [start, *(edge for rule in rules for edge in rule.span()), end]
    if not rules:
        return
    for at, until in zip(edges[::2], edges[1::2], strict=True):
        text = answer[at:until]
        language = script_or_style(text)
        if language is not None and not _is_prose(text):
            path = path_of("", text, "", language)
            yield replace(_block(language, answer, (at, until)), path=path)


def _is_prose(text: str) -> bool:
    """True if most lines read like sentences, not like code."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    code = sum(
        line.endswith((";", "{", "}", ",", ")", "(", ">", "]", "*/"))
        or line.startswith(("//", "*", "import", "<"))
        for line in lines
    )
    return 2 * code < len(lines)


def _block(
    language: str, answer: str, span: tuple[int, int], *, is_complete: bool = True
) -> CodeBlock:
    return CodeBlock(language, answer[slice(*span)], (span,), None, is_complete)


def kept_languages(blocks: Iterable[CodeBlock]) -> set[str]:
    """The languages of the web among blocks."""
    return {block.language for block in blocks} & WEB

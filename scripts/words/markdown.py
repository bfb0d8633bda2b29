"""The prose of Markdown files, without code blocks, comments and addresses."""

import re
from collections.abc import Iterator

Block = tuple[int, str]
"""The line of a piece of prose, from 1, and the piece with its line breaks."""

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OWN_LINE = re.compile(r"^\s*(?:#{1,6}\s|\||[-*+]\s|\d+[.)]\s|>)")
_MARK = re.compile(r"^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s*)+")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]*(?:\s\"[^\"]*\")?\)")
_TAG = re.compile(r"</?[a-z][^>\n]*>")


def blocks(text: str) -> Iterator[Block]:
    """Paragraphs, headings, items of lists and cells of tables."""
    piece: list[str] = []
    first = 1
    for number, line in enumerate([*_prose(text), ""], 1):
        if piece and (not line.strip() or _OWN_LINE.match(line)):
            yield from _cells(first, "\n".join(piece))
            piece = []
        if line.strip():
            first = first if piece else number
            piece.append(line)


def _prose(text: str) -> Iterator[str]:
    """Each line, those of code blocks and comments empty."""
    fence = ""
    for line in _COMMENT.sub(lambda it: "\n" * it[0].count("\n"), text).split("\n"):
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif fence:
            fence = "" if line.strip() == fence else fence
        else:
            yield line
            continue
        yield ""


def _cells(line: int, piece: str) -> Iterator[Block]:
    words = _TAG.sub("", _LINK.sub(r"\1", _MARK.sub("", piece)))
    if not words.lstrip().startswith("|"):
        yield line, words
        return
    for cell in re.split(r"(?<!\\)\|", words):
        if re.search(r"\w", cell):
            yield line, cell

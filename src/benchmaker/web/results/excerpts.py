"""Short parts of many answers, each without secrets and with its matches of a search marked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmaker.store.runs.case_search import AnswerText
from benchmaker.web.results.answers import safe_text
from benchmaker.web.results.word_diff import Piece
from benchmaker.web.workbench import Workbench

_BEFORE = 40
"""Number of characters shown before a match."""

_MARGIN = 300
"""Number of characters read on either side, so that no secret is cut before it is removed."""

_MOST_MATCHES = 20


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of an answer in pieces; those that match a search are of the kind ``mark``."""

    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The whole excerpt."""
        return "".join(piece.text for piece in self.pieces)


def excerpts(
    bench: Workbench,
    run_ids: Sequence[str],
    positions: Sequence[int],
    models: Sequence[str],
    *,
    limit: int,
    around: str = "",
) -> Mapping[tuple[int, str], Excerpt]:
    """Return parts of at most ``limit`` characters of answers, by position and model."""
    found = bench.store.case_search.texts(
        run_ids,
        positions,
        models=models,
        limit=limit + 2 * _MARGIN,
        around=around,
        before=_BEFORE + _MARGIN,
    )
    pattern = re.compile(re.escape(around), re.IGNORECASE | re.ASCII) if around else None
    return {
        key: _excerpt(part, safe_text(part.text, bench.redactor), pattern, limit)
        for key, part in found.items()
    }


def _excerpt(part: AnswerText, text: str, pattern: re.Pattern[str] | None, limit: int) -> Excerpt:
    first = pattern.search(text) if pattern else None
    start = max(0, first.start() - _BEFORE) if first else 0
    shown = text[start : start + limit]
    is_cut = start + limit < len(text) or not part.has_end
    before = "…" if start or not part.has_beginning else ""
    pieces = [
        Piece("same", before),
        *_split_at_matches(shown, pattern),
        Piece("same", "…" if is_cut else ""),
    ]
    return Excerpt(tuple(piece for piece in pieces if piece.text))


def _split_at_matches(text: str, pattern: re.Pattern[str] | None) -> list[Piece]:
    if pattern is None:
        return [Piece("same", text)]
    pieces, end = [], 0
    for found in list(pattern.finditer(text))[:_MOST_MATCHES]:
        pieces += [Piece("same", text[end : found.start()]), Piece("mark", found[0])]
        end = found.end()
    return [*pieces, Piece("same", text[end:])]

"""Answers about a stored board: drawn once for everything that they show."""

from collections.abc import Callable, Hashable

from fastapi import Request, Response

from benchmaker.web.agentic.board_cache import BoardCache, BoardHashes
from benchmaker.web.agentic.board_view import BoardSelection
from benchmaker.web.render_cache import RenderedBody


def render_once(
    request: Request,
    cache: BoardCache,
    selection: BoardSelection,
    key: Hashable,
    *,
    media_type: str,
    draw: Callable[[BoardHashes], tuple[bytes, bool]],
) -> RenderedBody | Response:
    """Return the cached answer, or render it now; a response if it is not of a stored board.

    One query finds the stored state. An answer for a stored board is cached if that state is
    unchanged after rendering.

    Args:
        request: the request to answer.
        cache: boards, and the pages drawn from them.
        selection: the board.
        key: everything that the answer shows besides what is stored of the board.
        media_type: of the answer.
        draw: draws it out of what was seen, and says whether it is of a stored board alone.
    """
    seen = cache.hashes(selection)
    whole = (key, selection.profile.id, seen)
    if (known := cache.drawings.find(whole)) is not None:
        return known
    body, is_stored = draw(seen)
    made = RenderedBody.of(body, media_type)
    if is_stored and cache.hashes(selection) == seen:
        cache.drawings.keep(whole, made)
        return made
    return made.answer(request.headers)

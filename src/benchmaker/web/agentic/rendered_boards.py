"""Answers about a stored board: drawn once for everything that they show."""

from collections.abc import Callable, Hashable

from fastapi import Request, Response

from benchmaker.web.agentic.board_cache import BoardCache, BoardHashes
from benchmaker.web.agentic.board_view import BoardSelection
from benchmaker.web.agentic.render_cache import RenderedBody


def render_once(
    request: Request,
    shelf: BoardCache,
    asked: BoardSelection,
    key: Hashable,
    *,
    media_type: str,
    draw: Callable[[BoardHashes], tuple[bytes, bool]],
) -> Response:
    """Return the cached answer, or render it now.

    One query finds the stored state. An answer for a stored board is cached if that state is
    unchanged after rendering.

    Args:
        request: the request.
        shelf: the cache of boards and of their rendered pages.
        asked: the board.
        key: everything that the answer shows besides the stored board.
        media_type: media type of the answer.
        draw: renders it from the seen state; also returns whether it shows only a stored board.
    """
    seen = shelf.hashes(asked)
    whole = (key, asked.profile.id, seen)
    if (known := shelf.drawings.find(whole)) is not None:
        return known.answer(request)
    body, is_stored = draw(seen)
    made = RenderedBody.of(body, media_type)
    if is_stored and shelf.hashes(asked) == seen:
        shelf.drawings.keep(whole, made)
    return made.answer(request)

"""Full-text search in sessions: prompts, answers, reasoning, tool calls and their outputs.

Filters stored next to the traces select the chunks that may contain the words; only these are read.
Sessions imported without content have no text and are never found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmaker.analysis.usage.days import start_of
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, ToolCall, ToolResult, UserTurn
from benchmaker.arenas.agentic.logs.sources import session_key
from benchmaker.arenas.agentic.logs.word_filters import (
    PROBES,
    filter_of,
    is_indexed,
    may_hold,
    probes_of,
    texts_of,
    words_of,
)
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS, events_holding, events_of
from benchmaker.arenas.agentic.sessions.stored_usage import plain_name
from benchmaker.documents import Document, NullIfEmpty, listed
from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import Submission
from benchmaker.record.timestamps import optional_timestamp
from benchmaker.store import Store
from benchmaker.store.agentic.trace_words import WORDS, Piece
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.store.home import Home

PIECES = 24
"""Maximum number of chunks read per page."""

_ROOM = 60
"""Characters of context around a match."""


@dataclass(frozen=True)
class TextQuery:
    """A query: all of its words must occur in one text, words in quotes as a phrase.

    ``tool`` is the name of a tool or importer in any spelling, ``project`` part of the path of the
    session's folder, ``since`` a day such as ``2026-02-28`` or ``7d``.
    """

    text: str
    tool: str | None = None
    project: str | None = None
    since: str | None = None

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """The quoted phrases, in folded case."""
        return tuple(it.casefold() for it in self.text.split('"')[1::2] if it.strip())

    @cached_property
    def words(self) -> frozenset[bytes]:
        """The words that a text must contain.

        Raises:
            SpecError: the query has no word.
        """
        words = frozenset(words_of(self.text))
        if not words:
            raise SpecError(f"no word in {self.text!r}.", hint="Search for a whole word.")
        return words

    @property
    def probes(self) -> list[tuple[int, int]]:
        """The probes of the words that filters hold, the longest word first."""
        indexed = filter(is_indexed, sorted(self.words, key=len, reverse=True))
        return [probes_of(word) for word in indexed]

    def finds(self, text: str) -> bool:
        """True if a text contains all words and phrases."""
        folded = text.casefold()
        return all(it in folded for it in self.phrases) and self.words <= words_of(text)


@dataclass(frozen=True, slots=True)
class TextHit:
    """A match: its session, the kind and time of the event, its line in the log, an excerpt."""

    submission: Submission
    number: int
    kind: str
    at: str | None
    agent: str
    line: int
    excerpt: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: of the session, what names it in place of its record."""
        system = self.submission.system
        return {
            "submission": self.submission.id,
            "number": self.number,
            "tool": system.harness,
            "model": system.model,
            "project": self.submission.project,
            "kind": self.kind,
            "at": self.at,
            "agent": self.agent,
            "line": self.line,
            "excerpt": self.excerpt,
        }


@dataclass(frozen=True, slots=True)
class TextPage(Document):
    """A page of hits, the latest stored session first; ``after`` is the next page, "" at the end.

    A page reads a limited number of chunks, so it may have few hits or none although more follow.
    A session that is stored several times, such as for two tasks, is found once: under the
    submission stored last.
    """

    hits: tuple[TextHit, ...]
    after: NullIfEmpty = ""

    @property
    @listed(after="hits")
    def may_have_more(self) -> bool:
        """True if more hits may follow, so that the number of hits is not a total."""
        return bool(self.after)


def search(
    text: str,
    *,
    tool: str | None = None,
    project: str | None = None,
    since: str | None = None,
    after: str = "",
    limit: int = 20,
    home: str | Path | None = None,
    store: str | None = None,
) -> TextPage:
    """Search the text of sessions that were imported with their content.

    Args:
        text: whole words, all of which must occur in one text; words ``"in quotes"`` as a phrase.
        tool: only sessions of that tool.
        project: only sessions whose folder's path contains the text, in upper or lower case.
        since: only sessions active on or after that day, ``2026-02-28`` or ``7d``.
        after: ``after`` of the previous page.
        limit: stop after this many hits; the last chunk is read to its end, so a few more may
            come.
        home: the data folder; default ``~/.local/share/benchmaker``.
        store: the store's address, where it is not in the data folder.

    Raises:
        SpecError: the text has no word, or ``since`` is not a day.
        StoreError: the store can't be used.
    """
    with Home.of(home, store).open_store() as opened:
        query = TextQuery(text, tool, project, since)
        return search_texts(opened, query, after=after, limit=limit)


def search_texts(store: Store, query: TextQuery, *, after: str = "", limit: int = 20) -> TextPage:
    """Search in an open store; see :func:`search`."""
    probes = query.probes
    since = start_of(query.since, None)
    pieces = store.trace_words.pieces_with(
        lambda words: may_hold(words, probes),
        probes,
        PROBES,
        tools=_names_of_tool(store, query.tool) if query.tool else None,
        since=None if since is None else optional_timestamp(since.timestamp()),
        before=_page_start(after),
        limit=PIECES + 1,
    )
    hits: list[TextHit] = []
    seen: set[tuple[str, ...]] = set()
    for done, piece in enumerate(pieces[:PIECES], start=1):
        hits += _hits(store, piece, query, seen)
        if len(hits) >= limit and done < len(pieces):
            return TextPage(tuple(hits), _place(piece))
    return TextPage(tuple(hits), _place(pieces[PIECES - 1]) if len(pieces) > PIECES else "")


def _names_of_tool(store: Store, given: str) -> frozenset[str]:
    """The names of tools and importers that are this one in any spelling."""
    wanted = plain_name(given)
    importers = {given, wanted, wanted.replace("-", "_")}
    stored = store.submission_pages.every_name("tool")
    return frozenset(importers | {name for name in stored if plain_name(name) == wanted})


def _place(piece: Piece) -> str:
    return encode_cursor(float(piece.number), piece.submission_seq)


def _page_start(after: str) -> tuple[int, int] | None:
    """The chunk after which a page begins."""
    place = decode_cursor(after)
    if place is None:
        return None
    number, seq = place
    return seq, int(number) if isinstance(number, float) else 0


def _hits(
    store: Store, piece: Piece, query: TextQuery, seen: set[tuple[str, ...]]
) -> Iterator[TextHit]:
    """The matches in a chunk; a text that a log has twice under one id is one of them."""
    chunk = store.trace_words.chunk_of(piece, EVENTS)
    found = list(_matching_texts(chunk, query)) if chunk else []
    if not found:
        return
    submission = store.submission(piece.submission_id)
    if query.project and query.project.casefold() not in (submission.project or "").casefold():
        return
    if _is_stored_again(store, piece, submission):
        return
    for event, kind, text in found:
        name = _own_id(event)
        key = submission.id, kind, name, text
        if name and key in seen:
            continue
        seen.add(key)
        yield TextHit(
            submission,
            piece.submission_seq,
            kind,
            optional_timestamp(event.at),
            event.agent,
            event.line,
            _excerpt(text, query),
        )


def _is_stored_again(store: Store, piece: Piece, submission: Submission) -> bool:
    """True if the session is found under a later submission, such as one to another task."""
    key, source = session_key(submission), submission.source_sha256
    return store.trace_words.is_stored_again(
        piece.submission_seq,
        submission.session_id,
        source if key == source else None,
    )


def _own_id(event: Event) -> str:
    """The id under which an event counts once; empty for none."""
    match event:
        case LlmCall() | ToolCall() | UserTurn():
            return event.id or ""
        case ToolResult():
            return event.call_id
        case _:
            return ""


def _matching_texts(chunk: bytes, query: TextQuery) -> Iterator[tuple[Event, str, str]]:
    """The matching texts of a chunk; events without all of the words are not decoded."""
    for event in events_holding(chunk, query.words):
        for kind, text in texts_of(event):
            if query.finds(text):
                yield event, kind, text


def _excerpt(text: str, query: TextQuery) -> str:
    """The text around the first phrase, else around the longest word, on one line."""
    folded = text.casefold()
    words = (word.decode() for word in sorted(query.words, key=lambda it: (-len(it), it)))
    wanted = [*query.phrases, *words]
    at = next((place for it in wanted if (place := folded.find(it)) >= 0), 0)
    start, end = max(0, at - _ROOM), at + 2 * _ROOM
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def index_texts(store: Store) -> Sequence[str]:
    """Build the filters of sessions stored without any; returns the ids of these sessions."""
    names = store.trace_words.without_words(EVENTS)
    for name in names:
        filters = [filter_of(_words([chunk])) for chunk in store.trace(name, EVENTS)]
        store.agentic.put_part(name, WORDS, filters)
    return names


def _words(chunks: Sequence[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for event in events_of(chunks):
        for _, text in texts_of(event):
            found |= words_of(text)
    return found

"""Stored boards and fronts for pages: decoded once, never out of date.

The index of a profile's boards names the content of each and the figures they were made from.
Cached entries are keyed by the index's own hash, so that one cheap query decides if they are still
valid.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final, NamedTuple, TypeVar, cast
from urllib.parse import unquote
from weakref import WeakKeyDictionary

from benchmaker.arenas.agentic.boards.leaderboard import stored_board, stored_front
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, rules_with
from benchmaker.arenas.agentic.evaluation.profiles import refuse_shadow
from benchmaker.arenas.agentic.settling.board_keys import BoardKey
from benchmaker.arenas.agentic.settling.stored_boards import FRONT, INDEX, Board
from benchmaker.store import Store
from benchmaker.store.agentic.boards import StoredBoard
from benchmaker.web.agentic.board_view import NARROWED, BoardSelection
from benchmaker.web.render_cache import RenderCache, RenderedBody
from benchmaker.web.workbench import Workbench

T = TypeVar("T")

PAGE_FRONT: Final = "dollars"
"""The figure plotted against success on a board's page."""

_MOST: Final = 300
_OFFERED: Final = 300


@dataclass(frozen=True, slots=True)
class Index:
    """The stored content of a profile: the figures behind it, and the names to filter boards by."""

    hash: str
    inputs: str
    offered: dict[str, tuple[str, ...]]


class BoardHashes(NamedTuple):
    """One look at the stored state of a board: hashes, None for missing parts.

    They identify all stored content that its page shows.
    """

    index_hash: str | None
    board_hash: str | None
    front_hash: str | None


@dataclass(slots=True)
class BoardCache:
    """A cache of one store's boards and rendered answers; the least recently used is evicted."""

    store: Store
    drawings: RenderCache[RenderedBody] = field(default_factory=RenderCache)
    _held: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def hashes(self, selection: BoardSelection) -> BoardHashes:
        """Return the current hashes of a board, and of the front on its page."""
        self._refuse_shadow(selection)
        names = (INDEX, _board_name(selection), _front_name(selection, PAGE_FRONT))
        found = self.store.agentic.board_hashes(selection.profile.id, names)
        return BoardHashes(*map(found.get, names))

    def index(self, profile: str, seen: BoardHashes | None = None) -> Index | None:
        """Return the current or seen index; None before the first settling."""
        digest = seen.index_hash if seen else self.store.agentic.board_hash(profile, INDEX)
        if digest is None:
            return None
        return self.get_or_make(("index", profile, digest), lambda: self._index(profile, digest))

    def board(self, selection: BoardSelection, seen: BoardHashes | None = None) -> Board | None:
        """Return the board, if stored and up to date.

        Args:
            selection: the board.
            seen: the current state of the store; None reads it.
        """
        self._refuse_shadow(selection)
        if seen is not None and seen.board_hash is None:
            return None
        return self._read(selection, _board_name(selection), Board.of_dict, seen)

    def front(
        self, selection: BoardSelection, figure: str, seen: BoardHashes | None = None
    ) -> dict[str, Any] | None:
        """Return the front among the same submissions, if stored and up to date.

        The seen hashes are those of the figure on the board's page.
        """
        self._refuse_shadow(selection)
        if seen is not None and seen.front_hash is None:
            return None
        return self._read(selection, _front_name(selection, figure), dict, seen)

    def keep_front(self, selection: BoardSelection, figure: str, body: dict[str, Any]) -> None:
        """Store a front that was made, for as long as the figures are the same."""
        index = self.index(selection.profile.id)
        name = _front_name(selection, figure)
        if index is None or self.store.is_read_only or "?" not in name:
            return
        kept = StoredBoard(selection.profile.id, name, body | {"inputs": index.inputs})
        self.store.agentic.put_boards([kept])

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key, which ``make`` computes unless it is cached."""
        if (held := self._find(key)) is not None:
            return cast("T", held)
        made = make()
        with self._lock:
            self._held[key] = made
            while len(self._held) > _MOST:
                self._held.popitem(last=False)
        return made

    def _refuse_shadow(self, selection: BoardSelection) -> None:
        if not selection.is_shown:
            refuse_shadow(self.store, selection.profile)

    def _read(
        self,
        selection: BoardSelection,
        name: str,
        of: Callable[[dict[str, Any]], T],
        seen: BoardHashes | None,
    ) -> T | None:
        profile = selection.profile.id
        index = self.index(profile, seen)
        if index is None:
            return None
        key = (profile, name, index.hash)
        if (held := self._find(key)) is not None:
            return cast("T", held)
        body = self.store.agentic.board(profile, name)
        if body is None or body.pop("inputs", index.inputs) != index.inputs:
            return None
        return self.get_or_make(key, lambda: of(body))

    def _index(self, profile: str, digest: str) -> Index:
        body = self.store.agentic.board(profile, INDEX) or {}
        return Index(digest, body.get("inputs", ""), _filter_values(body.get("names", {})))

    def _find(self, key: Hashable) -> Any:  # noqa: ANN401  of any kind
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)


def make_board(store: Store, selection: BoardSelection) -> Board:
    """The board, made now where it is not stored; then it is."""
    return stored_board(
        store,
        selection.key,
        selection.profile,
        policy=selection.policy,
        evidence=selection.evidence,
    )


def make_front(cache: BoardCache, selection: BoardSelection, figure: str) -> dict[str, Any]:
    """The front, made now where it is not stored; then it is."""
    if (known := cache.front(selection, figure)) is not None:
        return known
    key = BoardKey(by=selection.key.by, window=selection.key.window, where=selection.key.where)
    made = stored_front(
        cache.store, key, selection.profile, figure=figure, evidence=selection.evidence
    )
    cache.keep_front(selection, figure, made)
    return made


def _board_name(selection: BoardSelection) -> str:
    usual = ProfileRanking(selection.profile).rules
    return selection.key.name_under(
        rules_with(usual, policy=selection.policy, evidence=selection.evidence), usual
    )


def _front_name(selection: BoardSelection, figure: str) -> str:
    """Return the stored name of a front; fronts of subsets have a suffix."""
    key = BoardKey(by=selection.key.by, window=selection.key.window, where=selection.key.where)
    name = f"{FRONT}/{figure}"
    if key == BoardKey() and selection.evidence is None:
        return name
    return f"{name}?{key.name}?evidence={selection.evidence or ''}"


def _filter_values(names: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the filter values of boards by label: those with stored boards."""
    found: dict[str, dict[str, None]] = {label: {} for label in NARROWED}
    for name in names:
        label, is_scope, value = name.rpartition("/")[2].partition("=")
        if is_scope and label in found:
            found[label][unquote(value)] = None
    return {label: tuple(sorted(known)[:_OFFERED]) for label, known in found.items()}


_SHELVES: "WeakKeyDictionary[Workbench, BoardCache]" = WeakKeyDictionary()
_LOCK = Lock()


def board_cache_of(bench: Workbench) -> BoardCache:
    """Return the board cache of a workbench."""
    with _LOCK:
        if bench not in _SHELVES:
            _SHELVES[bench] = BoardCache(bench.store)
        return _SHELVES[bench]

"""Boards: made of all figures after settling, and stored for readers.

A stored board is replaced when it changes. An unaffected board is not made again, which its
fingerprint shows. A requested board that is not stored is made on demand, and kept while the
figures are unchanged.
"""

import hashlib
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote

import msgspec
import numpy as np

from benchmaker.analysis.boards.bias import BiasReport
from benchmaker.analysis.boards.board import Rules
from benchmaker.analysis.boards.fronts import Fronts
from benchmaker.arenas.agentic.settling.attempt_rows import counted_attempts
from benchmaker.arenas.agentic.settling.board_builder import (
    Board,
    BoardMaker,
    BoardProfile,
    BoardScope,
    bias_body,
    bias_flags,
    bias_of,
    notes_on_weights,
)
from benchmaker.arenas.agentic.settling.board_keys import BoardKey, stored_keys, window_ends
from benchmaker.arenas.agentic.settling.fingerprints import BoardFingerprints
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import concatenate, digest, sort_by_id
from benchmaker.store import Store
from benchmaker.store.agentic.boards import StoredBoard

__all__ = [
    "BIAS",
    "FRONT",
    "FRONT_FIGURES",
    "INDEX",
    "INFLUENCE_ROWS",
    "Board",
    "BoardMaker",
    "BoardProfile",
    "bias_body",
    "bias_flags",
    "bias_of",
    "board_of",
    "front_of",
    "now_us",
    "read_figures",
    "write_boards",
    "write_boards_of_tasks",
]

INDEX: Final = "index"
BIAS: Final = "bias"
FRONT: Final = "front"
FRONT_FIGURES: Final = ("dollars", "tokens", "seconds")
INFLUENCE_ROWS: Final = 20_000
"""Maximum number of submissions for which influence on baselines is computed after settling."""

_RULES: Final = "rules/"


def read_figures(store: Store) -> MetricColumns:
    """Return all figures of a store by submission, with the flags of the rules.

    Registered attempts without a result are included. Flags by a statistic depend on the other
    submissions at that time, and are not counted.
    """
    parts = list(store.agentic.metric_columns())
    columns = sort_by_id(concatenate(parts) if parts else MetricColumns.of(()))
    failed, results = counted_attempts(store, columns)
    flags = dict(columns.flags)
    for more in (_rule_flags(store, columns), results):
        flags |= {row: (*flags.get(row, ()), *kinds) for row, kinds in more.items()}
    columns = replace(columns, flags=flags)
    return sort_by_id(concatenate([columns, MetricColumns.of(failed)])) if failed else columns


def _rule_flags(store: Store, columns: MetricColumns) -> dict[int, tuple[str, ...]]:
    """Return the flags of the rules, by row of the submission."""
    found: dict[int, set[str]] = {}
    for flag in store.agentic.flags():
        if flag.source.startswith(_RULES):
            row = bisect_left(columns.ids, flag.submission_id)
            if row < len(columns) and columns.ids[row] == flag.submission_id:
                found.setdefault(row, set()).add(flag.kind)
    return {row: tuple(sorted(kinds)) for row, kinds in sorted(found.items())}


def write_boards_of_tasks(
    store: Store, ranking: BoardProfile, tasks: Iterable[str], *, now_us: int | None = None
) -> BoardMaker:
    """Write the boards of these tasks by composite, before :func:`write_boards` writes all others.

    Each is the same as by the latter. The index loses its fingerprint, so that it is made again if
    the figures change before the others are written. A profile without boards gets none.

    Returns:
        The maker of these boards, from which the others may be made.
    """
    maker = BoardMaker(read_figures(store), ranking, now_us=now_us)
    before = store.agentic.board(ranking.profile, INDEX)
    if before is None:
        return maker
    keys = [BoardKey(where=(("task", task),)) for task in tasks]
    bodies = {key.name: maker.board(key).to_dict() for key in keys}
    known, marks = before.get("names", {}), before.get("marks", {})
    names = known | {name: _hash(body) for name, body in bodies.items()}
    marks = {name: mark for name, mark in marks.items() if name not in bodies}
    if names != known:
        made = (*bodies.items(), (INDEX, before | {"names": names, "marks": marks}))
        store.agentic.put_boards(StoredBoard(ranking.profile, *one) for one in made)
    return maker


def write_boards(
    store: Store,
    ranking: BoardProfile,
    *,
    now_us: int | None = None,
    raise_flags: bool = True,
    rebuild: bool = False,
    maker: BoardMaker | None = None,
) -> int:
    """Make the possibly affected boards of a profile, and store the changed ones.

    Figures are read as columns. A board is affected if one of its submissions is new, deleted or
    changed, or has another score, like all of a task under a new baseline; or if its window has
    moved. All others are kept, and the result is the same as making every board. The fronts and the
    bias report are boards, too; suspicions of the latter are flagged under ``board:`` and the
    profile instead of a submission.

    Args:
        store: the store of figures and boards.
        ranking: the profile.
        now_us: the present, in microseconds since 1970; later ends are implausible and move no
            window. None accepts them.
        raise_flags: whether to store suspicions.
        rebuild: also make the boards that are not affected.
        maker: maker with the current figures, under this profile; None reads them.

    Returns: The number of changed boards.
    """
    maker = maker or BoardMaker(read_figures(store), ranking, now_us=now_us)
    columns = maker.columns
    before = store.agentic.board(ranking.profile, INDEX) or {}
    work = _BoardWriter(maker, before.get("names", {}), {} if rebuild else before.get("marks", {}))
    work.write()
    changed = work.changed
    changed += [(name, _empty_board(name, maker)) for name in work.names if name not in work.index]
    inputs = digest(columns)
    head = {
        "names": work.index,
        "marks": work.new_marks,
        "inputs": inputs,
        "submissions": int((~columns.without_result()).sum()),
    }
    if not changed and before == msgspec.to_builtins(head):
        return 0
    kept = store.agentic.put_boards(
        StoredBoard(ranking.profile, name, body) for name, body in (*changed, (INDEX, head))
    )
    if raise_flags and work.report is not None:
        store.agentic.add_flags(bias_flags(work.report, ranking.profile))
    return kept


@dataclass(slots=True)
class _BoardWriter:
    """The boards of one set of figures compared with the stored ones: hashes and fingerprints."""

    maker: BoardMaker
    names: dict[str, str]
    marks: dict[str, str]
    index: dict[str, str] = field(default_factory=dict)
    new_marks: dict[str, str] = field(default_factory=dict)
    changed: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    report: BiasReport | None = None
    _made_from: BoardFingerprints = field(init=False)
    _fronts: dict[str, Fronts] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        maker = self.maker
        self._made_from = BoardFingerprints(
            maker.columns, maker.composites, maker.rules, maker.ranking.profile
        )

    def write(self) -> None:
        """Every board that is stored."""
        for key, label in stored_keys(self.maker.columns):
            for scope in self.maker.scopes(key, label) if label else (self.maker.scope(key),):
                self._board(scope)
        everything = self._made_from.full_fingerprint(())
        for figure in FRONT_FIGURES:
            self._take(f"{FRONT}/{figure}", everything, lambda figure=figure: self._front(figure))  # type: ignore[misc]
        self._take(BIAS, everything, self._bias)

    def _board(self, scope: BoardScope) -> None:
        key = scope.key
        notes = self.maker.weights_notes(scope.rows)
        about = (key.name, scope.since_us, scope.until_us, self.maker.count_undated(scope), *notes)
        mark = self._made_from.value_fingerprint(key.value, scope.rows, about)
        self._take(key.name, mark, lambda: self.maker.make_board(scope).to_dict())

    def _take(self, name: str, mark: str, make: Callable[[], dict[str, Any]]) -> None:
        self.new_marks[name] = mark
        if self.marks.get(name) == mark and name in self.names:
            self.index[name] = self.names[name]
            return
        body = make()
        self.index[name] = _hash(body)
        if self.names.get(name) != self.index[name]:
            self.changed.append((name, body))

    def _front(self, figure: str) -> dict[str, Any]:
        if not self._fronts:
            made = Fronts.for_figures(self.maker.columns, FRONT_FIGURES, rules=self.maker.rules)
            self._fronts = dict(zip(FRONT_FIGURES, made, strict=True))
        notes = self.maker.weights_notes(np.arange(len(self.maker.columns)))
        return _front_body(self._fronts[figure], self.maker.ranking.profile, notes)

    def _bias(self) -> dict[str, Any]:
        self.report = bias_of(self.maker, influence=len(self.maker.columns) <= INFLUENCE_ROWS)
        return bias_body(self.report, self.maker)


def board_of(
    store: Store,
    ranking: BoardProfile,
    key: BoardKey,
    *,
    rules: Rules | None = None,
    now_us: int | None = None,
) -> Board:
    """The stored board of a key; another one is made, and kept while the figures are the same."""
    usual = ranking.rules
    wanted = rules or usual
    name = key.name_under(wanted, usual)
    if store.agentic.board(ranking.profile, INDEX) is None and not store.is_read_only:
        write_boards(store, ranking, now_us=now_us, raise_flags=False)
    index = store.agentic.board(ranking.profile, INDEX)
    body = store.agentic.board(ranking.profile, name) if index else None
    if index and body and body.pop("inputs", index["inputs"]) == index["inputs"]:
        return Board.of_dict(body)
    columns = read_figures(store)
    made = BoardMaker(columns, ranking, rules=wanted, now_us=now_us).board(key)
    if index and digest(columns) == index["inputs"] and not store.is_read_only:
        kept = made.to_dict() | {"inputs": index["inputs"]}
        store.agentic.put_boards([StoredBoard(ranking.profile, name, kept)])
    return made


def front_of(
    store: Store,
    ranking: BoardProfile,
    key: BoardKey,
    *,
    figure: str,
    rules: Rules | None = None,
    now_us: int | None = None,
) -> dict[str, Any]:
    """Success against a figure among a key's submissions: the stored one, else made now."""
    wanted = rules or ranking.rules
    if key == BoardKey() and wanted == ranking.rules:
        body = store.agentic.board(ranking.profile, f"{FRONT}/{figure}")
        if body is not None:
            return body
    columns = read_figures(store)
    rows = key.to_filter(*window_ends(columns, key.window, now_us)).rows(columns)
    made = Fronts.of(columns.take(rows), figure=figure, unit=key.by, rules=wanted)
    weights = ranking.correctness_weights(columns)
    notes = notes_on_weights(weights, np.flatnonzero(rows))
    return _front_body(made, ranking.profile, notes)


def _front_body(made: Fronts, profile: str, notes: Sequence[str]) -> dict[str, Any]:
    return {**made.to_dict(), "profile": profile, "notes": list(notes)}


def _empty_board(name: str, maker: BoardMaker) -> dict[str, Any]:
    """The board of what no submission is about any more."""
    by, value, window, scope = name.split("/", 3)
    label, _, of = scope.partition("=")
    key = BoardKey.of(by=by, value=value, window=window, filters={label: unquote(of)})
    return maker.board(key).to_dict()


def _hash(body: dict[str, Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(body, order="deterministic")).hexdigest()


def now_us() -> int:
    """Microseconds since 1970 by this machine's clock."""
    return time.time_ns() // 1_000

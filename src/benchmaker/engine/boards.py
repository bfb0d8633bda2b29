"""Boards: made of all figures after settling, and written down for whoever looks.

A board is a pure function of a set of figures and a profile: any order, batch and kill gives the
same bytes. What is stored under a name is replaced when it changes; a board that is asked for and
not among those stored is made then, and kept as long as the figures are the same.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol
from urllib.parse import unquote

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.bias import BiasReport, bias
from benchmaker.analysis.board import BOARD_FIGURES, Leaderboard, Rules
from benchmaker.analysis.composed import REASONS
from benchmaker.analysis.composite_columns import CompositeColumns
from benchmaker.analysis.fronts import Fronts
from benchmaker.analysis.leaderboard import Boards
from benchmaker.analysis.segments import Segments
from benchmaker.engine.board_keys import BoardKey, ends, stored_keys
from benchmaker.record.evaluation import Flag
from benchmaker.record.metric_columns import MetricColumns
from benchmaker.record.metric_joining import digest, gathered
from benchmaker.record.metrics import UNKNOWN_US
from benchmaker.store import Store
from benchmaker.store.boards import StoredBoard

INDEX: Final = "index"
BIAS: Final = "bias"
FRONT: Final = "front"
FRONT_FIGURES: Final = ("dollars", "tokens", "seconds")
INFLUENCE_ROWS: Final = 20_000
"""Up to so many submissions the influence on baselines is looked at after each settling."""

_SOURCE: Final = "bias/1"
_RULES: Final = "rules/"


class Ranking(Protocol):
    """A scoring profile at work on columns: what an arena lends the engine."""

    @property
    def profile(self) -> str:
        """Name and version."""

    @property
    def rules(self) -> Rules:
        """How its boards are made."""

    def composites(
        self, columns: MetricColumns, *, baselines_of: MetricColumns | None = None
    ) -> CompositeColumns:
        """What it makes of every row, under the baselines of these or of other rows."""


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard under a profile, and what it is about.

    The window is [``since_us``, ``until_us``) in microseconds since 1970, None without one;
    ``undated`` submissions have no known end and are in no window but the longest. ``left_out``
    counts submissions without a score, by reason.
    """

    profile: str
    key: BoardKey
    leaderboard: Leaderboard
    since_us: int | None = None
    until_us: int | None = None
    undated: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[Any, ...]:
        """The lines, the ranked ones first."""
        return self.leaderboard.rows

    def to_dict(self) -> dict[str, Any]:
        """What ``leaderboard --json`` prints, and what is stored."""
        window = {"name": self.key.window, "since_us": self.since_us, "until_us": self.until_us}
        made = self.leaderboard.to_dict()
        rows = made.pop("rows")
        return {
            "scale": made.pop("scale"),
            "profile": self.profile,
            "board": self.key.name,
            "window": window,
            "where": dict(self.key.where),
            **made,
            "undated": self.undated,
            "left_out": dict(self.left_out),
            "rows": rows,
        }

    @classmethod
    def of_dict(cls, body: Mapping[str, Any]) -> "Board":
        """A board as it was stored."""
        where = tuple(sorted(body["where"].items()))
        window = body["window"]
        return cls(
            profile=body["profile"],
            key=BoardKey(body["value"], body["unit"], window["name"], where),
            leaderboard=msgspec.convert(dict(body), Leaderboard),
            since_us=window["since_us"],
            until_us=window["until_us"],
            undated=body["undated"],
            left_out=body["left_out"],
        )


class BoardMaker:
    """All boards of one set of figures under one profile; what they share is made once."""

    def __init__(
        self,
        columns: MetricColumns,
        ranking: Ranking,
        *,
        rules: Rules | None = None,
        now_us: int | None = None,
    ) -> None:
        self.columns, self.ranking = columns, ranking
        self.rules = rules or ranking.rules
        self.composites = ranking.composites(columns)
        self._now_us = now_us
        self._ready: dict[tuple[str, str], Boards] = {}

    def board(self, key: BoardKey) -> Board:
        """One board."""
        since, until = ends(self.columns, key.window, self._now_us)
        rows = np.flatnonzero(key.chosen(since, until).rows(self.columns))
        return self._made(key, rows, (since, until))

    def each(self, key: BoardKey, label: str) -> Iterator[Board]:
        """A board for every name of a label; one without submissions is empty."""
        since, until = ends(self.columns, key.window, self._now_us)
        codes, names = getattr(self.columns, label), self.columns.names(label)
        known = np.flatnonzero(key.chosen(since, until).rows(self.columns) & (codes >= 0))
        by_name = Segments.of(codes, len(names), rows=known)
        for name, start, count in zip(names, by_name.start, by_name.count, strict=True):
            own = replace(key, where=((label, name),))
            yield self._made(own, by_name.order[start : start + count], (since, until))

    def _boards(self, key: BoardKey) -> Boards:
        wanted = key.value, key.by
        if wanted not in self._ready:
            self._ready[wanted] = Boards.of(
                self.columns, self.composites, value=key.value, unit=key.by, rules=self.rules
            )
        return self._ready[wanted]

    def _made(
        self, key: BoardKey, rows: NDArray[np.int64], window: tuple[int | None, int | None]
    ) -> Board:
        boards = self._boards(key)
        undated = self.columns.finished_us == UNKNOWN_US if window[1] is not None else None
        kept = rows[~self.columns.quarantined[rows]]
        without = kept[np.isnan(boards.values[kept])]
        return Board(
            profile=self.ranking.profile,
            key=key,
            leaderboard=boards.board(rows),
            since_us=window[0],
            until_us=window[1],
            undated=0 if undated is None else int(undated.sum()),
            left_out=self._reasons(key, without),
        )

    def _reasons(self, key: BoardKey, rows: NDArray[np.int64]) -> dict[str, int]:
        if key.value in BOARD_FIGURES:
            return {"not_known": len(rows)} if len(rows) else {}
        counted = Counter(self.composites.reason[rows].tolist())
        named = {str(REASONS[code]) or "not_known": n for code, n in counted.items()}
        return dict(sorted(named.items()))


def figures_of(store: Store) -> MetricColumns:
    """All figures of a store by submission, with what the rules flagged.

    Flags by a statistic depend on who else was there at that moment, and are not counted.
    """
    flags: dict[str, tuple[str, ...]] = {}
    for flag in store.agentic.flags():
        if flag.source.startswith(_RULES):
            known = flags.get(flag.submission_id, ())
            flags[flag.submission_id] = tuple(sorted({*known, flag.kind}))
    return gathered(
        msgspec.structs.replace(row, flags=flags[row.submission_id])
        if row.submission_id in flags
        else row
        for row in store.agentic.metrics()
    )


def write_boards(
    store: Store, ranking: Ranking, *, now_us: int | None = None, raise_flags: bool = True
) -> int:
    """Make all boards of a profile out of the store's figures, and keep those that changed.

    The fronts and the bias report are boards, too; what the latter finds suspicious is flagged
    under ``board:`` and the profile in place of a submission.

    Args:
        store: where figures lie and boards are kept.
        ranking: the profile.
        now_us: the present, in microseconds since 1970; later ends can't be true and move no
            window. None believes them.
        raise_flags: whether suspicions are kept.

    Returns:
        How many boards are not as they were.
    """
    columns = figures_of(store)
    maker = BoardMaker(columns, ranking, now_us=now_us)
    before = store.agentic.board(ranking.profile, INDEX) or {"names": {}}
    report = bias_of(maker, influence=len(columns) <= INFLUENCE_ROWS)
    made = [*_bodies(maker), (BIAS, bias_body(report, maker))]
    index = {name: _hash(body) for name, body in made}
    gone = [(name, _emptied(name, maker)) for name in before["names"] if name not in index]
    changed = [(n, b) for n, b in made if before["names"].get(n) != index[n]]
    inputs = digest(columns)
    if not changed and not gone and before.get("inputs") == inputs:
        return 0
    head = (INDEX, {"names": index, "inputs": inputs, "submissions": len(columns)})
    kept = store.agentic.put_boards(
        StoredBoard(ranking.profile, name, body) for name, body in (*changed, *gone, head)
    )
    if raise_flags:
        store.agentic.add_flags(bias_flags(report, ranking.profile))
    return kept


def board_of(
    store: Store,
    ranking: Ranking,
    key: BoardKey,
    *,
    rules: Rules | None = None,
    now_us: int | None = None,
) -> Board:
    """The stored board of a key; another one is made, and kept while the figures are the same."""
    usual = ranking.rules
    wanted = rules or usual
    name = key.under(wanted, usual)
    if store.agentic.board(ranking.profile, INDEX) is None and not store.database.read_only:
        write_boards(store, ranking, now_us=now_us, raise_flags=False)
    index = store.agentic.board(ranking.profile, INDEX)
    body = store.agentic.board(ranking.profile, name) if index else None
    if index and body and body.pop("inputs", index["inputs"]) == index["inputs"]:
        return Board.of_dict(body)
    columns = figures_of(store)
    made = BoardMaker(columns, ranking, rules=wanted, now_us=now_us).board(key)
    if index and digest(columns) == index["inputs"] and not store.database.read_only:
        kept = made.to_dict() | {"inputs": index["inputs"]}
        store.agentic.put_boards([StoredBoard(ranking.profile, name, kept)])
    return made


def front_of(
    store: Store,
    ranking: Ranking,
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
    columns = figures_of(store)
    rows = key.chosen(*ends(columns, key.window, now_us)).rows(columns)
    made = Fronts.of(columns.take(rows), figure=figure, unit=key.by, rules=wanted)
    return _front_body(made, ranking)


def _front_body(made: Fronts, ranking: Ranking) -> dict[str, Any]:
    return {**made.to_dict(), "profile": ranking.profile}


def bias_of(maker: BoardMaker, *, influence: bool = True) -> BiasReport:
    """The four looks at the boards of these figures."""

    def evaluate(baselines_of: MetricColumns, columns: MetricColumns) -> CompositeColumns:
        return maker.ranking.composites(columns, baselines_of=baselines_of)

    return bias(
        maker.columns,
        maker.composites,
        evaluate=evaluate if influence else None,
        rules=maker.rules,
        tokens=maker.rules.tokens,
    )


def bias_body(report: BiasReport, maker: BoardMaker) -> dict[str, Any]:
    """The report as plain data, with the profile and what is suspicious in words."""
    return {
        "scale": "0-100",
        "profile": maker.ranking.profile,
        "submissions": len(maker.columns),
        "flags": list(report.flags),
        **msgspec.to_builtins(report),
    }


def bias_flags(report: BiasReport, profile: str) -> Iterator[Flag]:
    """A flag for each suspicion; it is about the board, and names it where a submission stands."""
    found = [("bias_residual", one.tool) for one in report.residuals if one.is_flagged]
    found += [("bias_missing", f"{it.tool} {it.figure}") for it in report.missing if it.is_flagged]
    found += [("bias_self_reported", one.figure) for one in report.gaps if one.is_flagged]
    found += [("bias_baseline", one.system) for one in report.influence if one.moved]
    for (kind, about), words in zip(found, report.flags, strict=True):
        yield Flag(
            submission_id=f"board:{profile}",
            kind=kind,
            source=f"{_SOURCE} {about}",
            evidence=words,
        )


def _bodies(maker: BoardMaker) -> Iterable[tuple[str, dict[str, Any]]]:
    for key, label in stored_keys(maker.columns):
        for board in maker.each(key, label) if label else (maker.board(key),):
            yield board.key.name, board.to_dict()
    for figure in FRONT_FIGURES:
        made = Fronts.of(maker.columns, figure=figure, rules=maker.rules)
        yield f"{FRONT}/{figure}", _front_body(made, maker.ranking)


def _emptied(name: str, maker: BoardMaker) -> dict[str, Any]:
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

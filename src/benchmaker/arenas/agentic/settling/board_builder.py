"""One board, or many of the same figures, as plain values; nothing is stored here.

A board is a pure function of a set of figures and a profile: any order of them gives the same
bytes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.bias import BiasReport, analyse_bias
from benchmaker.analysis.boards.board import Leaderboard, Rules, Where
from benchmaker.analysis.boards.board_lines import FlaggedRows
from benchmaker.analysis.boards.board_notes import weights_notes
from benchmaker.analysis.boards.leaderboard import Boards
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.analysis.composite.result import REASONS
from benchmaker.analysis.composite.row_groups import RowGroups
from benchmaker.arenas.agentic.settling.board_keys import BoardKey, Window, window_ends
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import UNKNOWN_US
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES
from benchmaker.structs import resolve_type
from benchmaker.tabular import Tabular

_SOURCE: Final = "bias/1"


class BoardProfile(Protocol):
    """A scoring profile for columns, as passed by an arena to the engine."""

    @property
    def profile(self) -> str:
        """Name and version."""

    @property
    def rules(self) -> Rules:
        """The rules of its boards."""

    def composites(
        self, columns: MetricColumns, *, baselines_of: MetricColumns | None = None
    ) -> CompositeColumns:
        """Return the composites of every row, by the baselines of these or of other rows."""

    def correctness_weights(self, columns: MetricColumns) -> NDArray[np.float64] | None:
        """Return the weight of correctness in each row, if boards have to show it; else None."""


@dataclass(frozen=True, slots=True)
class Board(Tabular):
    """A leaderboard under a profile, with its scope.

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
        """Return the output of ``leaderboard --json``, which is also the stored form.

        The keys of the leaderboard stand on the same level: its scale first, its rows last.
        """
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
            leaderboard=msgspec.convert(dict(body), resolve_type(Leaderboard)),
            since_us=window["since_us"],
            until_us=window["until_us"],
            undated=body["undated"],
            left_out=body["left_out"],
        )


class BoardScope(NamedTuple):
    """The submissions of a board, by row numbers, and the ends of its window."""

    key: BoardKey
    rows: NDArray[np.int64]
    since_us: int | None
    until_us: int | None


class BoardMaker:
    """All boards of one set of figures under one profile; shared parts are computed once."""

    def __init__(
        self,
        columns: MetricColumns,
        ranking: BoardProfile,
        *,
        rules: Rules | None = None,
        now_us: int | None = None,
    ) -> None:
        self.columns, self.ranking = columns, ranking
        self.rules = rules or ranking.rules
        self.composites = ranking.composites(columns)
        self._correctness = ranking.correctness_weights(columns)
        self.flagged = FlaggedRows.of(columns)
        self._now_us = now_us
        self._is_left = columns.quarantined | self.flagged.without_result
        self._all_undated = int((columns.finished_us == UNKNOWN_US).sum())
        self._ready: dict[tuple[str, str], Boards] = {}
        self._shared: dict[BoardKey, Leaderboard] = {}
        self._sizes: dict[tuple[int | None, int | None], int] = {}

    def board(self, key: BoardKey) -> Board:
        """One board."""
        return self.make_board(self.scope(key))

    def scope(self, key: BoardKey) -> BoardScope:
        """The submissions that a board is about."""
        since, until = window_ends(self.columns, key.window, self._now_us)
        return BoardScope(
            key, np.flatnonzero(key.to_filter(since, until).rows(self.columns)), since, until
        )

    def scopes(self, key: BoardKey, label: str) -> Iterator[BoardScope]:
        """Yield the scopes of a board for every name of a label; empty without names."""
        since, until = window_ends(self.columns, key.window, self._now_us)
        codes, names = getattr(self.columns, label), self.columns.names(label)
        known = np.flatnonzero(key.to_filter(since, until).rows(self.columns) & (codes >= 0))
        by_name = RowGroups.of(codes, len(names), rows=known)
        for name, start, count in zip(names, by_name.start, by_name.count, strict=True):
            own = replace(key, where=((label, name),))
            yield BoardScope(own, by_name.order[start : start + count], since, until)

    def count_undated(self, scope: BoardScope) -> int:
        """Return the number of submissions without a time, if the board has a window."""
        if scope.until_us is None:
            return 0
        return self._all_undated

    def _boards(self, key: BoardKey) -> Boards:
        wanted = key.value, key.by
        if wanted not in self._ready:
            self._ready[wanted] = Boards.of(
                self.columns,
                self.composites,
                value=key.value,
                unit=key.by,
                rules=self.rules,
                flagged=self.flagged,
            )
        return self._ready[wanted]

    def make_board(self, scope: BoardScope) -> Board:
        """The board of some submissions."""
        boards = self._boards(scope.key)
        kept = scope.rows[~self._is_left[scope.rows]]
        without = kept[np.isnan(boards.values[kept])]
        return Board(
            profile=self.ranking.profile,
            key=scope.key,
            leaderboard=self._with_notes(self._leaderboard(boards, scope), scope.rows),
            since_us=scope.since_us,
            until_us=scope.until_us,
            undated=self.count_undated(scope),
            left_out=self._reasons(scope.key, without),
        )

    def weights_notes(self, rows: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the note on the weight of correctness among these rows, if boards show it."""
        return notes_on_weights(self._correctness, rows)

    def _with_notes(self, made: Leaderboard, rows: NDArray[np.int64]) -> Leaderboard:
        notes = self.weights_notes(rows)
        return replace(made, notes=(*notes, *made.notes)) if notes else made

    def _leaderboard(self, boards: Boards, scope: BoardScope) -> Leaderboard:
        """The board; boards of the same submissions by the same value are made once."""
        key = self._widest_key(scope)
        made = self._shared.get(key)
        if made is None:
            made = boards.board(scope.rows)
            if key != scope.key or not key.where:
                self._shared[key] = made
        return made

    def _widest_key(self, scope: BoardScope) -> BoardKey:
        """The name of the board of the same submissions in the widest window and scope."""
        size = self._size(scope.since_us, scope.until_us)
        window: Window = "all" if size == len(self.columns) else scope.key.window
        where = () if size == len(scope.rows) else scope.key.where
        return replace(scope.key, window=window, where=where)

    def _size(self, since_us: int | None, until_us: int | None) -> int:
        """Return the number of submissions in a window."""
        ends = since_us, until_us
        if ends not in self._sizes:
            rows = Where(since_us=since_us, until_us=until_us).rows(self.columns)
            self._sizes[ends] = int(rows.sum())
        return self._sizes[ends]

    def _reasons(self, key: BoardKey, rows: NDArray[np.int64]) -> dict[str, int]:
        if key.value in BOARD_FIGURES:
            return {"not_known": len(rows)} if len(rows) else {}
        counted = Counter(self.composites.reason[rows].tolist())
        named = {str(REASONS[code]) or "not_known": n for code, n in counted.items()}
        return dict(sorted(named.items()))


def notes_on_weights(
    weights: NDArray[np.float64] | None, rows: NDArray[np.int64]
) -> tuple[str, ...]:
    """Return the note on the weight of correctness in some rows; empty without weights."""
    if weights is None:
        return ()
    return weights_notes(weights[rows])


def bias_of(maker: BoardMaker, *, influence: bool = True) -> BiasReport:
    """The four looks at the boards of these figures."""

    def evaluate(baselines_of: MetricColumns, columns: MetricColumns) -> CompositeColumns:
        return maker.ranking.composites(columns, baselines_of=baselines_of)

    columns, composites = maker.columns, maker.composites
    if (no_result := columns.without_result()).any():  # what was not handed in has no figures
        columns = columns.take(~no_result)
        composites = maker.ranking.composites(columns)
    return analyse_bias(
        columns,
        composites,
        evaluate=evaluate if influence else None,
        rules=maker.rules,
        tokens=maker.rules.tokens,
    )


def bias_body(report: BiasReport, maker: BoardMaker) -> dict[str, Any]:
    """Return the report as plain data, with the profile and the suspicions in words."""
    return {
        "scale": "0-100",
        "profile": maker.ranking.profile,
        "submissions": int((~maker.columns.without_result()).sum()),
        "flags": list(report.flags),
        **msgspec.to_builtins(report),
    }


def bias_flags(report: BiasReport, profile: str) -> Iterator[Flag]:
    """Yield a flag for each suspicion about the board, with the board's name as its submission."""
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

"""Fingerprints of boards: a board with an unchanged fingerprint is not made again.

A board depends only on its submissions, in any order: on their figures and names, and on their
scores by the profile. So every submission has a 128-bit number for these, and a board's fingerprint
is their sum. A new submission does not change the fingerprints of boards that it is not on and
whose scores it does not affect.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.boards.board import SCORES, Rules
from benchmaker.analysis.boards.board_lines import board_values
from benchmaker.analysis.composite.composite_columns import CompositeColumns
from benchmaker.record.submissions.metric_columns import (
    LABELS_AND_ISOLATION,
    UNLABELLED,
    MetricColumns,
)
from benchmaker.record.submissions.metrics import HARMLESS, NO_RESULT, REGISTERED
from benchmaker.record.submissions.scored_figures import BOARD_FIGURES

Mixed = NDArray[np.uint64]

MADE_BY: Final = "boards/7"
"""Version of the computation; raise it when the same figures yield a different board."""

_WORD_BYTES: Final = 8
_MOST_WORDS: Final = 16
"""Longer ids are hashed, as other texts are."""

_NOBODY: Final = "\0"
"""Stands for no name at all."""

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@dataclass(slots=True)
class BoardFingerprints:
    """The numbers of all submissions, from which the marks of boards are summed."""

    columns: MetricColumns
    composites: CompositeColumns
    rules: Rules
    stamp: str
    _base: Mixed = field(init=False)
    _by_value: dict[str, Mixed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._base = _mix(_id_bits(self.columns.ids), _row_bits(self.columns))
        self._base = _mix(self._base, _bits(self.composites.n_stood_in))

    def value_fingerprint(
        self, value: str, rows: NDArray[np.int64], about: Sequence[int | str | None]
    ) -> str:
        """Return the fingerprint of a board by a value among these rows, with its other content."""
        if value not in self._by_value:
            self._by_value[value] = self._mix_values(value)
        return self._sum_digest(self._by_value[value][:, rows], about)

    def full_fingerprint(self, about: Sequence[int | str | None]) -> str:
        """Return the fingerprint of a board of every submission, composites included."""
        return self.value_fingerprint("overall", np.arange(len(self.columns)), about)

    def _mix_values(self, value: str) -> Mixed:
        values = board_values(self.columns, self.composites, value, rules=self.rules)
        made = _mix(self._base, _bits(values))
        if value in BOARD_FIGURES:
            return made
        made = _mix(made, _bits(self.composites.reason))
        return self._mix_counting(made, value) if value in SCORES else made

    def _mix_counting(self, made: Mixed, value: str) -> Mixed:
        """Mix in the upper ends, and the decision on each row's task."""
        by_task = np.zeros((2, len(self.columns.tasks)), np.uint64)
        for column in self._counting_arrays():
            by_task = _mix(by_task, _bits(column))
        made = _mix(made, _bits(self.composites.upper_part(value)))
        return _mix(made, by_task[:, self.columns.task])

    def _counting_arrays(self) -> Iterator[NDArray[Any]]:
        """By task: which figures count, and whether the baseline is borrowed."""
        for counting in (self.composites.counting, self.composites.unranked):
            if counting is not None:
                yield from (counting.rows, *counting.having.values())
        if self.composites.borrowed is not None:
            yield self.composites.borrowed

    def _sum_digest(self, chosen: Mixed, about: Sequence[int | str | None]) -> str:
        sums = np.add.reduce(chosen, axis=1).tolist()
        parts = (MADE_BY, self.stamp, repr(self.rules), chosen.shape[1], *sums, *about)
        return sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def _row_bits(columns: MetricColumns) -> Mixed:
    """All figures and names of every row: 2 × rows."""
    made = np.zeros((2, len(columns)), np.uint64)
    for name in UNLABELLED:
        made = _mix(made, _bits(getattr(columns, name)))
    for label in LABELS_AND_ISOLATION:
        known = _text_bits((*columns.names(label), _NOBODY))
        made = _mix(made, known[:, getattr(columns, label)])
    flagged = np.zeros(len(columns), np.uint64)
    for row, kinds in columns.flags.items():
        flagged[row] = _kind(kinds)
    return _mix(made, flagged)


def _kind(kinds: Sequence[str]) -> int:
    """Return a number for the row's kind: flagged, registered, without a result."""
    is_flagged = any(one not in HARMLESS for one in kinds)
    return is_flagged + 2 * (REGISTERED in kinds) + 4 * (NO_RESULT in kinds)


def _id_bits(ids: Sequence[str]) -> Mixed:
    """128 bits of each id: 2 × ids; ours to make, so that they need not withstand anybody's search.

    An id's number depends on its own words of eight bytes alone, not on how long others are.
    """
    encoded = [one.encode(errors="surrogatepass") for one in ids]
    sizes = np.fromiter(map(len, encoded), np.uint64, len(encoded))
    words = -(-int(sizes.max(initial=0)) // _WORD_BYTES)
    if not 0 < words <= _MOST_WORDS:
        return _text_bits(ids)
    made = _mix(np.zeros((2, len(encoded)), np.uint64), sizes)
    padded = np.array(encoded, f"S{words * _WORD_BYTES}").view("<u8").reshape(-1, words)
    for number, column in enumerate(padded.T):
        made = np.where(sizes > number * _WORD_BYTES, _mix(made, column), made)
    return made


def _text_bits(texts: Sequence[str]) -> Mixed:
    """128 bits of each text: 2 × texts."""
    made = b"".join(sha256(text.encode(errors="surrogatepass")).digest()[:16] for text in texts)
    return np.ascontiguousarray(np.frombuffer(made, "<u8").reshape(-1, 2).T).astype(np.uint64)


def _bits(column: NDArray[Any]) -> Mixed:
    """Numbers as whole ones; every NaN alike, and 0 as -0."""
    if column.dtype.kind != "f":
        return column.astype(np.int64).view(np.uint64)
    plain = np.where(np.isnan(column), np.nan, column + 0.0)
    return np.ascontiguousarray(plain, np.float64).view(np.uint64)


def _mix(state: Mixed, more: Mixed) -> Mixed:
    """The state with more taken in, by the finaliser of SplitMix64 (Steele, Lea, Flood 2014)."""
    odd = np.array([[1], [3]], np.uint64) * _GOLDEN
    found: Mixed = more + odd
    found ^= state
    found *= _GOLDEN
    shifted = found >> np.uint64(30)
    found ^= shifted
    found *= _FIRST
    found ^= np.right_shift(found, np.uint64(27), out=shifted)
    found *= _SECOND
    found ^= np.right_shift(found, np.uint64(31), out=shifted)
    return found

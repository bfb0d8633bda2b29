"""The composites of many submissions as rows to show: the scores and the reasons, without terms.

They equal the composite of each, see :mod:`benchmaker.analysis.composite.composite`.
"""

from collections.abc import Callable, Iterator, Mapping
from math import isnan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmaker.analysis.composite.classic_terms import published_warnings
from benchmaker.analysis.composite.composite_columns import CompositeColumns, stand_ins
from benchmaker.analysis.composite.counting_figures import is_ranked
from benchmaker.analysis.composite.result import REASONS, Reason, detail_of, failure, words_of
from benchmaker.analysis.composite.snapshots import ClassicSnapshot, RobustSnapshot, Snapshot
from benchmaker.record.submissions.metric_columns import MetricColumns

Mask = NDArray[np.bool_]

SCORES = ("overall", "efficiency", "speed", "cost", "correctness", "adjusted")
_HIGH = ("overall", "efficiency", "speed", "cost")
_HAS_TERMS = frozenset({Reason.NONE, Reason.WEIGHTLESS})
_HAS_DETAIL = frozenset({Reason.REFUSED, Reason.NO_TOKENS})


class CompositeRow(NamedTuple):
    """One composite; the fields as in :class:`~benchmaker.analysis.composite.result.Composite`.

    ``scores`` holds those of ``SCORES``, None if missing.
    """

    scores: Mapping[str, float | None]
    reason: Reason
    words: str
    stand_ins: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    upper: Mapping[str, float] = {}
    provisional_reason: str = ""

    @property
    def provisional(self) -> bool:
        """True if the decision on the figures that count is open or provisional."""
        return bool(self.provisional_reason)


def composite_rows(
    columns: MetricColumns, scores: CompositeColumns, snapshot: Snapshot
) -> Callable[[int], CompositeRow]:
    """Return a lookup of the composite of a row by its number.

    Args:
        columns: the submissions to one task.
        scores: their composites.
        snapshot: the baseline that these were made under.
    """
    listed = {name: scores.part(name).tolist() for name in SCORES}
    highs = {name: scores.upper_part(name).tolist() for name in _HIGH if name in scores.upper}
    required = columns.required_passed.tolist()
    reasons = [REASONS[code] for code in scores.reason.tolist()]
    doubts = _provisional_reasons(columns, snapshot)
    of_family = _classic_rows(columns) if isinstance(snapshot, ClassicSnapshot) else _plain_row

    def row(at: int) -> CompositeRow:
        found = {name: _none_if_nan(values[at]) for name, values in listed.items()}
        reason = reasons[at]
        if reason is Reason.NONE and found["overall"] is None:
            reason = Reason.WEIGHTLESS
        detail = detail_of(columns.row(at), reason) if reason in _HAS_DETAIL else ""
        if reason is Reason.FAILED:
            detail = failure(by_criteria=not required[at])
        made = of_family(at, CompositeRow(found, reason, words_of(reason, detail)))
        return made._replace(
            upper=dict(_upper_ends(found, highs, at)),
            provisional_reason=doubts[at] if reason in _HAS_TERMS else "",
        )

    return row


def _plain_row(_at: int, made: CompositeRow) -> CompositeRow:
    return made


def _classic_rows(columns: MetricColumns) -> Callable[[int, CompositeRow], CompositeRow]:
    """Return a function that adds the published rules' remarks to evaluated rows."""
    tokens = columns.total_tokens.tolist()
    missing = {name: mask.tolist() for name, mask in stand_ins(columns).items()}

    def row(at: int, made: CompositeRow) -> CompositeRow:
        if made.reason is not Reason.NONE:
            return made
        stood_in = tuple(name for name, is_missing in missing.items() if is_missing[at])
        efficiency, speed = made.scores["efficiency"] or 0.0, made.scores["speed"] or 0.0
        warnings = published_warnings(tokens[at], efficiency, speed)
        return made._replace(stand_ins=stood_in, warnings=warnings)

    return row


def _provisional_reasons(columns: MetricColumns, snapshot: Snapshot) -> list[str]:
    """Why the scores of each row are provisional; empty if they are not."""
    if not isinstance(snapshot, RobustSnapshot):
        return [""] * len(columns)
    words = [snapshot.provisional_reason(is_ranked=it) for it in (False, True)]
    return [words[it] for it in is_ranked(columns, snapshot.ranked).tolist()]


def _upper_ends(
    scores: Mapping[str, float | None], highs: Mapping[str, list[float]], at: int
) -> Iterator[tuple[str, float]]:
    """The upper ends of the scores that are ranges."""
    for name, values in highs.items():
        high = values[at]
        if scores[name] is not None and high != scores[name]:
            yield name, high


def _none_if_nan(value: float) -> float | None:
    return None if isnan(value) else value

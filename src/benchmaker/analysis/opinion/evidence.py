"""The evidence of a second opinion: the rows behind a figure, and the figure itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from benchmaker.analysis.opinion.means import Reduce, mean_of_rows, values_by_case

EXAMPLES = 5
SAME = 1e-6
"""Two figures that differ by less are equal."""

_LEAST_EFFECT = 0.05
"""Points; smaller effects are 0.0 in tables."""


class JudgeReply(NamedTuple):
    """A judge's reply to one answer; ``is_readable`` is false if it holds no grade."""

    judge: str
    is_readable: bool


class OpinionRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer behind a figure.

    ``value`` is the tool's score from 0 to 1; None without one. ``is_error`` is true if the request
    failed, ``is_cut`` if the answer ended at a token limit, and ``is_empty`` if it holds neither
    text nor calls of tools. ``shows_key`` is true if the prompt has the question with its key.
    ``reread`` is 1 or 0 if the answer could be compared with the key again, else None.
    ``question`` identifies the case by content.
    ``others`` are all scores of the tool, ``groups`` the parts of the evaluation that the case
    belongs to, by the name of the grouping.
    """

    case_id: str
    value: float | None = None
    is_error: bool = False
    is_cut: bool = False
    is_empty: bool = False
    shows_key: bool = False
    text: str = ""
    question: str = ""
    key: tuple[str, ...] = ()
    reread: float | None = None
    replies: tuple[JudgeReply, ...] = ()
    others: dict[str, float | None] = {}
    groups: dict[str, str] = {}


class OpinionFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A fault behind a figure.

    ``rows`` counts the rows concerned. ``effect_points`` is the figure less the figure with the
    fault corrected, from −100 to 100; for too few cases, half the width of the interval.
    ``further`` is the number of cases to add, where more cases are the remedy. ``examples`` are
    some of the rows, and ``case_ids`` the cases of all of them, which JSON leaves out.
    """

    kind: str
    rows: int
    effect_points: float
    examples: tuple[dict[str, Any], ...] = ()
    further: int | None = None
    case_ids: tuple[str, ...] = ()

    @property
    def has_effect(self) -> bool:
        """True if the effect is not 0 with the one decimal that tables have."""
        return abs(self.effect_points) >= _LEAST_EFFECT

    def to_dict(self) -> dict[str, Any]:
        """Plain data by the names of its fields."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        del found["case_ids"]
        if self.further is None:
            del found["further"]
        return found


class Counted(NamedTuple):
    """A row with the value that it has in a mean."""

    row: OpinionRow
    value: float


@dataclass(frozen=True)
class OpinionEvidence:
    """The rows behind a figure of one model, and those of other models on the same cases.

    ``printed`` is the tool's own figure from 0 to 1, if the file states one, ``rounding`` the most
    by which its digits are rounded, and ``recomputed`` the same figure from the rows by the tool's
    formula. ``declared`` is the number of rows that the file says it has. With ``by_case``, the
    tool averages repeats before cases, or makes one value of them by ``reduce``. With
    ``counts_errors``, failed requests are zeros in its mean. ``stderrs`` are the standard errors
    that the files state, by model; ``day`` is that of the evaluation.
    """

    tool: str
    model: str
    scorer: str
    rows: Sequence[OpinionRow]
    printed: float | None = None
    rounding: float = 0.0
    recomputed: float | None = None
    declared: int | None = None
    by_case: bool = False
    reduce: Reduce | None = None
    counts_errors: bool = False
    peers: Mapping[str, Sequence[OpinionRow]] = field(default_factory=dict)
    stderrs: Mapping[str, float] = field(default_factory=dict)
    day: date | None = None

    @cached_property
    def in_mean(self) -> list[Counted]:
        """The rows in the tool's mean."""
        return self.in_mean_of(self.rows)

    def in_mean_of(self, rows: Iterable[OpinionRow]) -> list[Counted]:
        """The rows that are in the tool's mean, with their values."""
        return [
            Counted(row, row.value or 0.0)
            for row in rows
            if row.value is not None or (row.is_error and self.counts_errors)
        ]

    @cached_property
    def mean(self) -> float | None:
        """The tool's mean, computed from the rows; None without rows."""
        return self.mean_of(self.in_mean)

    def mean_of(self, counted: Iterable[Counted]) -> float | None:
        """The mean of other values, in the tool's way; None without values."""
        pairs = [(one.row.case_id, one.value) for one in counted]
        return mean_of_rows(pairs, by_case=self.by_case, reduce=self.reduce)

    def case_values(self, counted: Iterable[Counted]) -> dict[str, float]:
        """The value of each case, in the tool's way of making one of its repeats."""
        return values_by_case(((one.row.case_id, one.value) for one in counted), self.reduce)

    @property
    def differs(self) -> bool:
        """True if the file states another figure than its rows give."""
        known = self.printed is not None and self.mean is not None
        return known and not self.is_stated(self.mean)

    def is_stated(self, value: float | None) -> bool:
        """True if the file states this value, but for the rounding of its digits."""
        if self.printed is None or value is None:
            return False
        return abs(self.printed - value) <= SAME + self.rounding


def finding_without(
    kind: str, rows: Sequence[OpinionRow], evidence: OpinionEvidence
) -> OpinionFinding | None:
    """Return a finding on rows of the mean, which the corrected figure excludes."""
    held = {id(row) for row in rows}
    corrected = evidence.mean_of(one for one in evidence.in_mean if id(one.row) not in held)
    return finding(kind, rows, effect_of(evidence.mean, corrected))


def effect_of(headline: float | None, corrected: float | None) -> float | None:
    """Return a figure less the corrected one in points; None if one is missing."""
    return None if headline is None or corrected is None else 100.0 * (headline - corrected)


def finding(
    kind: str, rows: Sequence[OpinionRow], effect: float | None, *, further: int = 0
) -> OpinionFinding | None:
    """Return a finding on these rows, with the first of them; None without rows or effect.

    ``further`` rows are concerned, too, but not in the file.
    """
    if effect is None or not (rows or further):
        return None
    return OpinionFinding(
        kind=kind,
        rows=len(rows) + further,
        effect_points=effect,
        examples=tuple(map(example, rows[:EXAMPLES])),
        case_ids=tuple(dict.fromkeys(row.case_id for row in rows)),
    )


def example(row: OpinionRow) -> dict[str, Any]:
    """Return a row as an example: its case, its answer, the key and the tool's score."""
    return {
        "case_id": row.case_id,
        "answer": row.text[:200],
        "expected": list(row.key),
        "score": row.value,
    }

"""Figures of many submissions as columns, which boards read without building row objects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from benchmaker.record.submissions.metrics import (
    EVIDENCE_LEVELS,
    FIGURES_REFUSED,
    FREE,
    MOST,
    NO_RESULT,
    NUMBERS,
    PROVENANCES,
    STATUSES,
    TOKENS,
    UNKNOWN_US,
    Metrics,
    TokensView,
)
from benchmaker.record.submissions.scored_figures import SCORED_FIGURES, Figure

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Small = NDArray[np.int8]
Rows = NDArray[np.bool_] | NDArray[np.int64]

UNKNOWN = -1
"""The code of an unknown label."""

LABELS = ("task", "system", "category", "difficulty", "tool", "model", "effort", "submitter")
LABELS_AND_ISOLATION = (*LABELS, "isolation")

_FIELDS = {"task": "task_id"}
NAMES_OF = {
    label: f"{label[:-1]}ies" if label.endswith("y") else f"{label}s"
    for label in LABELS_AND_ISOLATION
}
"""The field that holds a label's names."""


@dataclass(frozen=True, slots=True, eq=False)
class TextView(Sequence[str]):
    """Some of many texts, looked up only where they are read."""

    texts: Sequence[str]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], places: NDArray[np.int64]) -> "TextView":
        """The texts at some places; a choice of a choice is one choice."""
        if isinstance(texts, TextView):
            return cls(texts.texts, texts.places[places])
        return cls(texts, places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return TextView(self.texts, self.places[place])
        return self.texts[int(self.places[place])]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.places.tolist())

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class MetricColumns:
    """One row a submission, as in :class:`~benchmaker.record.submissions.metrics.Metrics`; n rows.

    Labels are codes into the sorted tuple of their names, -1 for none. Numbers are NaN where they
    are missing. ``required_passed`` and ``success`` are 1, 0 or -1 (unknown); ``evidence``,
    ``outcome`` and ``provenance`` codes into ``EVIDENCE_LEVELS``, ``STATUSES`` and ``PROVENANCES``
    (-1 for none). ``flags`` holds the rows that carry any.
    """

    tasks: tuple[str, ...]
    systems: tuple[str, ...]
    categories: tuple[str, ...]
    difficulties: tuple[str, ...]
    tools: tuple[str, ...]
    models: tuple[str, ...]
    efforts: tuple[str, ...]
    submitters: tuple[str, ...]
    isolations: tuple[str, ...]
    ids: Sequence[str]
    task: Codes
    system: Codes
    category: Codes
    difficulty: Codes
    tool: Codes
    model: Codes
    effort: Codes
    submitter: Codes
    isolation: Codes
    attempt: Codes
    attempts: Codes
    finished_us: NDArray[np.int64]
    total_tokens: Floats
    fresh_tokens: Floats
    cost_weighted: Floats
    tool_calls: Floats
    iterations: Floats
    seconds: Floats
    cost: Floats
    correctness: Floats
    required_passed: Small
    success: Small
    evidence: Small
    outcome: Small
    provenance: Small
    quarantined: NDArray[np.bool_]
    flags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.task)

    @classmethod
    def of(cls, rows: Iterable[Metrics]) -> "MetricColumns":
        """The rows in the order in which they come."""
        listed = list(rows)
        parts: dict[str, Any] = {
            name: _numbers(list(map(attrgetter(name), listed))) for name in NUMBERS
        }
        for name in LABELS_AND_ISOLATION:
            found = list(map(attrgetter(_FIELDS.get(name, name)), listed))
            parts[NAMES_OF[name]], parts[name] = _encode_labels(found)
        return cls(
            **parts,
            ids=[row.submission_id for row in listed],
            attempt=np.array([row.attempt for row in listed], np.int32),
            attempts=np.array([row.attempts for row in listed], np.int32),
            finished_us=np.array([row.order[0] for row in listed], np.int64),
            required_passed=_encode_bools([row.required_passed for row in listed]),
            success=_encode_bools([row.success for row in listed]),
            evidence=_places([row.evidence_level for row in listed], EVIDENCE_LEVELS),
            outcome=_places([row.outcome for row in listed], STATUSES),
            provenance=_places([row.provenance for row in listed], PROVENANCES),
            quarantined=np.array([row.quarantined for row in listed], np.bool_),
            flags={number: row.flags for number, row in enumerate(listed) if row.flags},
        )

    def take(self, rows: Rows) -> "MetricColumns":
        """The chosen rows (a mask, or row numbers); names stay, used or not."""
        is_mask = rows.dtype == np.bool_
        chosen: NDArray[np.int64] = (np.flatnonzero(rows) if is_mask else rows).astype(np.int64)
        parts = {
            part.name: getattr(self, part.name)[chosen]
            for part in fields(self)
            if isinstance(getattr(self, part.name), np.ndarray) and part.name != "ids"
        }
        flags = {
            new: self.flags[old]
            for new, old in (enumerate(chosen.tolist()) if self.flags else ())
            if old in self.flags
        }
        return replace(self, **parts, flags=flags, ids=TextView.of(self.ids, chosen))

    def without_result(self) -> NDArray[np.bool_]:
        """Return a mask of rows that are registered attempts without a submission."""
        return self._has_flag(NO_RESULT)

    def rows(self) -> Iterator[Metrics]:
        """Every row as a value of its own."""
        return (self.row(number) for number in range(len(self)))

    def row(self, number: int) -> Metrics:
        """One row; numbers come back as floats."""
        parts: dict[str, Any] = {
            name: _none_if_nan(getattr(self, name)[number]) for name in NUMBERS
        }
        for name in LABELS_AND_ISOLATION:
            parts[_FIELDS.get(name, name)] = self.label(name, number)
        finished, provenance = int(self.finished_us[number]), int(self.provenance[number])
        return Metrics(
            **parts,
            submission_id=self.ids[number],
            attempt=int(self.attempt[number]),
            attempts=int(self.attempts[number]),
            finished_us=None if finished == UNKNOWN_US else finished,
            required_passed=_decode_bool(self.required_passed[number]),
            success=_decode_bool(self.success[number]),
            evidence_level=EVIDENCE_LEVELS[self.evidence[number]],
            outcome=STATUSES[self.outcome[number]],
            provenance=None if provenance == UNKNOWN else PROVENANCES[provenance],
            quarantined=bool(self.quarantined[number]),
            flags=self.flags.get(number, ()),
        )

    def figure(self, name: Figure, *, tokens: TokensView) -> Floats:
        """Return one of ``FIGURES``; ``tokens`` selects the token count."""
        column: Floats = getattr(self, TOKENS[tokens] if name == "tokens" else name)
        return column

    def valid_figure(self, name: Figure, *, tokens: TokensView) -> Floats:
        """As :meth:`Metrics.valid_figure`, NaN for none."""
        values = self.figure(name, tokens=tokens)
        row = SCORED_FIGURES[name]
        can_be = (values >= row.least) & (values <= MOST)
        if row.least_per_fresh_token:
            can_be &= ~_is_below(values, self.fresh_tokens, row.least_per_fresh_token)
        if row.least_per_token:
            can_be &= ~_is_below(values, self.total_tokens, row.least_per_token)
        if name == "cost":
            can_be |= (values == 0) & self._has_flag(FREE)
        return np.where(can_be, values, np.nan)

    def has_total_alone(self, tokens: TokensView) -> NDArray[np.bool_]:
        """The rows with a total of tokens, but without fresh ones, if these count."""
        is_alone: NDArray[np.bool_] = ~np.isnan(self.total_tokens) & np.isnan(self.fresh_tokens)
        return is_alone if tokens == "fresh" else np.zeros(len(self), np.bool_)

    def names(self, label: str) -> tuple[str, ...]:
        """The names behind the codes of one of ``LABELS``."""
        names: tuple[str, ...] = getattr(self, NAMES_OF[label])
        return names

    @property
    def gate(self) -> NDArray[np.bool_]:
        """As :attr:`Metrics.gate`."""
        passed: NDArray[np.bool_] = (self.required_passed != 0) & (self.success != 0)
        return passed

    @property
    def is_faulty(self) -> NDArray[np.bool_]:
        """Rows with a figure that can't be true, as :attr:`Metrics.faults`."""
        wrong = (self.iterations < 1) | (self.correctness > 1) | self._has_flag(FIGURES_REFUSED)
        for name in NUMBERS:
            column: Floats = getattr(self, name)
            wrong |= (column < 0) | np.isposinf(column)
        return wrong

    def rows_with_flags(self, are_meant: Callable[[Sequence[str]], bool]) -> NDArray[np.bool_]:
        """Return a mask of rows with any of the selected flags."""
        found = np.zeros(len(self), np.bool_)
        found[[row for row, kinds in self.flags.items() if are_meant(kinds)]] = True
        return found

    def _has_flag(self, kind: str) -> NDArray[np.bool_]:
        return self.rows_with_flags(lambda kinds: kind in kinds)

    def label(self, name: str, number: int) -> str | None:
        """One of ``LABELS_AND_ISOLATION`` of a row; None where it has none."""
        code = int(getattr(self, name)[number])
        return None if code == UNKNOWN else self.names(name)[code]


UNLABELLED = tuple(
    part.name
    for part in fields(MetricColumns)
    if part.name not in {"ids", "flags", *NAMES_OF, *NAMES_OF.values()}
)
"""The columns that hold no labels, in their order."""


def _is_below(values: Floats, tokens: Floats, least: float) -> NDArray[np.bool_]:
    """Return a mask of figures below the minimum for their tokens, where these are plausible."""
    is_below: NDArray[np.bool_] = (values < tokens * least) & (tokens <= MOST)
    return is_below


def _encode_labels(labels: Sequence[str | None]) -> tuple[tuple[str, ...], Codes]:
    names = tuple(sorted({label for label in labels if label is not None}))
    code: dict[str | None, int] = {name: number for number, name in enumerate(names)}
    code[None] = UNKNOWN
    return names, np.array([code[label] for label in labels], np.int32)


def _places(values: Sequence[object], known: tuple[object, ...]) -> Small:
    code: dict[object, int] = {value: number for number, value in enumerate(known)}
    return np.array([code.get(value, UNKNOWN) for value in values], np.int8)


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _encode_bools(values: Sequence[bool | None]) -> Small:
    return np.array([UNKNOWN if value is None else int(value) for value in values], np.int8)


def _decode_bool(code: np.int8) -> bool | None:
    return None if code == UNKNOWN else bool(code)


def _none_if_nan(number: np.float64) -> float | None:
    return None if np.isnan(number) else float(number)

"""The cases of a run or series that an address selects, in its order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from fastapi import Request
from numpy.typing import NDArray

from benchmaker.errors import SpecError
from benchmaker.store import Store
from benchmaker.store.database.paging import decode_cursor, encode_cursor
from benchmaker.store.runs.case_pages import Neighbours
from benchmaker.store.runs.case_search import SCANNED_BYTES
from benchmaker.web.query import View, read_view
from benchmaker.web.results.changes import CHANGED, paired_columns
from benchmaker.web.results.run_cache import CasesOverview, OverviewCache, Unit
from benchmaker.web.results.subject import Subject
from benchmaker.web.workbench import Workbench

OUTCOMES = {"failed_by_model": "bad", "infrastructure": "infra", "unscored": "none"}
"""The filters of cases, with the group of outcomes each stands for."""

FILTERS = ("failed", "disagree", "below", "outcome", "changed", "category", "tag", "from")
"""The words of an address that select cases, besides ``q``."""

_LAST = 2.0
"""Behind every score, for cases without one."""

_SUITES = 8
_NUMBER = re.compile(r"[0-9]{1,10}(\.[0-9]{1,6})?")

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CaseOrder:
    """The selected rows of a grid in the requested order, with each one's sort value.

    ``end`` is the first case that was not searched, None if all were.
    """

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    position: NDArray[np.int64]
    descending: bool
    end: int | None = None

    def page(self, after: str, limit: int) -> tuple[list[int], str, str | None]:
        """The rows behind a place, and the places behind them and before them.

        The former is "" at the end; the latter is "" for the first page and None before it.
        """
        first = self._first_row(after)
        found = self.rows[first : first + limit].tolist()
        more = first + limit < len(self.rows)
        return (
            found,
            self._cursor(first + limit - 1) if more else "",
            None if first == 0 else self._cursor(first - limit - 1) if first > limit else "",
        )

    def neighbours(self, position: int) -> Neighbours:
        """The selected cases before and after one; those at the ends where it is not selected."""
        places = self.position[self.rows]
        at = np.flatnonzero(places == position)
        if not len(at):
            return Neighbours(None, int(places[0]) if len(places) else None)
        here = int(at[0])
        return Neighbours(
            int(places[here - 1]) if here else None,
            int(places[here + 1]) if here + 1 < len(places) else None,
        )

    def _cursor(self, at: int) -> str:
        row = self.rows[at]
        return encode_cursor(float(self.values[row]), int(self.position[row]))

    def _first_row(self, after: str) -> int:
        place = decode_cursor(after)
        if place is None:
            return 0
        value, position = float(place[0]), place[1]
        values, positions = self.values[self.rows], self.position[self.rows]
        if self.descending:
            is_before = (values > value) | ((values == value) & (positions >= position))
        else:
            is_before = (values < value) | ((values == value) & (positions <= position))
        return int(is_before.sum())


def case_view(request: Request, subject: Subject, **more: Sequence[str] | None) -> View:
    """The words of the address of a table of cases, with ``more`` of a page about one."""
    numbers = [f"m{at}" for at in range(len(subject.run.models))]
    view = read_view(
        request,
        sortable=("case", "mean", *numbers),
        columns=numbers,
        filters={
            **dict.fromkeys(FILTERS),
            "failed": ("1",),
            "disagree": ("1",),
            "outcome": tuple(OUTCOMES),
            "show": ("answers", "scores"),
            **more,
        },
        sort="case",
    )
    _number(view, "below", most=100)
    _number(view, "from", most=10**9)
    return view


def selection_words(view: View) -> dict[str, str]:
    """The words of a view that select and order cases, to be kept on the page of one."""
    kept = ("q", *FILTERS, "sort", "cols")
    words = {name: value for name, value in view.words.items() if name in kept and value}
    return words if words.keys() != {"sort"} or words["sort"] != "case" else {}


def is_filtered(view: View) -> bool:
    """True if an address selects some cases only."""
    return bool(view.q or any(view.filters.get(name) for name in FILTERS))


def order_of(
    bench: Workbench,
    known: OverviewCache,
    made: CasesOverview,
    subject: Subject,
    view: View,
    *,
    is_whole: bool = False,
) -> CaseOrder:
    """Return the selected rows in order; cases without a value come last.

    A search ends after a number of bytes of answers, unless ``is_whole``.
    """
    grid = made.grid
    values = _values(made, subject, view.sort)
    is_missing = np.isnan(values)
    values = np.where(is_missing, -1.0 if view.descending else _LAST, values)
    rows = np.lexsort((grid.position, values))
    if view.descending:
        rows = rows[::-1]
    kept = _by_scores(made, subject, view) & _by_labels(bench.store, made, subject, view)
    if view.filters["changed"]:
        changed = _changed_cases(bench.store, known, subject, view)
        kept &= np.isin(grid.position, changed)
    end = None
    first = int(_number(view, "from", most=10**9) or 0)
    kept &= grid.position >= first
    if view.q:
        found = bench.store.case_search.positions(
            subject.run_ids, view.q, first=first, most_bytes=None if is_whole else SCANNED_BYTES
        )
        kept &= np.isin(grid.position, found.positions)
        end = found.end
    return CaseOrder(rows[kept[rows]], values, grid.position, view.descending, end)


def _values(made: CasesOverview, subject: Subject, sort: str) -> NDArray[np.float64]:
    if sort == "mean":
        return made.grid.case_mean
    if sort.startswith("m"):
        column = made.grid.models.index(subject.model(sort[1:]))
        found: NDArray[np.float64] = made.grid.mean[:, column]
        return found
    return made.grid.position.astype(np.float64)


def _by_scores(made: CasesOverview, subject: Subject, view: View) -> Mask:
    """The rows that the filters by scores and outcomes keep, over the chosen setups."""
    grid = made.grid
    columns = [grid.models.index(subject.model(word[1:])) for word in view.columns]
    chosen = columns or list(range(len(grid.models)))
    mean = grid.mean[:, chosen]
    kept: Mask = np.ones(len(grid), bool)
    below = _number(view, "below", most=100)
    if below is not None:
        kept &= np.any(np.nan_to_num(mean, nan=_LAST) < below / 100, axis=1)
    if view.filters["failed"]:
        kept &= np.any(grid.failed[:, chosen], axis=1)
    if view.filters["disagree"]:
        low = np.nan_to_num(mean, nan=_LAST).min(axis=1, initial=_LAST)
        high = np.nan_to_num(mean, nan=-1.0).max(axis=1, initial=-1.0)
        kept &= high - low > CHANGED
    if view.filters["outcome"]:
        kept &= grid.rows_with_group(OUTCOMES[view.filters["outcome"]], chosen)
    return kept


def _by_labels(store: Store, made: CasesOverview, subject: Subject, view: View) -> Mask:
    kept: Mask = np.ones(len(made.grid), bool)
    for word in ("category", "tag"):
        if value := view.filters[word]:
            known = suite_labels(store, subject.run.suite_hash)
            of = known.categories if word == "category" else known.tags
            kept &= np.isin(made.grid.position, of.get(value, ()))
    return kept


def _changed_cases(store: Store, known: OverviewCache, subject: Subject, view: View) -> list[int]:
    """The cases whose score by the same setup differs from that in another run or series."""
    name = view.filters["changed"]
    found = store.resolve(name)
    if set(found.run_ids) & set(subject.run_ids):
        raise SpecError(
            f"invalid value for changed: {name[:40]!r}.", hint="Give another run than this one."
        )
    own = Unit(subject.id, subject.run_ids)
    other = Unit(found.series_id or found.run_ids[0], tuple(found.run_ids))
    both = known.cases_of(store, (own, other))
    pairs = paired_columns(both, own, other)
    grid = both.grid
    now, then = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    apart = np.abs(np.nan_to_num(grid.mean[:, now] - grid.mean[:, then], nan=0.0))
    places = grid.position[apart.max(axis=1, initial=0.0) > CHANGED].tolist()
    moved = both.places.get(subject.run.id, {})
    return [moved.get(place, place) for place in places]


class SuiteLabels(NamedTuple):
    """The categories and tags of a suite's cases, each with the positions of its cases."""

    categories: Mapping[str, Sequence[int]]
    tags: Mapping[str, Sequence[int]]


_KEPT: dict[str, SuiteLabels] = {}


def suite_labels(store: Store, suite_hash: str) -> SuiteLabels:
    """Return the categories and tags of a suite; those of the last few are kept.

    They never change, since the hash is that of the whole content.
    """
    made = _KEPT.get(suite_hash)
    if made is None:
        made = _read_labels(store, suite_hash)
        for oldest in list(_KEPT)[: max(0, len(_KEPT) - _SUITES + 1)]:
            _KEPT.pop(oldest, None)
        _KEPT[suite_hash] = made
    return made


def _read_labels(store: Store, suite_hash: str) -> SuiteLabels:
    categories: dict[str, list[int]] = {}
    tags: dict[str, list[int]] = {}
    for position, category, own in store.case_search.labels(suite_hash):
        if category is not None:
            categories.setdefault(category, []).append(position)
        for tag in own:
            tags.setdefault(tag, []).append(position)
    return SuiteLabels(categories, tags)


def _number(view: View, word: str, *, most: int) -> float | None:
    text = view.filters[word]
    if not text:
        return None
    if not (_NUMBER.fullmatch(text) and float(text) <= most):
        hint = f"Give a number from 0 to {most:,}."
        raise SpecError(f"invalid value for {word}: {text[:40]!r}.", hint=hint)
    return float(text)

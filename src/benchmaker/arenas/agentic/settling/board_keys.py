"""The names of boards: unit, value, window, and filter."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import quote

import numpy as np

from benchmaker.analysis.boards.board import VALUES, Rules, Unit, Where
from benchmaker.errors import SpecError
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metrics import EVIDENCE_LEVELS, UNKNOWN_US
from benchmaker.spec.documents.suggestions import did_you_mean

Window: TypeAlias = Literal["week", "month", "all"]

_DAY_US: Final = 86_400_000_000
WINDOWS: Final[Mapping[str, int | None]] = {"week": 7 * _DAY_US, "month": 30 * _DAY_US, "all": None}
"""The length of each window."""

UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
FILTERS: Final = (
    "task", "category", "difficulty", "system", "tool", "model", "effort", "submitter",
)  # fmt: skip
"""The filters of a board."""

SCOPES: Final = ("task", "category", "difficulty", "tool", "model", "effort")
"""A board is stored for each name of these."""

MAIN_VALUES: Final = ("overall", "success")
"""The values by which boards of a scope are ranked."""


@dataclass(frozen=True, slots=True)
class BoardKey:
    """The key of a board; ``name`` is its name in the store.

    >>> BoardKey(by="tool", window="week", where=(("category", "debugging"),)).name
    'tool/overall/week/category=debugging'
    """

    value: str = "overall"
    by: Unit = "system"
    window: Window = "all"
    where: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        *,
        value: str = "overall",
        by: str = "system",
        window: str = "all",
        filters: Mapping[str, str | None] | None = None,
    ) -> "BoardKey":
        """Return the key from words.

        Raises:
            SpecError: a word is unknown.
        """
        for word, known, what in (
            (value, VALUES, "value to rank by"),
            (by, UNITS, "unit to rank"),
            (window, tuple(WINDOWS), "window"),
        ):
            if word not in known:
                hint = did_you_mean(word, known) or f"Use one of {', '.join(known)}."
                raise SpecError(f"unknown {what} {word!r}.", hint=hint)
        chosen = sorted((name, of) for name, of in (filters or {}).items() if of is not None)
        for name, _ in chosen:
            if name not in FILTERS:
                raise SpecError(f"unknown filter {name!r}.", hint=f"Known: {FILTERS}.")
        return cls(value, by, window, tuple(chosen))  # type: ignore[arg-type]  # checked above

    @property
    def name(self) -> str:
        """Unit, value, window and scope; stable for ever."""
        scope = (
            "&".join(f"{label}={quote(of, safe='')}" for label, of in self.where) or "everything"
        )
        return f"{self.by}/{self.value}/{self.window}/{scope}"

    def name_under(self, rules: Rules, usual: Rules) -> str:
        """The name where rules differ from those that the profile has."""
        if rules == usual:
            return self.name
        levels = "+".join(sorted(rules.evidence))
        return f"{self.name}?policy={rules.policy}&evidence={levels}"

    def to_filter(self, since_us: int | None, until_us: int | None) -> Where:
        """Return the filter of submissions, within a window's ends."""
        named: dict[str, Any] = dict(self.where)
        return Where(**named, since_us=since_us, until_us=until_us)


def stored_keys(columns: MetricColumns) -> Iterator[tuple[BoardKey, str | None]]:
    """Every kind of board that is stored, and the label that it is stored for each name of.

    Everything: by every value for systems, by composite and success for tools, models, efforts
    and submitters. Each task, category, difficulty, tool, model and effort: systems by composite
    and success. All for a week, a month and always; tasks by success for always alone.
    """
    for window in WINDOWS:
        base = BoardKey(window=window)  # type: ignore[arg-type]  # one of them
        yield from ((replace(base, value=value), None) for value in VALUES)
        for unit in UNITS[1:]:
            yield from ((replace(base, value=value, by=unit), None) for value in MAIN_VALUES)
        for label in SCOPES:
            if columns.names(label):
                shown = MAIN_VALUES if label != "task" or window == "all" else MAIN_VALUES[:1]
                yield from ((replace(base, value=value), label) for value in shown)


def window_ends(
    columns: MetricColumns, window: str, now_us: int | None
) -> tuple[int | None, int | None]:
    """From when to before when a window reaches: up to the newest end of any submission.

    A moment after ``now_us`` can't be true and does not count. So the same submissions have the
    same window, whenever they are looked at.
    """
    span = WINDOWS[window]
    if span is None:
        return None, None
    at = columns.finished_us
    known = at[(at != UNKNOWN_US) & (True if now_us is None else at <= now_us)]
    newest = int(np.max(known, initial=-1))
    return newest + 1 - span, newest + 1


def ranked_evidence(given: str | None) -> tuple[Any, ...] | None:
    """Return the levels from the given one upwards; None for None.

    Raises:
        SpecError: unknown level.
    """
    if given is None:
        return None
    wanted = given.replace("-", "_")
    names = [str(level) for level in EVIDENCE_LEVELS]
    if wanted not in names:
        hint = did_you_mean(wanted, names) or f"Use one of {', '.join(names)}."
        raise SpecError(f"unknown evidence level {given!r}.", hint=hint)
    return EVIDENCE_LEVELS[: names.index(wanted) + 1]

"""The counted figures of a session: as stated by its log, or else counted from its events."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from benchmaker.arenas.agentic.logs.events import STATED_COUNTS
from benchmaker.arenas.agentic.sessions.sums import Share
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.record.submissions.submission import COUNTED_ROWS, Counts, Submission

OF_ALL: Final = tuple(name for name in COUNTED_ROWS if name in Submission.__struct_fields__)
"""The counted figures of a submission itself, as opposed to those of its parts."""
OF_MAIN: Final = tuple(name for name in OF_ALL if name in Counts.__struct_fields__)
"""Those that are counted of the main agent alone, too."""

_NEVER_ZERO: Final = frozenset(name for name, row in COUNTED_ROWS.items() if row.is_never_zero)
_AMOUNTS: Final[dict[str, Callable[[Share, Tally], int | None]]] = {
    "llm_calls": lambda share, _: share.llm_calls,
    "tool_calls": lambda share, _: len(share.calls),
    "tool_errors": lambda share, _: share.errors.all,
    "turns": lambda _, tally: tally.turns,
    "subagents": lambda _, tally: len(tally.agents),
}
"""How figures are counted that are more than a number of events."""


def counts_of(share: Share, tally: Tally, stated: Mapping[str, Any]) -> dict[str, int | None]:
    """Return every counted figure by name, None if unknown.

    Without anything to count, the figure is 0 if the log would show it, otherwise unknown.
    """
    return {
        name: _checked_count(
            name, stated[name] if name in stated else _count_or_none(name, share, tally)
        )
        for name in COUNTED_ROWS
    }


def fields_of_all(counts: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the counted figures that are a submission's own fields."""
    return {name: counts[name] for name in OF_ALL}


def fields_of_main(counts: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the counted figures that the main agent has, too."""
    return {name: counts[name] for name in OF_MAIN}


def stated_counts(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counted figures that a log may state, None where it does not."""
    return {name: _checked_count(name, stated.get(name)) for name in STATED_COUNTS}


def _count_or_none(name: str, share: Share, tally: Tally) -> int | None:
    amount = _AMOUNTS.get(name)
    n = amount(share, tally) if amount else share.counted[name].all
    return n if n or n is None or name in tally.facts.records else None


def _checked_count(name: str, n: int | None) -> int | None:
    return n or None if name in _NEVER_ZERO else n

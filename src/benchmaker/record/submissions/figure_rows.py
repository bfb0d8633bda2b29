"""Metadata of a submission's figures besides the field: unit, label, source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from benchmaker.record.counts import count

Unit: TypeAlias = Literal["count", "tokens", "seconds", "dollars", "share", "lines"]


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One figure of a submission.

    Args:
        unit: the unit of the count or measurement.
        label: its name in tables; empty if it has no line of its own there.
        noun: the singular noun of the count, as in "3 prompts"; empty if the totals of a trace omit
            it.
        event: the kind of event that is counted, by the name of its class in the agentic arena's
            ``logs.events``; empty for other figures. Kinds without a class of their own are
            counted from ``Occurrence``.
        is_never_zero: whether a count of 0 is missing, since a session has at least one.
        is_behaviour: whether it describes the tool's behaviour, and is listed with such metrics.
        is_computed: whether it is computed here; others are stated or shown by the log.
        own_plural: the plural of the noun, unless it is the noun with an s.
    """

    unit: Unit
    label: str = ""
    noun: str = ""
    event: str = ""
    is_never_zero: bool = False
    is_behaviour: bool = False
    is_computed: bool = False
    own_plural: str = ""

    @property
    def plural(self) -> str:
        """The plural of the noun; empty without one."""
        return self.own_plural or (f"{self.noun}s" if self.noun else "")

    def counted(self, number: int) -> str:
        """A number of them with the noun, such as ``3 prompts``."""
        return count(number, self.noun, self.plural)


def count_of(
    event: str,
    label: str,
    noun: str = "",
    *,
    plural: str = "",
    is_never_zero: bool = False,
    is_behaviour: bool = False,
    is_computed: bool = False,
) -> FigureRow:
    """Return the row of a figure that counts events of one kind."""
    return FigureRow(
        "count",
        label,
        noun,
        event,
        is_never_zero=is_never_zero,
        is_behaviour=is_behaviour,
        is_computed=is_computed,
        own_plural=plural,
    )


def figure_rows(record: type[msgspec.Struct], path: str = "") -> Iterator[tuple[str, FigureRow]]:
    """Yield the figures of a record and of its parts by their dotted paths, in their order."""
    for name, hint in record.__annotations__.items():
        own = [it for it in getattr(hint, "__metadata__", ()) if isinstance(it, FigureRow)]
        yield from ((f"{path}{name}", row) for row in own)
        if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
            yield from figure_rows(hint, f"{path}{name}.")

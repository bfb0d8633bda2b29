"""What a study of coverage is, and the table it gives."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, one header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """As a table, numbers to the right."""
        lines = [self.header, ("---", *("--:" for _ in self.header[1:])), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass(frozen=True, slots=True)
class Study:
    """One table: ``run`` makes it out of a generator and a number of draws.

    ``name`` seeds the generator, so that adding a study changes no digit of another. ``draws`` of
    0 say that nothing is drawn.
    """

    name: str
    title: str
    words: str
    draws: int
    run: Callable[[np.random.Generator, int], Table]


def share(hits: float, draws: float) -> str:
    """A share in percent.

    >>> share(951, 1000)
    '95.1'
    """
    return f"{100 * hits / draws:.1f}"


def covers(interval: tuple[float, float] | None, truth: float) -> bool:
    """Whether the interval holds the truth; no interval holds nothing."""
    return interval is not None and interval[0] <= truth <= interval[1]

"""Names for runs and series: sortable by day, short enough to type."""

from random import Random

from benchmaker.engine.trials.clock import Clock

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_LETTERS = 6


def new_run_id(clock: Clock, random: Random) -> str:
    """A new run id: the day, then six letters and digits that can't be mistaken for each other.

    >>> from benchmaker.engine.trials.clock import SystemClock
    >>> len(new_run_id(SystemClock(), Random(1)))
    15
    """
    day = clock.now_utc()[:10].replace("-", "")
    return f"{day}-{''.join(random.choices(_ALPHABET, k=_LETTERS))}"


def new_series_id(clock: Clock, random: Random) -> str:
    """A new series id: ``s-`` and then as a run id."""
    return f"s-{new_run_id(clock, random)}"

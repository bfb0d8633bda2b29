"""The bounds of one sitting of a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once, and how long to wait.

    ``concurrency`` workers take ``batch`` tasks each from the plan. After a stop, work in flight
    has ``drain_s`` seconds. The lease on the run runs out ``lease_s`` seconds after the process
    last renewed it.
    """

    concurrency: int = 5
    batch: int = 1
    drain_s: float = 10.0
    lease_s: float = 60.0


REPLAY = Limits(concurrency=5, batch=64)
"""For answers that are there already: nobody waits for a network, so workers take many at once."""

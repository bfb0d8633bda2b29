"""The bounds of one sitting of a run."""

from dataclasses import dataclass, field

from benchmaker.engine.requests.rate_limiter import PaceRules
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import SpecError


@dataclass(frozen=True, slots=True)
class RunLimits:
    """How much at once, how long to wait, how often to try.

    ``concurrency`` is the number of requests in flight in all, whatever the number of models and
    endpoints; the models share it evenly. Where answers are recorded, so many workers take
    ``batch`` tasks each from the plan. After a stop, work in flight has ``drain_s`` seconds. The
    lease on the run runs out ``lease_s`` seconds after the process last renewed it. After
    ``client_errors`` equal client errors in a row a model is given up.
    """

    concurrency: int = 5
    batch: int = 1
    drain_s: float = 10.0
    lease_s: float = 60.0
    retry: Retry = field(default_factory=Retry)
    pace: PaceRules = field(default_factory=PaceRules)
    client_errors: int = 5

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise SpecError(
                f"concurrency must be at least 1, not {self.concurrency}.", hint="Use 1 or more."
            )


REPLAY = RunLimits(concurrency=5, batch=64)
"""For answers that are there already: nobody waits for a network, so workers take many at once."""

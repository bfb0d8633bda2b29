"""The limits of one execution of a run."""

from dataclasses import dataclass, field

from benchmaker.engine.requests.rate_limiter import RateRules
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import SpecError


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Concurrency, timeouts, and numbers of tries.

    ``concurrency`` is the total number of requests in flight, for any number of models and
    endpoints; the models share it evenly. For recorded answers, it is the number of workers that
    take ``batch`` tasks each from the plan. After a stop, work in flight has ``drain_s`` seconds.
    The lease on the run expires ``lease_s`` seconds after its last renewal. After ``client_errors``
    equal client errors in a row a model is given up.
    """

    concurrency: int = 5
    batch: int = 1
    drain_s: float = 10.0
    lease_s: float = 60.0
    retry: Retry = field(default_factory=Retry)
    pace: RateRules = field(default_factory=RateRules)
    client_errors: int = 5

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise SpecError(
                f"concurrency must be at least 1, not {self.concurrency}.", hint="Use 1 or more."
            )


REPLAY = RunLimits(concurrency=5, batch=64)
"""For recorded answers: there is no network to wait for, so workers take many at once."""

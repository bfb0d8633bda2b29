"""The current activity for logs: the request, the job, the run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from benchmaker.record import Run, Trial

OnTrial = Callable[[Run, Trial], object]
"""Called in the writer's thread with a durable trial; must be quick and must not raise."""

REQUEST: ContextVar[str] = ContextVar("request_id", default="")
JOB: ContextVar[str] = ContextVar("job_id", default="")
RUN: ContextVar[str] = ContextVar("run_id", default="")
ON_TRIAL: ContextVar[OnTrial | None] = ContextVar("on_trial", default=None)


@contextmanager
def log_context(*, job: str = "", run: str = "") -> Iterator[None]:
    """Set the current job or run for the block, and everything started in it."""
    given = [(variable, value) for variable, value in ((JOB, job), (RUN, run)) if value]
    tokens = [(variable, variable.set(value)) for variable, value in given]
    try:
        yield
    finally:
        for variable, token in reversed(tokens):
            variable.reset(token)


def context_ids() -> dict[str, str]:
    """The ids of the current context: ``request_id``, ``job_id``, ``run_id``.

    >>> with log_context(run="20261121-abc"):
    ...     context_ids()
    {'run_id': '20261121-abc'}
    """
    known = ((variable.name, variable.get()) for variable in (REQUEST, JOB, RUN))
    return {name: value for name, value in known if value}

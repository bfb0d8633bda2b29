"""The messages to and from a worker."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.trials.answer import RequestResult
from benchmaker.engine.trials.plan import Plan, Task
from benchmaker.providers.recipe import Recipe
from benchmaker.record import Run, Selection, Trial
from benchmaker.spec import JudgeSpec, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSetup:
    """The setup of a worker for a run, sent once.

    ``suite`` has no cases. Without a ``recipe``, answers are sent with the tasks. ``share`` is the
    maximum number of requests in flight in this worker. ``version`` is Benchmaker's, which must be
    the worker's, too.
    """

    run: Run
    suite: Suite
    version: str
    judge: JudgeSpec | None
    limits: RunLimits
    share: int
    stream: bool
    has_budget: bool
    recipe: Recipe | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Tasks to execute, and the models among them that were stopped."""

    tasks: tuple[Task, ...]
    stopped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replies:
    """Tasks whose answers are there already: they are only to be marked."""

    pairs: tuple[tuple[Task, RequestResult], ...]


@dataclass(frozen=True, slots=True)
class RemoteError:
    """An error as data: its type, and its message."""

    name: str
    message: str
    where: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """The events of a worker since the last call.

    ``trials`` are scored; each is kept in the worker until confirmed durable. ``stopped`` has the
    models given up in this batch, ``halted`` is the reason why no request fits the budget.
    """

    trials: tuple[Trial, ...] = ()
    is_ended: bool = False
    flying: int = 0
    stopped: dict[str, str] = field(default_factory=dict)
    halted: str = ""
    fault: RemoteError | None = None


class BatchPlan(Plan):
    """The plan of one batch: none of its tasks has a row yet."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        models = tuple(dict.fromkeys(task.model for task in tasks))
        super().__init__((), models, selection=Selection(), done=_none_done)
        self.models = models
        self.tasks = tuple(tasks)

    def count(self) -> int:
        """Return the number of tasks."""
        return len(self.tasks)

    def tasks_of(self, model: str) -> Iterator[Task]:
        """The tasks of one model."""
        for task in self.tasks:
            if model in self._dropped:
                return
            if task.model == model:
                yield task


def _none_done(first: int, last: int) -> set[tuple[str, str]]:
    """Return an empty set of completed tasks."""
    del first, last
    return set()

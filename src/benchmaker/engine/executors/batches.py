"""What goes to a worker, and what comes back."""

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
    """What a worker has to know of a run, once.

    ``suite`` has no cases. Without a ``recipe``, answers come with the tasks. ``share`` requests
    are in flight in this worker at once. ``version`` is Benchmaker's, which has to be the worker's.
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
    """Tasks to be asked, and the models among them that are asked no more."""

    tasks: tuple[Task, ...]
    stopped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Replies:
    """Tasks whose answers are there already: they are only to be marked."""

    pairs: tuple[tuple[Task, RequestResult], ...]


@dataclass(frozen=True, slots=True)
class RemoteError:
    """An error, as data: what it was called, and what it said."""

    name: str
    message: str
    where: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What happened in a worker since it last told.

    ``trials`` are marked; each waits there until it is said to be durable. ``stopped`` has the
    models that were given up in this batch, ``halted`` says why no request fits the budget.
    """

    trials: tuple[Trial, ...] = ()
    is_ended: bool = False
    flying: int = 0
    stopped: dict[str, str] = field(default_factory=dict)
    halted: str = ""
    fault: RemoteError | None = None


class BatchPlan(Plan):
    """The plan of one batch: nothing of it has a row yet."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        models = tuple(dict.fromkeys(task.model for task in tasks))
        super().__init__((), models, selection=Selection(), done=_none_done)
        self.models = models
        self.tasks = tuple(tasks)

    def count(self) -> int:
        """How many tasks there are."""
        return len(self.tasks)

    def tasks_of(self, model: str) -> Iterator[Task]:
        """The tasks of one model."""
        for task in self.tasks:
            if model in self._dropped:
                return
            if task.model == model:
                yield task


def _none_done(first: int, last: int) -> set[tuple[str, str]]:
    """What is done between two positions."""
    del first, last
    return set()

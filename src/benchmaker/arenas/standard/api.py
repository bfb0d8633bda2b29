"""Run, resume, look at results: the Standard Arena from Python."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random, SystemRandom

from benchmaker.arenas.standard.answers import Answers, Fields, open_answers, reopen_answers
from benchmaker.arenas.standard.blocking import blocking, signals
from benchmaker.arenas.standard.place import Place
from benchmaker.arenas.standard.request import checked, run_of, selection_of
from benchmaker.arenas.standard.result import RunResult, result_of
from benchmaker.engine.clock import Clock, SystemClock
from benchmaker.engine.ids import new_run_id
from benchmaker.engine.limits import Limits
from benchmaker.engine.progress import OnProgress
from benchmaker.engine.resume import runs_named, unfinished
from benchmaker.engine.series import enrol, execute_all
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider
from benchmaker.record import Run
from benchmaker.spec import Suite
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class Desk:
    """What a call works with, beside what it works on."""

    place: Place
    concurrency: int | None = None
    on_progress: OnProgress | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    clock: Clock = field(default_factory=SystemClock)
    random: Random = field(default_factory=SystemRandom)

    async def work(self, store: Store, runs: Sequence[Run], answers: Answers) -> RunResult:
        """Bring the runs to their end, and say how they stand."""
        suite = store.suite(runs[0].suite_hash)
        with signals(self.stop):
            ended = await execute_all(
                store,
                runs,
                suite,
                answers.provider,
                limits=self._limits(answers),
                clock=self.clock,
                on_progress=self.on_progress,
                stop=self.stop,
            )
        return result_of(
            store,
            [run.id for run in ended.runs],
            self.place,
            stopped=ended.stopped,
            interrupted=self.stop.is_set() and bool(unfinished(ended.runs)),
        )

    def _limits(self, answers: Answers) -> Limits:
        if self.concurrency is None:
            return answers.limits
        if self.concurrency < 1:
            raise SpecError(f"a concurrency of {self.concurrency} asks nothing.", hint="Give 1.")
        return replace(answers.limits, concurrency=self.concurrency)


async def arun(
    suite: Suite | str | Path,
    *,
    recorded: str | Path | None = None,
    fields: Fields | None = None,
    provider: Provider | None = None,
    models: Sequence[str] = (),
    runs: int | None = None,
    limit: int | None = None,
    categories: Sequence[str] | str = (),
    tags: Sequence[str] | str = (),
    profile: str | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    concurrency: int | None = None,
    on_progress: OnProgress | None = None,
    seed: int | None = None,
    stop: asyncio.Event | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
) -> RunResult:
    """Ask every selected case of every model, score the answers, store everything.

    Args:
        suite: a suite, or the path of its file.
        recorded: a file with answers recorded before, a line each; or give ``provider``.
        fields: where the values stand in a line of ``recorded``.
        provider: who answers, when it is not a file.
        models: the models to ask; without them, all that the file or the provider has.
        runs: how many runs to make, one after the other, as a series. Without it, all that the
            file has, else one.
        limit: the first so many cases of those that pass ``categories`` and ``tags``.
        categories: only cases of one of these categories.
        tags: only cases with one of these tags.
        profile: the scoring profile, instead of the suite's.
        home: the data folder; ``~/.local/share/benchmaker`` without it.
        store: the URL of the store, instead of the file in ``home``.
        concurrency: how many trials are in work at once.
        on_progress: is called with a snapshot, four times a second at most.
        seed: recorded with the run, and sent by providers that take one.
        stop: set it to stop cleanly; the result then says ``interrupted``.
        clock: where time comes from.
        random: where new ids come from.

    Raises:
        SpecError: the suite or an argument is wrong; nothing has been asked.
        StoreError: the store can't be written; what it acknowledged is there.
    """
    desk = Desk(
        Place.of(home, store),
        concurrency,
        on_progress,
        stop=stop or asyncio.Event(),
        clock=clock or SystemClock(),
        random=random or SystemRandom(),
    )
    selection = selection_of(limit, categories, tags)
    asked = checked(suite, profile=profile)
    answers = open_answers(recorded, provider, fields=fields, models=models)
    with closing(answers), desk.place.opened() as opened:
        number = answers.runs_for(runs)
        first = run_of(
            opened.suite(opened.put_suite(asked)),
            answers,
            run_id=new_run_id(desk.clock, desk.random),
            profile=profile,
            selection=selection,
            seed=seed,
            clock=desk.clock,
        )
        await asyncio.sleep(0)  # the last moment to be cancelled without a trace
        enrolled = enrol(opened, first, runs=number, clock=desk.clock, random=desk.random)
        return await desk.work(opened, enrolled, answers)


async def aresume(
    run_id: str = "latest",
    *,
    recorded: str | Path | None = None,
    provider: Provider | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    concurrency: int | None = None,
    on_progress: OnProgress | None = None,
    stop: asyncio.Event | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
) -> RunResult:
    """Go on with a run or a series that was interrupted, asking only what has no row yet.

    Args:
        run_id: a run or a series: its id, the beginning of one, or ``latest``.
        recorded: where the file of answers lies now, if it was moved.
        provider: who answers, when the run was begun with a provider from Python.
        home: as in :func:`arun`, like all that follows.
        store: the URL of the store.
        concurrency: how many trials are in work at once.
        on_progress: is called with a snapshot, four times a second at most.
        stop: set it to stop cleanly.
        clock: where time comes from.
        random: where new ids come from.

    Raises:
        SpecError: there is no such run, or its recorded answers are gone or changed.
        Conflict: another process works on it; the message says which.
    """
    desk = Desk(
        Place.of(home, store),
        concurrency,
        on_progress,
        stop=stop or asyncio.Event(),
        clock=clock or SystemClock(),
        random=random or SystemRandom(),
    )
    with desk.place.opened() as opened:
        runs = runs_named(opened, run_id, clock=desk.clock, random=desk.random)
        if not unfinished(runs):
            return result_of(opened, [run.id for run in runs], desk.place)
        answers = reopen_answers(runs[0], recorded=recorded, provider=provider)
        with closing(answers):
            return await desk.work(opened, runs, answers)


def results(
    run_id: str = "latest", *, home: str | Path | None = None, store: str | None = None
) -> RunResult:
    """The stored results of a run or a series: its id, the beginning of one, or ``latest``.

    Raises:
        SpecError: there is no such run.
    """
    place = Place.of(home, store)
    with place.opened() as opened:
        return result_of(opened, opened.resolve(run_id).run_ids, place)


run = blocking(
    "run",
    """Ask every selected case of every model, score the answers, store everything.

    Takes what :func:`arun` takes, and waits for the end. Ctrl-C or SIGTERM once stops cleanly,
    keeps what is done and returns the result as ``interrupted``; twice stops at once.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Case, ScorerSpec, Suite
    >>> from benchmaker.providers.scripted import Scripted
    >>> sums = Suite(
    ...     "sums", [Case(id="a", prompt="40 + 2?", expected="42")], scorer=ScorerSpec(id="exact")
    ... )
    >>> with TemporaryDirectory() as home:
    ...     result = run(sums, provider=Scripted({("m", "a"): "42"}), home=home)
    >>> result.mean("m")
    1.0
    """,
    arun,
)

resume = blocking(
    "resume",
    """Go on with a run or a series that was interrupted, asking only what has no row yet.

    Takes what :func:`aresume` takes, and waits for the end as :func:`run` does.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Case, ScorerSpec, Suite
    >>> from benchmaker.providers.scripted import Scripted
    >>> sums = Suite(
    ...     "sums", [Case(id="a", prompt="40 + 2?", expected="42")], scorer=ScorerSpec(id="exact")
    ... )
    >>> with TemporaryDirectory() as home:
    ...     begun = run(sums, provider=Scripted({("m", "a"): "42"}), home=home)
    ...     ended = resume(begun.run_ids[0], home=home)
    >>> ended.is_finished
    True
    """,
    aresume,
)

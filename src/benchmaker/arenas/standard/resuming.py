"""Go on with a run: from Python."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from benchmaker.arenas.standard.answers import Answers, reopen_answers
from benchmaker.arenas.standard.arguments import validated
from benchmaker.arenas.standard.blocking import blocking
from benchmaker.arenas.standard.home import Place
from benchmaker.arenas.standard.judges import Wanted, rejudging
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.result import RunResult, result_of
from benchmaker.arenas.standard.run_context import Desk, refuse_unfit
from benchmaker.engine.executors.executor_names import crew_of, executor_named
from benchmaker.engine.executors.preparing import preparing_by
from benchmaker.engine.requests.limits import Limits
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.runs.extend import add_models as add_to
from benchmaker.engine.runs.extend import raise_runs, refuse_fewer, with_models
from benchmaker.engine.runs.resume import runs_named
from benchmaker.engine.runs.series import is_open
from benchmaker.engine.runs.suite_correction import refuse_unrecorded
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.request_options import Manner
from benchmaker.record import Run
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.providers.base import Provider
    from benchmaker.providers.function import Answer
    from benchmaker.providers.network.transport import HttpLimits


@validated
async def aresume(
    run_id: str = "latest",
    *,
    recorded: str | Path | None = None,
    provider: "Provider | Answer | None" = None,
    home: str | Path | None = None,
    store: str | None = None,
    concurrency: int | None = None,
    on_progress: OnProgress | None = None,
    add_models: Sequence[str] | str = (),
    runs: int | None = None,
    retry_failed: bool = False,
    environ: Mapping[str, str] | None = None,
    dotenv: str | Path | None = None,
    timeouts: "HttpLimits | float | None" = None,
    retries: int | None = None,
    max_cost_usd: float | None = None,
    recorded_judge: str | Path | None = None,
    judge_provider: "Provider | Answer | None" = None,
    judge_concurrency: int | None = None,
    limits: Limits | None = None,
    executor: str | None = None,
    stop: asyncio.Event | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
) -> RunResult:
    """Go on with a run or a series that was interrupted, asking only what has no row yet.

    ``add_models`` and ``runs`` ask for more of the same, also where all was done.

    What was chosen for the run (streaming, cache, budget, retries, the total time of a request)
    holds on, unless it is given again. What its requests cost so far counts against the budget.

    Args:
        run_id: a run or a series: its id, the beginning of one, or ``latest``.
        recorded: where the file of answers lies now, if it was moved.
        provider: who answers, when the run was begun with a provider from Python.
        home: as in :func:`arun`, like all that follows.
        store: the URL of the store.
        concurrency: how many requests are in flight in all.
        on_progress: is called with a snapshot, four times a second at most.
        add_models: ask these models, too, in every run.
        runs: make it so many runs in all; a single run becomes the first of a series.
        retry_failed: ask again what infrastructure spoiled; those rows are replaced, and their
            requests stay on record. Answers of which no judgment could be had are judged again.
        environ: where keys and base URLs of live models come from.
        dotenv: a file of further variables.
        timeouts: how long each request may take.
        retries: how many further requests a trial may make.
        max_cost_usd: the budget of the whole run or series.
        recorded_judge: where the file of judges' replies lies now, if it was moved.
        judge_provider: who replies to questions to judges, when it was given in Python.
        judge_concurrency: how many questions to judges are in flight.
        limits: how long to wait and how to give way, in detail.
        executor: where the work is done, whatever did it before.
        stop: set it to stop cleanly.
        clock: where time comes from.
        random: where new ids come from.

    Raises:
        SpecError: there is no such run, its recorded answers are gone or changed, or there are
            more runs than asked for.
        PrerequisiteError: a key is missing, or a price that a budget needs.
        Conflict: another process works on it; the message says which.
    """
    desk = Desk(
        Place.of(home, store),
        concurrency,
        limits,
        on_progress,
        stop=stop or asyncio.Event(),
        clock=clock or SystemClock(),
        random=random or SystemRandom(),
    )
    with desk.place.opened() as opened:
        known = runs_named(opened, run_id, clock=desk.clock, random=desk.random)
        manner = _manner(
            known[0],
            {
                "max_cost_usd": max_cost_usd,
                "retries": retries,
                "timeout_s": timeouts if isinstance(timeouts, int | float) else None,
            },
            retry_failed=retry_failed,
        )
        refuse_unrecorded(opened, known)
        more = _More([add_models] if isinstance(add_models, str) else add_models, runs)
        if not more.is_wanted(known) and not any(is_open(opened, run, manner) for run in known):
            return result_of(opened, [run.id for run in known], desk.place)
        live = LiveOptions(
            environ=environ,
            dotenv=dotenv,
            home=desk.place.home,
            timeouts=manner.timeout_s if timeouts is None else timeouts,
            stream=manner.stream,
            seed=known[0].seed,
        )
        asked = with_models(known[0], more.models)
        opening = reopen_answers(asked, recorded=recorded, provider=provider, live=live)
        wanted = Wanted(
            recorded=recorded_judge, provider=judge_provider, concurrency=judge_concurrency
        )
        async with (
            opening.held() as answers,
            rejudging(known[0], wanted, live) as (named, jurors),
            executor_named(executor) as executing,
            preparing_by(crew_of(executing), named) as judges,
        ):
            if more.runs is not None:
                answers.runs_for(more.runs)
            desk.refuse_unfit(answers, manner)
            await refuse_unfit(answers, manner, judges=judges, jurors=jurors)
            noted = [_noted(opened, run, answers, desk.clock) for run in known]
            runs_now = more.of(opened, noted, answers, desk)
            return await desk.work(
                opened, runs_now, answers, manner, judges=judges, executor=executing
            )


class _More(NamedTuple):
    """What is asked for beyond what was planned."""

    models: Sequence[str]
    runs: int | None

    def is_wanted(self, known: Sequence[Run]) -> bool:
        """Whether it is more than the runs have planned; SpecError when it is less."""
        wanted = len(known) if self.runs is None else self.runs
        refuse_fewer(wanted, len(known))
        new = any(model not in run.models for model in self.models for run in known)
        return new or wanted > len(known)

    def of(self, store: Store, known: Sequence[Run], answers: Answers, desk: Desk) -> Sequence[Run]:
        """The runs with what is asked for beyond, written down."""
        ttl_s = answers.limits.lease_s
        extended = add_to(
            store, known, self.models, provider=answers.description, clock=desk.clock, ttl_s=ttl_s
        )
        return raise_runs(
            store,
            extended,
            len(known) if self.runs is None else self.runs,
            clock=desk.clock,
            random=desk.random,
            ttl_s=ttl_s,
        )


def _manner(run: Run, anew: Mapping[str, Any], *, retry_failed: bool) -> Manner:
    """How the run was begun, with what was given again."""
    given = {name: value for name, value in anew.items() if value is not None}
    return replace(Manner.of(run.manner), retry_failed=retry_failed, **given)


def _noted(store: Store, run: Run, answers: Answers, clock: Clock) -> Run:
    """The run; where its models are asked elsewhere from now on, it says so."""
    before, now = run.provider.get("models"), answers.description.get("models")
    if not isinstance(before, dict) or not isinstance(now, dict):
        return run
    moved = [
        f"{model} at {now[model].get('base_url')} since {clock.now_utc()}"
        for model in run.models
        if model in now and now[model].get("base_url") != before.get(model, {}).get("base_url")
    ]
    if not moved:
        return run
    amended = msgspec.structs.replace(
        run,
        provider=answers.description,
        notes=(*run.notes, f"asked elsewhere: {', '.join(moved)}"),
    )
    store.amend_run(amended)
    return amended


resume = blocking(
    "resume",
    """Go on with a run or a series that was interrupted, asking only what has no row yet.

    Takes what :func:`aresume` takes, and waits for the end as :func:`run` does.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Case, ScorerSpec, Suite, run
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

"""Run a suite, look at results: the Standard Arena from Python."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.standard.answers import Fields, Models, open_answers
from benchmaker.arenas.standard.arguments import validated, validated_call
from benchmaker.arenas.standard.blocking import blocking
from benchmaker.arenas.standard.home import Place
from benchmaker.arenas.standard.judges import Named, Wanted, judging, refuse_shared_replies
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.request import checked, parameters_of, run_of, selection_of
from benchmaker.arenas.standard.result import RunResult, result_of
from benchmaker.arenas.standard.run_context import Desk, refuse_unfit
from benchmaker.engine.executors.executor_names import crew_of, executor_named
from benchmaker.engine.executors.preparing import preparing_by
from benchmaker.engine.judges.judge_makers import Judges
from benchmaker.engine.requests.limits import Limits
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.runs.series import enrol
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.engine.trials.request_options import Manner
from benchmaker.providers.base import Provider
from benchmaker.spec import Metric, Parameters, Suite
from benchmaker.store import Store

if TYPE_CHECKING:
    from benchmaker.providers.function import Answer
    from benchmaker.providers.network.transport import HttpLimits


@validated
async def arun(
    suite: Suite | str | Path,
    *,
    recorded: str | Path | None = None,
    fields: Fields | None = None,
    provider: "Provider | Answer | None" = None,
    models: "Models | str" = (),
    runs: int | None = None,
    limit: int | None = None,
    categories: Sequence[str] | str = (),
    tags: Sequence[str] | str = (),
    profile: str | None = None,
    metric: Metric | None = None,
    home: str | Path | None = None,
    store: str | None = None,
    concurrency: int | None = None,
    on_progress: OnProgress | None = None,
    seed: int | None = None,
    parameters: Parameters | Mapping[str, Any] | None = None,
    benchmark_mode: bool | None = None,
    environ: Mapping[str, str] | None = None,
    dotenv: str | Path | None = None,
    timeouts: "HttpLimits | float | None" = None,
    retries: int | None = None,
    stream: bool = True,
    skip_unavailable: bool = False,
    max_cost_usd: float | None = None,
    cache: bool = False,
    judge: Named | None = None,
    recorded_judge: str | Path | None = None,
    judge_provider: "Provider | Answer | None" = None,
    judge_concurrency: int | None = None,
    prepare: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    executor: str | None = None,
    stop: asyncio.Event | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
) -> RunResult:
    """Ask every selected case of every model, score the answers, store everything.

    Answers come from ``recorded``, from ``provider``, or else from live ``models``.

    Args:
        suite: a suite, or the path of its file.
        recorded: a file with recorded answers, a line each.
        fields: where the values stand in a line of ``recorded``.
        provider: who answers, when it is neither a file nor live models: an object with
            ``complete(request)``, or a function that takes the request and returns the text.
        models: the models to ask; without them, all that the file or the provider has. Live ones
            are called ``endpoint/model``, ``https://host/v1#model``, ``command:program`` or
            ``python:module:function``; a function may stand for itself.
        runs: how many runs to make, one after the other, as a series. Without it, all that the
            file has, else one.
        limit: the first so many cases of those that pass ``categories`` and ``tags``.
        categories: only cases of one of these categories.
        tags: only cases with one of these tags.
        profile: the scoring profile, instead of the suite's.
        metric: ``mean``, or ``strict`` for the share of exactly right answers. It ranks the models
            and is what gates and comparisons use; by default the suite's own.
        home: the data folder; ``~/.local/share/benchmaker`` without it.
        store: the URL of the store, instead of the file in ``home``.
        concurrency: how many requests are in flight in all; the models share them evenly.
        on_progress: is called with a snapshot, four times a second at most.
        seed: recorded with the run, and sent to endpoints that take one.
        parameters: what to send instead of the suite's temperature, top_p, max_tokens or penalties.
        benchmark_mode: whether temperature and penalties are locked to 0; the suite says it
            otherwise.
        environ: where keys and base URLs of live models come from, such as ``os.environ``; nothing
            is read unless it is given.
        dotenv: a file of further variables; those of ``environ`` go first.
        timeouts: how long each request to a live model may take, in seconds or one by one.
        retries: how many further requests a trial may make; two without it.
        stream: False asks for every answer in one piece.
        skip_unavailable: leave out the live models whose key or program is missing.
        max_cost_usd: no request is made that might lead beyond so many dollars.
        cache: use answers to the very same requests in runs of the same number, and keep new ones.
        judge: who judges, where scorers ask a judge: a model, several, or a mapping as under
            ``judge:`` in a suite. It goes before what the suite says; a suite without a scorer is
            then scored by ``llm_judge``.
        recorded_judge: a file with judges' replies recorded before, a line each.
        judge_provider: who replies to questions to judges, when it is neither; as ``provider``.
        judge_concurrency: how many questions to judges are in flight, beside those to models.
        prepare: how answers are made ready to be judged, for scorers that want it, such as
            ``{"mapping": False}`` for pages.
        limits: how long to wait and how to give way, in detail.
        executor: where the work is done: ``local`` (this process), ``ray``, or the address of a
            Ray cluster.
        stop: set it to stop cleanly; the result then says ``interrupted``.
        clock: where time comes from.
        random: where new ids come from.

    Raises:
        SpecError: the suite or an argument is wrong; nothing has been asked.
        PrerequisiteError: a key is missing, or a price that a budget needs; nothing has been asked.
        StoreError: the store can't be written; what it acknowledged is there.
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
    manner = Manner(
        stream=stream,
        cache=cache,
        max_cost_usd=max_cost_usd,
        timeout_s=float(timeouts) if isinstance(timeouts, int | float) else None,
        retries=retries,
    )
    live = LiveOptions(
        environ=environ,
        dotenv=dotenv,
        home=desk.place.home,
        timeouts=timeouts,
        stream=stream,
        skip_unavailable=skip_unavailable,
        seed=seed,
    )
    selection = selection_of(limit, categories, tags)
    wanted = Wanted(
        judge=judge,
        recorded=recorded_judge,
        provider=judge_provider,
        concurrency=judge_concurrency,
        prepare=prepare,
    )
    asked = checked(suite, profile=profile, judged=wanted.names_somebody)
    sent = parameters_of(asked, parameters, benchmark_mode=benchmark_mode)
    opening = open_answers(recorded, provider, fields=fields, models=models, live=live)
    async with (
        opening.held() as answers,
        judging(asked, wanted, live) as (named, jurors),
        executor_named(executor) as executing,
        preparing_by(crew_of(executing), named) as judges,
    ):
        number = answers.runs_for(runs)
        refuse_shared_replies(asked, answers, judges, selection=selection, runs=number)
        desk.refuse_unfit(answers, manner)
        await refuse_unfit(answers, manner, judges=judges, jurors=jurors)
        with desk.place.opened() as opened:
            stored = opened.suite(opened.put_suite(asked))
            grounds = _grounded(opened, judges, stored, jurors) if judges else None
            first = run_of(
                stored,
                answers,
                run_id=new_run_id(desk.clock, desk.random),
                profile=profile,
                metric=metric,
                selection=selection,
                parameters=sent,
                manner=manner,
                seed=seed,
                clock=desk.clock,
                judge=grounds.recorded(jurors) if grounds else {},
                calibration_id=grounds.calibration_id if grounds else None,
            )
            await asyncio.sleep(0)  # the last moment to be cancelled without a trace
            enrolled = enrol(opened, first, runs=number, clock=desk.clock, random=desk.random)
            return await desk.work(
                opened, enrolled, answers, manner, judges=judges, executor=executing
            )


def _grounded(store: Store, judges: Judges, suite: Suite, models: Sequence[str]) -> Judges:
    from benchmaker.engine.runs.judge_calibrations import grounded  # noqa: PLC0415  for judges alone

    return grounded(store, judges, suite, models)


@validated_call
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

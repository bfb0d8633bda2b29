"""Run a suite, look at results: the Standard Arena from Python."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.standard.answers import Fields, Models, open_answers, wanted_models_of
from benchmaker.arenas.standard.arguments import validated_call
from benchmaker.arenas.standard.blocking import make_blocking
from benchmaker.arenas.standard.call_options import validate_arguments
from benchmaker.arenas.standard.judges import JudgeSelection, open_judges, refuse_shared_replies
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.request import (
    parameters_of,
    requested_setups,
    run_of,
    runnable_suite,
    selection_of,
)
from benchmaker.arenas.standard.result import RunResult, run_result
from benchmaker.arenas.standard.run_context import (
    RunContext,
    refuse_judging_over_budget,
    start_rendering,
)
from benchmaker.engine.executors.executor_names import executor_named, worker_source_of
from benchmaker.engine.executors.preparing import prepare_remotely
from benchmaker.engine.judges.judge_makers import Judges
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.logprobs import parameters_by_setup, refuse_missing_logprobs
from benchmaker.engine.runs.series import enrol
from benchmaker.engine.runs.uncertain_cases import refuse_too_few_runs
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.providers.base import Provider
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.providers.function import Answer


@validate_arguments
async def arun(
    suite: Suite | Mapping[str, Any] | str | Path,
    *,
    recorded: str | Path | None = None,
    fields: Fields | None = None,
    provider: "Provider | Answer | None" = None,
    models: "Models | str" = (),
    prompts: Sequence[str] | str = (),
    efforts: Sequence[str] | str = (),
    home: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    judge_provider: "Provider | Answer | None" = None,
    stop: asyncio.Event | None = None,
    on_progress: OnProgress | None = None,
    options: RunOptions | None = None,
    **deprecated: Any,  # noqa: ANN401, ARG001  moved into options by ``validate_arguments``
) -> RunResult:
    """Query every selected setup with every case, score the answers, store everything.

    A setup is a model with a prompt and an effort of the suite, where it has any. Answers come from
    ``recorded``, from ``provider``, or else from live ``models``.

    Args:
        suite: a suite, its content as a mapping, or the path of its file.
        recorded: a file with recorded answers, one per line.
        fields: the paths of values in a line of ``recorded``.
        provider: the source of answers, if neither a file nor live models: an object with
            ``complete(request)``, or a function that takes the request and returns the text.
        models: the models to query; by default all of the file or the provider, else the suite's.
            Live ones are named
            ``endpoint/model``, ``https://host/v1#model``, ``command:program`` or
            ``python:module:function``; a function may be passed directly.
        prompts: the ids of the suite's prompts to use; by default all.
        efforts: the reasoning efforts, instead of the suite's.
        home: the data folder; ``~/.local/share/benchmaker`` by default.
        environ: the source of keys and base URLs of live models, such as ``os.environ``; nothing is
            read by default.
        judge_provider: the source of judges' replies, if neither a live model nor a file; like
            ``provider``.
        stop: set it to stop cleanly; the result then says ``interrupted``.
        on_progress: called with a snapshot, at most four times a second.
        options: cases, parameters, timeouts, judges, budget: see :class:`RunOptions`.
        deprecated: single options, as in the previous release.

    Raises:
        SpecError: an invalid suite or argument; no request was sent.
        PrerequisiteError: a key is missing, a price needed for a budget, or a browser for pages
            that does not start; no request was sent.
        StoreError: the store is not writable; acknowledged data is stored.
    """
    options = _with_dimensions(options or RunOptions(), prompts, efforts)
    context = RunContext.of(home, options, on_progress, stop)
    live = LiveOptions.of(options, environ=environ, home=context.place.home)
    wanted = JudgeSelection.of(options, judge_provider)
    runnable = runnable_suite(suite, profile=options.profile, judged=wanted.names_somebody)
    sent = parameters_of(runnable, options.parameters, benchmark_mode=options.benchmark_mode)
    selection = selection_of(runnable, options, context.place.open_store)
    wanted_models = wanted_models_of(runnable, models, recorded=recorded, provider=provider)
    setups = () if recorded else requested_setups(runnable, wanted_models, options)
    opening = open_answers(
        recorded, provider, fields=fields, models=wanted_models, live=live, setups=setups
    )
    if recorded:
        opening = opening.select(options.prompts, options.efforts)
    async with (
        opening.session() as answers,
        open_judges(runnable, wanted, live) as (named, jurors),
        executor_named(options.executor) as executing,
        prepare_remotely(worker_source_of(executing), named) as judges,
    ):
        answers.refuse_strangers(runnable.cases)
        number = answers.runs_for(options.runs)
        refuse_too_few_runs(options, number)
        refuse_shared_replies(runnable, answers, judges, selection=selection, runs=number)
        refuse_missing_logprobs(
            runnable, answers.provider, parameters_by_setup(answers.models, sent, setups)
        )
        context.refuse_over_budget(answers)
        await refuse_judging_over_budget(answers, options, judges=judges, jurors=jurors)
        await start_rendering(answers, judges)
        with context.place.open_store() as opened:
            stored = opened.suite(opened.put_suite(runnable))
            first = run_of(
                stored, answers, options, run_id=new_run_id(context.clock, context.random),
                selection=selection, parameters=sent, setups=answers.setups or setups,
                **_judging_record(opened, judges, stored, jurors),
            )  # fmt: skip
            await asyncio.sleep(0)  # the last moment to be cancelled without a trace
            enrolled = enrol(opened, first, runs=number, clock=context.clock, random=context.random)
            return await context.work(opened, enrolled, answers, judges=judges, executor=executing)


def _with_dimensions(
    options: RunOptions, prompts: Sequence[str] | str, efforts: Sequence[str] | str
) -> RunOptions:
    """The options with the prompts and efforts of the call."""
    return replace(options, prompts=prompts or options.prompts, efforts=efforts or options.efforts)


def _judging_record(
    store: Store, judges: Judges | None, suite: Suite, models: tuple[str, ...]
) -> dict[str, Any]:
    """What a run records of its judges."""
    if judges is None:
        return {"judge": {}, "calibration_id": None}
    calibrated = _with_calibrations(store, judges, suite, models)
    return {"judge": calibrated.to_record(models), "calibration_id": calibrated.calibration_id}


def _with_calibrations(store: Store, judges: Judges, suite: Suite, models: Sequence[str]) -> Judges:
    from benchmaker.engine.runs.judge_calibrations import with_calibrations  # noqa: PLC0415  for judges alone

    return with_calibrations(store, judges, suite, models)


@validated_call
def results(
    run_id: str = "latest", *, home: str | Path | None = None, store: str | None = None
) -> RunResult:
    """The stored results of a run or a series: its id, the beginning of one, or ``latest``.

    Raises:
        SpecError: there is no such run.
    """
    place = Home.of(home, store)
    with place.open_store() as opened:
        return run_result(opened, opened.resolve(run_id).run_ids, place)


run = make_blocking(
    "run",
    """Query every selected model with every case, score the answers, store everything.

    Blocking form of :func:`arun`, with the same arguments. Ctrl-C or SIGTERM once stops cleanly,
    keeps finished work and returns the result as ``interrupted``; twice stops at once.

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

"""Runs created now and executed later by workers: from pages."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from random import SystemRandom

from benchmaker.arenas.standard.answers import open_answers, wanted_models_of
from benchmaker.arenas.standard.judges import JudgeSelection, open_judges
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.request import (
    parameters_of,
    requested_setups,
    run_of,
    runnable_suite,
    selection_of,
)
from benchmaker.arenas.standard.run_context import refuse_judging_over_budget
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.judge_calibrations import with_calibrations
from benchmaker.engine.runs.logprobs import parameters_by_setup, refuse_missing_logprobs
from benchmaker.engine.runs.series import enrol
from benchmaker.engine.runs.uncertain_cases import refuse_too_few_runs
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.record import Run
from benchmaker.spec import Suite
from benchmaker.store import Store


async def enqueue_runs(
    store: Store,
    suite: Suite | str | Path,
    options: RunOptions,
    *,
    home: Path,
    recorded: str | Path | None = None,
    models: tuple[str, ...] = (),
    environ: Mapping[str, str] | None = None,
) -> tuple[Run, ...]:
    """Create a run, or the runs of a new series, without starting; nothing is sent.

    The arguments are those of :func:`benchmaker.run`. Start the runs with
    :func:`benchmaker.resume`.

    Raises:
        SpecError: an invalid suite or argument.
        PrerequisiteError: a key is missing, or a price needed for a budget.
    """
    clock, random = options.clock or SystemClock(), options.random or SystemRandom()
    live = LiveOptions.of(options, environ=environ, home=home)
    wanted = JudgeSelection.of(options)
    runnable = runnable_suite(suite, profile=options.profile, judged=wanted.names_somebody)
    sent = parameters_of(runnable, options.parameters, benchmark_mode=options.benchmark_mode)
    selection = selection_of(runnable, options, lambda: nullcontext(store))
    wanted_models = wanted_models_of(runnable, models, recorded=recorded, provider=None)
    setups = () if recorded else requested_setups(runnable, wanted_models, options)
    opening = open_answers(recorded, models=wanted_models, live=live, setups=setups)
    if recorded:
        opening = opening.select(options.prompts, options.efforts)
    async with (
        opening.session() as answers,
        open_judges(runnable, wanted, live) as (judges, jurors),
    ):
        number = answers.runs_for(options.runs)
        refuse_too_few_runs(options, number)
        by_setup = parameters_by_setup(answers.models, sent, setups)
        refuse_missing_logprobs(runnable, answers.provider, by_setup)
        await refuse_judging_over_budget(answers, options, judges=judges, jurors=jurors)
        stored = store.suite(store.put_suite(runnable))
        calibrated_judges = with_calibrations(store, judges, stored, jurors) if judges else None
        first = run_of(
            stored,
            answers,
            options,
            run_id=new_run_id(clock, random),
            selection=selection,
            parameters=sent,
            judge=calibrated_judges.to_record(jurors) if calibrated_judges else {},
            calibration_id=calibrated_judges.calibration_id if calibrated_judges else None,
            setups=answers.setups or setups,
        )
        return enrol(store, first, runs=number, clock=clock, random=random)

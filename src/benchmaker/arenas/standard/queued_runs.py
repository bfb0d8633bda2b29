"""Runs that are written down now and asked by whoever works them off: from pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from benchmaker.arenas.standard.answers import open_answers
from benchmaker.arenas.standard.judges import Named, Wanted, judging
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.request import checked, parameters_of, run_of, selection_of
from benchmaker.arenas.standard.run_context import refuse_unfit
from benchmaker.engine.runs.judge_calibrations import grounded
from benchmaker.engine.runs.series import enrol, waiting
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.engine.trials.request_options import Manner
from benchmaker.record import Run
from benchmaker.spec import Suite
from benchmaker.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked of a suite; the names are those of :func:`benchmaker.run`."""

    suite: Suite | str | Path
    recorded: str | Path | None = None
    models: tuple[str, ...] = ()
    runs: int | None = None
    limit: int | None = None
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    profile: str | None = None
    metric: str | None = None
    parameters: Mapping[str, Any] | None = None
    benchmark_mode: bool | None = None
    seed: int | None = None
    max_cost_usd: float | None = None
    judge: Named | None = None


async def enrolled(
    store: Store,
    order: Order,
    *,
    home: Path,
    environ: Mapping[str, str] | None = None,
    dotenv: Path | None = None,
    clock: Clock | None = None,
    random: Random | None = None,
) -> tuple[Run, ...]:
    """The run, or the runs of a new series, written down and not begun; nothing is sent.

    They are asked with :func:`benchmaker.resume`.

    Raises:
        SpecError: the suite or an argument is wrong.
        PrerequisiteError: a key is missing, or a price that a budget needs.
    """
    clock, random = clock or SystemClock(), random or SystemRandom()
    manner = Manner(max_cost_usd=order.max_cost_usd)
    live = LiveOptions(environ=environ, dotenv=dotenv, home=home, seed=order.seed)
    wanted = Wanted(judge=order.judge)
    asked = checked(order.suite, profile=order.profile, judged=wanted.names_somebody)
    sent = parameters_of(asked, order.parameters, benchmark_mode=order.benchmark_mode)
    opening = open_answers(order.recorded, models=order.models, live=live)
    async with opening.held() as answers, judging(asked, wanted, live) as (judges, jurors):
        number = answers.runs_for(order.runs)
        await refuse_unfit(answers, manner, judges=judges, jurors=jurors)
        stored = store.suite(store.put_suite(asked))
        grounds = grounded(store, judges, stored, jurors) if judges else None
        first = run_of(
            stored,
            answers,
            run_id=new_run_id(clock, random),
            profile=order.profile,
            metric=order.metric,
            selection=selection_of(order.limit, order.categories, order.tags),
            parameters=sent,
            manner=manner,
            seed=order.seed,
            clock=clock,
            judge=grounds.recorded(jurors) if grounds else {},
            calibration_id=grounds.calibration_id if grounds else None,
        )
        return enrol(store, waiting(first), runs=number, clock=clock, random=random)

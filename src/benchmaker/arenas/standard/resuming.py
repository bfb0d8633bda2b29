"""Resumes runs from Python."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from benchmaker.arenas.standard.answers import Answers, reopen_answers
from benchmaker.arenas.standard.blocking import make_blocking
from benchmaker.arenas.standard.call_options import validate_arguments
from benchmaker.arenas.standard.controlling import end_pause, last_concurrency
from benchmaker.arenas.standard.judges import JudgeSelection, reopen_judges
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.result import RunResult, run_result
from benchmaker.arenas.standard.run_context import (
    RunContext,
    refuse_judging_over_budget,
    start_rendering,
)
from benchmaker.engine.executors.executor_names import executor_named, worker_source_of
from benchmaker.engine.executors.preparing import prepare_remotely
from benchmaker.engine.judges.judge_makers import embedding_models, load_scorers
from benchmaker.engine.requests.progress import OnProgress
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.extend import add_setups, raise_runs, refuse_fewer
from benchmaker.engine.runs.logprobs import refuse_missing_logprobs
from benchmaker.engine.runs.resume import runs_named
from benchmaker.engine.runs.series import is_open
from benchmaker.engine.runs.setups import added_setups, with_setups
from benchmaker.engine.runs.suite_correction import refuse_unrecorded
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.errors import SpecError
from benchmaker.record import Run, Setup
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.store import Store
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.providers.base import Provider
    from benchmaker.providers.function import Answer


@validate_arguments
async def aresume(
    run_id: str = "latest",
    *,
    recorded: str | Path | None = None,
    provider: "Provider | Answer | None" = None,
    add_models: Sequence[str] | str = (),
    home: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    judge_provider: "Provider | Answer | None" = None,
    stop: asyncio.Event | None = None,
    on_progress: OnProgress | None = None,
    options: RunOptions | None = None,
    **deprecated: Any,  # noqa: ANN401, ARG001  moved into options by ``validate_arguments``
) -> RunResult:
    """Resume an interrupted run or series, running only trials without a row.

    A paused run is resumed; to change its limits first, see :func:`benchmaker.control`.

    ``add_models`` and the options ``prompts``, ``efforts`` and ``runs`` extend a run, even a
    finished one, by setups and runs; ``retry_failed`` retries infrastructure failures. A dropped
    model stays dropped unless ``add_models`` names it.

    The run's settings (streaming, cache, budget, retries, the total time of a request) are kept
    unless overridden. Earlier spending counts towards the budget.

    Args:
        run_id: a run or a series: its id, a prefix of one, or ``latest``.
        recorded: the current path of the file of answers, if it was moved.
        provider: the source of answers, if the run was started with a Python provider.
        add_models: models to add to every run.
        home: as in :func:`arun`, like the following arguments.
        environ: the source of keys and base URLs of live models.
        judge_provider: the source of judges' replies, if it was a Python provider.
        stop: set it to stop cleanly.
        on_progress: called with a snapshot, at most four times a second.
        options: see :class:`RunOptions`. ``runs`` is the total number of runs: a single run becomes
            the first of a series. ``max_cost_usd`` is the budget of the whole run or series.
            Settings fixed at the start of the run cannot be changed.
        deprecated: single options, as in the previous release.

    Raises:
        SpecError: unknown run, its recorded answers are missing or changed, or there are more runs
            than requested.
        PrerequisiteError: a key is missing, or a price needed for a budget.
        Conflict: another process works on it; the message names it.
    """
    given = options or RunOptions()
    with Home.of(home, given.store).open_store() as opened:
        for name in opened.resolve(run_id).run_ids[:1]:
            end_pause(opened, name, is_limited=given.concurrency is not None)
    return await continue_runs(
        run_id,
        recorded=recorded,
        provider=provider,
        add_models=add_models,
        home=home,
        environ=environ,
        judge_provider=judge_provider,
        stop=stop,
        on_progress=on_progress,
        options=given,
    )


async def continue_runs(
    run_id: str,
    *,
    recorded: str | Path | None = None,
    provider: "Provider | Answer | None" = None,
    add_models: Sequence[str] | str = (),
    home: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    judge_provider: "Provider | Answer | None" = None,
    stop: asyncio.Event | None = None,
    on_progress: OnProgress | None = None,
    options: RunOptions,
) -> RunResult:
    """Resume a run or series as :func:`aresume` does; a paused one waits to be resumed."""
    given, place = options, Home.of(home, options.store)
    with place.open_store() as opened:
        clock, random = given.clock or SystemClock(), given.random or SystemRandom()
        known = runs_named(opened, run_id, clock=clock, random=random)
        options = RunOptions.of_record(known[0].options).with_overrides(given)
        if options.concurrency is None:
            options = replace(options, concurrency=last_concurrency(opened, known[0].id))
        context = RunContext(place, options, on_progress, stop or asyncio.Event(), clock, random)
        refuse_unrecorded(opened, known)
        more = _additions_of(opened, known[0], add_models, given, runs=options.runs)
        if not more.is_wanted(known) and not any(is_open(opened, run, options) for run in known):
            return run_result(opened, [run.id for run in known], place)
        live = LiveOptions.of(
            replace(options, seed=known[0].seed), environ=environ, home=place.home
        )
        extended = with_setups(known[0], more.setups)
        opening = reopen_answers(extended, recorded=recorded, provider=provider, live=live)
        async with (
            opening.session() as answers,
            reopen_judges(
                known[0],
                JudgeSelection.of(options, judge_provider),
                live,
                embedded=_corrected_embeddings(opened, known[0]),
            ) as (named, jurors),
            executor_named(options.executor) as executing,
            prepare_remotely(worker_source_of(executing), named) as judges,
        ):
            if more.runs is not None:
                answers.runs_for(more.runs)
            more.refuse_missing_logprobs(opened, known[0], answers)
            context.refuse_over_budget(answers)
            await refuse_judging_over_budget(answers, options, judges=judges, jurors=jurors)
            await start_rendering(answers, judges)
            noted = [_with_endpoint_note(opened, run, answers, context.clock) for run in known]
            runs_now = more.extend(opened, noted, answers, context)
            return await context.work(opened, runs_now, answers, judges=judges, executor=executing)


def _corrected_embeddings(store: Store, run: Run) -> tuple[str, ...] | None:
    """Return the models of embeddings of a corrected suite; None for any other run."""
    if run.rescored_from is None:
        return None
    return embedding_models(load_scorers(store.suite(run.suite_hash)))


def _additions_of(
    store: Store,
    run: Run,
    models: Sequence[str] | str,
    options: RunOptions,
    *,
    runs: int | None,
) -> "_Additions":
    """The setups and runs that are requested and that the runs lack.

    Raises:
        SpecError: an unknown prompt or effort.
    """
    models, prompts, efforts = map(_words, (models, options.prompts, options.efforts))
    if not (models or prompts or efforts):
        return _Additions((), runs)
    suite = store.suite(run.suite_hash)
    _refuse_unknown_prompts(run, suite, prompts)
    dropped = (run.setup(name) for name in run.dropped)
    again = [it for it in dropped if {it.name, it.model, it.model_label} & set(models)]
    known = {it.name for it in again}
    models = tuple(name for name in models if name not in known)
    new = added_setups(run, suite, models=models, prompts=prompts, efforts=efforts)
    return _Additions((*new, *again), runs)


def _refuse_unknown_prompts(run: Run, suite: Suite, prompts: Sequence[str]) -> None:
    """Raise SpecError for a prompt that the stored suite lacks, with the way to a later version."""
    known = [str(one.id) for one in suite.prompts]
    for name in prompts:
        if name not in known:
            nearest = did_you_mean(name, known)
            added = (
                f"If the prompt was added to the file later: benchmaker rescore {run.id} "
                "--suite FILE, then benchmaker resume with the id of the new run."
            )
            raise SpecError(
                f"the version of suite {suite.name!r} that is stored with run {run.id} has no "
                f"prompt {name!r}.",
                hint=f"{nearest} {added}" if nearest else added,
            )


def _words(given: Sequence[str] | str) -> tuple[str, ...]:
    """The words; a single one counts as a list."""
    return (given,) if isinstance(given, str) else tuple(given)


class _Additions(NamedTuple):
    """The requested additions to the plan."""

    setups: Sequence[Setup]
    runs: int | None

    def is_wanted(self, known: Sequence[Run]) -> bool:
        """True if more is requested than the runs have planned; SpecError if less."""
        wanted = len(known) if self.runs is None else self.runs
        refuse_fewer(wanted, len(known))
        new = any(
            setup.name not in run.models or setup.name in run.dropped
            for setup in self.setups
            for run in known
        )
        return new or wanted > len(known)

    def refuse_missing_logprobs(self, store: Store, run: Run, answers: Answers) -> None:
        """Raise SpecError if a scorer requires log probabilities that an added model lacks."""
        if self.setups:
            given = {one.name: Parameters.of_record(one.parameters) for one in self.setups}
            refuse_missing_logprobs(store.suite(run.suite_hash), answers.provider, given)

    def extend(
        self, store: Store, known: Sequence[Run], answers: Answers, context: RunContext
    ) -> Sequence[Run]:
        """Store the runs with the additions."""
        ttl_s = answers.limits.lease_s
        extended = add_setups(
            store,
            known,
            self.setups,
            provider=answers.description,
            clock=context.clock,
            ttl_s=ttl_s,
        )
        return raise_runs(
            store,
            extended,
            len(known) if self.runs is None else self.runs,
            clock=context.clock,
            random=context.random,
            ttl_s=ttl_s,
        )


def _with_endpoint_note(store: Store, run: Run, answers: Answers, clock: Clock) -> Run:
    """Return the run, with a note if its models have another endpoint from now on."""
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
        notes=(*run.notes, f"changed base URL: {', '.join(moved)}"),
    )
    store.amend_run(amended)
    return amended


resume = make_blocking(
    "resume",
    """Resume an interrupted run or series, with requests only for trials without a row.

    Blocking form of :func:`aresume`, with the same arguments; handles signals as :func:`run` does.

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

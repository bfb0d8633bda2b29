"""Other scores for stored answers, from Python."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from benchmaker.arenas.standard.blocking import make_blocking, signals
from benchmaker.arenas.standard.call_options import validate_arguments
from benchmaker.arenas.standard.correcting import Corrected, OnCorrection, score_corrected
from benchmaker.arenas.standard.judges import JudgeSelection, open_judges, reopen_judges
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.result import RunResult, run_result
from benchmaker.arenas.standard.run_context import refuse_unpriced_judges
from benchmaker.engine.executors.executor_names import worker_source_named
from benchmaker.engine.judges.judge_makers import (
    Judges,
    asking_scorers,
    embedding_models,
    load_scorers,
)
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.code_runs import refuse_page_scorer
from benchmaker.engine.runs.rescore import RescoreResult, refuse_in_force
from benchmaker.engine.runs.rescore import rescore as rescore_run
from benchmaker.engine.runs.run import settle_judged_run
from benchmaker.errors import SpecError
from benchmaker.providers.base import Provider
from benchmaker.record import Run
from benchmaker.spec import ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.providers.function import Answer


@validate_arguments
async def arescore(
    run_id: str = "latest",
    *,
    suite: Suite | Mapping[str, Any] | str | Path | None = None,
    scorer: ScorerSpec | Mapping[str, Any] | str | None = None,
    home: str | Path | None = None,
    environ: Mapping[str, str] | None = None,
    judge_provider: "Provider | Answer | None" = None,
    ask_judges: bool = True,
    on_correction: OnCorrection | None = None,
    since: int | None = None,
    made_as: str | None = None,
    stop: asyncio.Event | None = None,
    options: RunOptions | None = None,
    **deprecated: Any,  # noqa: ANN401, ARG001  moved into options by ``validate_arguments``
) -> RunResult:
    """Score the stored answers of a run or series again; no model under test is queried.

    Judges are queried if the scorer uses them, for questions without a stored reply. Every score
    becomes a new version; the earlier ones are kept, and the latest counts.

    Args:
        run_id: a run or a series: its id, a prefix of one, or ``latest``.
        suite: a corrected suite, by which the answers are scored as a separate run or series; the
            original is unchanged. Cases are matched by id and prompt; others are not run until the
            new run is resumed. Stored judgments are reused if their question is unchanged.
        scorer: replaces the suite's default scorer; cases with their own keep it.
        home: the data folder; ``~/.local/share/benchmaker`` by default.
        environ: the source of keys and base URLs of live judges.
        judge_provider: the source of judges' replies, if neither a live model nor a file.
        ask_judges: with ``suite``, False leaves answers that need a new judgment without a score.
        on_correction: with ``suite``, called with its changes and the estimated cost of judging,
            before a judge is queried.
        since: resumes an interrupted rescoring: the number of the last row when it started; equal
            scores written later are not written again.
        made_as: with ``suite``, the id of the new run, or of the first one of a series; an existing
            run is resumed.
        stop: set it to stop cleanly.
        options: see :class:`RunOptions`: the profile and the judges override the earlier ones.
            Judges need a suite or a ``scorer`` that uses one, such as ``llm_judge``.
            ``max_cost_usd`` limits the cost of judges; ``executor`` is the place of scoring, but
            judges are queried only from this process.
        deprecated: single options, as in the previous release.

    Raises:
        SpecError: unknown run, profile, scorer, judge or executor, a judge that neither the suite
            nor ``scorer`` uses, all scores are already by this scorer, code_judge for a run that is
            not of the Code Arena, or judges would be queried from a cluster.
        PrerequisiteError: a judge's key is missing, or a price needed for a budget.
        Conflict: another process works on it.
    """
    options = options or RunOptions()
    place = Home.of(home, options.store)
    wanted = JudgeSelection.of(options, judge_provider)
    live = LiveOptions.of(options, environ=environ, home=place.home)
    ending = stop or asyncio.Event()
    if suite is not None:
        _refuse_beside_suite(scorer, since, options.executor)
        usd = options.max_cost_usd
        how = Corrected(
            suite=suite,
            profile=options.profile,
            wanted=wanted,
            live=live,
            budget=Budget(usd) if usd is not None else None,
            asks_judges=ask_judges,
            on_correction=on_correction,
            run_id=made_as,
            stop=ending,
        )
        return await score_corrected(place, run_id, how)
    with place.open_store() as opened:
        run_ids = opened.resolve(run_id).run_ids
        order = _RescoreOrder(_spec(scorer), wanted, live, options, since, ending)
        done = await _rescore_stored(opened, run_ids, order)
        result = run_result(opened, run_ids, place, halted=done.halted, interrupted=ending.is_set())
        return replace(result, undecided=done.undecided, unsent=done.unsent)


class _Rescored(NamedTuple):
    """The reason of an early end, and the numbers of answers without a judgment now."""

    halted: str = ""
    undecided: int = 0
    unsent: int = 0


class _RescoreOrder(NamedTuple):
    """The settings of one call."""

    scorer: ScorerSpec | None
    wanted: JudgeSelection
    live: LiveOptions
    options: RunOptions
    since: int | None
    stop: asyncio.Event


async def _rescore_stored(opened: Store, run_ids: Sequence[str], order: _RescoreOrder) -> _Rescored:
    """Score the runs."""
    first = opened.run(run_ids[0])
    wanted, spec, max_cost_usd = order.wanted, order.scorer, order.options.max_cost_usd
    await asyncio.to_thread(refuse_page_scorer, opened, run_ids, spec)
    if order.options.prepare is None:
        wanted = replace(wanted, prepare=first.judge.get("prepare"))
    stored = opened.suite(first.suite_hash)
    if spec is not None:
        stored = replace(stored, scorer=spec)
    stored = load_scorers(stored)
    async with (
        _judges(first, stored, wanted, order.live) as (named_judges, jurors),
        worker_source_named(order.options.executor) as crew,
    ):
        judges = _with_calibrations(opened, stored, named_judges, jurors)
        if spec is not None and judges is None and order.since is None:
            refuse_in_force(opened, run_ids, spec, profile=order.options.profile)
        if max_cost_usd is not None and judges is not None:
            await asyncio.to_thread(refuse_unpriced_judges, judges, jurors)
        budget = _budget(opened, run_ids, max_cost_usd, order.since)
        each = partial(
            rescore_run,
            opened,
            profile=order.options.profile,
            scorer=spec,
            judges=judges,
            jurors=jurors,
            budget=budget,
            since=order.since,
            stop=order.stop,
            crew=crew,
        )
        return await _rescore_each(opened, run_ids, each, order.stop)


async def _rescore_each(
    opened: Store,
    run_ids: Sequence[str],
    each: Callable[[str], Awaitable[RescoreResult]],
    stop: asyncio.Event,
) -> _Rescored:
    """Score run by run until a stop."""
    ended = _Rescored()
    with signals(stop):
        for member in run_ids:
            if stop.is_set():
                break
            done = await each(member)
            ended = _Rescored(
                ended.halted or done.halted,
                ended.undecided + done.undecided,
                ended.unsent + done.unsent,
            )
            settle_judged_run(opened, member)
    return ended


def _budget(
    store: Store, run_ids: Sequence[str], most_usd: float | None, since: int | None
) -> Budget | None:
    """The budget, less what judges cost since a re-scoring that was cut off began."""
    if most_usd is None:
        return None
    spent = 0.0 if since is None else store.judges_usd_after(run_ids, since)
    return Budget(most_usd, spent_usd=spent)


def _refuse_beside_suite(scorer: object, since: int | None, executor: str | None) -> None:
    """Raise SpecError for options that a corrected suite sets itself or does not support."""
    if scorer is not None:
        raise SpecError(
            "a corrected suite already sets its scorers.", hint="Remove the scorer or the suite."
        )
    if since is not None or executor not in (None, "local"):
        raise SpecError(
            "a corrected suite does not support since or executor.",
            hint="Remove since and executor.",
        )


def _judges(
    run: Run, suite: Suite, wanted: JudgeSelection, live: LiveOptions
) -> AbstractAsyncContextManager[tuple[Judges | None, tuple[str, ...]]]:
    """Open the judges: the ones given now, else the earlier ones."""
    if not wanted.is_named and run.judge and asking_scorers(suite, None):
        return reopen_judges(run, wanted, live, embedded=embedding_models(suite))
    return open_judges(suite, wanted, live)


def _with_calibrations(
    store: Store, suite: Suite, judges: Judges | None, models: tuple[str, ...]
) -> Judges | None:
    """The judges with the calibrations that they rest on now."""
    if judges is None:
        return None
    from benchmaker.engine.runs.judge_calibrations import with_calibrations  # noqa: PLC0415  for judges alone

    scorers = tuple(asking_scorers(suite, judges.chosen))
    return with_calibrations(store, replace(judges, scorers=scorers), suite, models)


rescore = make_blocking(
    "rescore",
    """Score the stored answers of a run or series again; no model under test is queried.

    Blocking form of :func:`arescore`, with the same arguments.

    >>> from tempfile import TemporaryDirectory
    >>> from benchmaker import Case, ScorerSpec, Suite, run
    >>> from benchmaker.providers.scripted import Scripted
    >>> sums = Suite(
    ...     "sums", [Case(id="a", prompt="40 + 2?", expected="42")], scorer=ScorerSpec(id="exact")
    ... )
    >>> with TemporaryDirectory() as home:
    ...     before = run(sums, provider=Scripted({("m", "a"): "It is 42."}), home=home)
    ...     after = rescore(before.run_ids[0], scorer="numeric", home=home)
    >>> before.mean("m") < after.mean("m")
    True
    """,
    arescore,
)


def _spec(scorer: ScorerSpec | Mapping[str, Any] | str | None) -> ScorerSpec | None:
    try:
        return None if scorer is None else ScorerSpec.model_validate(scorer)
    except ValidationError as exc:
        raise SpecError(
            f"{scorer!r} is not a scorer.", hint="Use its id, or {'id': …} with its parameters."
        ) from exc

"""A corrected suite over stored answers, from Python."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from benchmaker.arenas.standard.blocking import signals
from benchmaker.arenas.standard.judges import JudgeSelection, open_judges, reopen_judges
from benchmaker.arenas.standard.live import LiveOptions
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.arenas.standard.result import RunResult, not_run, run_result
from benchmaker.engine.judges.judge_makers import (
    Judges,
    asking_scorers,
    chosen_for,
    embedding_models,
    judges_of,
    load_scorers,
)
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.runs.estimate import ModelEstimate
from benchmaker.engine.runs.judge_calibrations import with_calibrations
from benchmaker.engine.runs.rescore import rescore
from benchmaker.engine.runs.run import settle_run
from benchmaker.engine.runs.suite_correction import copy_runs, correction_of, score_copies
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import SpecError
from benchmaker.providers.base import describe
from benchmaker.record import Run
from benchmaker.spec import Case, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store
from benchmaker.store.home import Home

if TYPE_CHECKING:
    from benchmaker.engine.runs.suite_correction import Correction

_PAGE = 200
_HINT = "Edit it first, or use --profile, --scorer or --judge."

OnCorrection = Callable[["Correction", tuple[ModelEstimate, ...]], object]
"""Called with a corrected suite's changes and the estimated cost, before any judge request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """A corrected suite, and the options of scoring by it.

    ``budget`` is for judges; ``asks_judges`` is true if they are queried for missing judgments.
    ``on_correction`` is called with it before. ``run_id`` is the id of the new run, or of the first
    one of a series; if that run exists, it is resumed.
    """

    suite: Suite | Mapping[str, Any] | str | Path
    profile: str | None = None
    wanted: JudgeSelection
    live: LiveOptions
    budget: Budget | None = None
    asks_judges: bool = True
    on_correction: OnCorrection | None = None
    run_id: str | None = None
    stop: asyncio.Event


async def score_corrected(place: Home, run_id: str, how: Corrected) -> RunResult:
    """Score the stored answers of a run or series by a corrected suite, as separate runs.

    If the suite is the run's own, or earlier scores by it wait for a judge, that run is resumed:
    waiting answers are judged.

    Raises:
        SpecError: the suite is the run's own and no answer waits for a judge, or there is no common
            case.
        PrerequisiteError: a judge's key is missing.
    """
    clock = SystemClock()
    with place.open_store() as opened:
        sources = [opened.run(it) for it in opened.resolve(run_id).run_ids]
        first, old = sources[0], opened.suite(sources[0].suite_hash)
        is_judged = bool(first.judge.get("asked")) or how.wanted.names_somebody
        profile = profile_named(how.profile or first.profile)
        read = runnable_suite(how.suite, profile=profile.name, judged=is_judged)
        suite = load_scorers(opened.suite(opened.put_suite(read)))
        refuse_equal(opened, sources, suite)
        goes_on = suite.content_hash == first.suite_hash
        if goes_on:
            _refuse_other_profile(first, profile.name)
        correction = correction_of(first, old, suite)
        if goes_on:
            correction = _of_the_rest(opened, sources, correction)
        halted = ""
        async with _judges(first, suite, how) as (chosen, jurors):
            judges = _with_calibrations(opened, suite, chosen, jurors)
            marker = TrialScorer(
                suite, profile, judge=judges.chosen if judges else chosen_for(first),
                weights=judges.weights if judges else first.judge.get("weights", {}),
                run=first,
            )  # fmt: skip
            made = (
                tuple(sources)
                if goes_on
                else await _copy_runs(
                    opened, sources, correction, marker, how=how, profile=profile.name
                )
            )
            if how.on_correction is not None:
                awaited = tuple(_waiting_cases(opened, made)) if judges else ()
                how.on_correction(
                    correction, _estimate_judging(place, suite, judges, awaited, first)
                )
            with signals(how.stop):
                for run in made if judges else ():
                    halted = halted or await _judge_waiting(opened, run, judges, jurors, how)
                    settle_run(opened, run, clock)
        run_ids = tuple(run.id for run in made)
        return run_result(opened, run_ids, place, halted=halted, interrupted=how.stop.is_set())


async def _copy_runs(
    store: Store,
    sources: Sequence[Run],
    correction: "Correction",
    marker: TrialScorer,
    *,
    how: Corrected,
    profile: str,
) -> tuple[Run, ...]:
    """Return the runs of the corrected suite, with answers scored as far as possible."""
    begun = how.run_id or _waiting_copy(store, sources, correction.suite, profile)
    made = copy_runs(
        store, sources, correction, profile=profile, clock=SystemClock(),
        random=SystemRandom(), run_id=begun,
    )  # fmt: skip
    if how.budget is not None and how.run_id is not None:
        how.budget.spent_usd = store.spent_usd([run.id for run in made])
    for run, source in zip(made, sources, strict=True):
        await score_copies(store, run, source, correction=correction, marker=marker)
    return made


def _waiting_copy(store: Store, sources: Sequence[Run], suite: Suite, profile: str) -> str | None:
    """The newest run that took these answers by this suite, where some still wait for a judge."""
    for run in reversed(store.runs(suite_hash=suite.content_hash)):
        if (run.rescored_from, run.profile) != (sources[0].id, profile):
            continue
        run_ids = store.resolve(run.series_id or run.id).run_ids
        taken = [store.run(it).rescored_from for it in run_ids]
        if taken == [it.id for it in sources] and any(map(store.count_awaiting, run_ids)):
            return run.id
    return None


def _of_the_rest(store: Store, runs: Sequence[Run], correction: "Correction") -> "Correction":
    """Return the correction for resumed runs: answered cases, and missing cases and setups."""
    missing = tuple(dict.fromkeys(not_run(store, runs)))
    kept = {name: it for name, it in correction.kept.items() if name not in missing}
    answered = {trial.model for run in runs for trial in store.trials(run.id)}
    unanswered = tuple(it.name for it in correction.setups if it.name not in answered)
    return changed(correction, kept=kept, new=missing, changed_setups=unanswered)


def refuse_equal(store: Store, runs: Sequence[Run], suite: Suite) -> None:
    """Raise SpecError if the runs used this suite and no answer waits for a judge."""
    run = runs[0]
    if suite.content_hash == run.suite_hash and not any(store.count_awaiting(it.id) for it in runs):
        raise SpecError(
            f"suite {suite.name!r} is unchanged since run {run.id}, so no score can change.",
            where=suite.source or "",
            hint=_HINT,
        )


def _refuse_other_profile(run: Run, profile: str) -> None:
    """Raise SpecError where what waits would be judged under another profile than the rest."""
    if profile != run.profile:
        raise SpecError(
            f"answers of run {run.id} wait for a judge under profile {run.profile}.",
            hint="Remove --profile until they are judged.",
        )


async def _judge_waiting(
    store: Store,
    run: Run,
    judges: Judges | None,
    jurors: tuple[str, ...],
    how: Corrected,
) -> str:
    """Judge what waits for it; returns why judging stopped early."""
    if not store.count_awaiting(run.id):
        return ""
    done = await rescore(
        store, run.id, judges=judges, jurors=jurors, budget=how.budget, stop=how.stop,
        awaiting=True,
    )  # fmt: skip
    return done.halted


@asynccontextmanager
async def _judges(
    first: Run, suite: Suite, how: Corrected
) -> AsyncIterator[tuple[Judges | None, tuple[str, ...]]]:
    """Open the judges: the ones given now, else the earlier ones unless the suite changed."""
    embedded = embedding_models(suite)
    is_any_wanted = asking_scorers(suite, None) or embedded or how.wanted.names_somebody
    if not how.asks_judges or not is_any_wanted:
        yield None, ()
        return
    names = tuple(first.judge.get("asked", ()))
    is_as_before = not how.wanted.is_named and names
    if is_as_before and set(judges_of(suite, chosen_for(first))) <= set(names):
        async with reopen_judges(first, how.wanted, how.live, embedded=embedded) as found:
            yield found
        return
    async with open_judges(suite, how.wanted, how.live) as found:
        yield found


def _with_calibrations(
    store: Store, suite: Suite, judges: Judges | None, jurors: Sequence[str]
) -> Judges | None:
    if judges is None:
        return None
    scorers = tuple(asking_scorers(suite, judges.chosen))
    return with_calibrations(store, changed(judges, scorers=scorers), suite, jurors)


def _waiting_cases(store: Store, runs: Sequence[Run]) -> Iterator[Case]:
    """The case of each answer that waits for a judge."""
    for run in runs:
        last = 0
        while page := store.trials_awaiting_judge(run.id, after=last, limit=_PAGE):
            last = page[-1][0]
            for _, trial in page:
                yield store.case(run.suite_hash, trial.position)


def _estimate_judging(
    place: Home, suite: Suite, judges: Judges | None, cases: Sequence[Case], run: Run
) -> tuple[ModelEstimate, ...]:
    """Return the estimated cost of scoring these answers; empty without live requests."""
    if judges is None or not cases:
        return ()
    is_live = describe(judges.provider).get("kind") == "live"
    if not is_live and judges.embeddings is None:
        return ()
    from benchmaker.arenas.standard.estimating import judged_of, judging_parts  # noqa: PLC0415  for live judges

    judged = judged_of(suite, judges.chosen, place, recorded=not is_live)
    most = int(run.parameters.get("max_tokens") or 2048)
    return judging_parts(judged, lambda: cases, models=1, runs=1, max_tokens=most) if judged else ()

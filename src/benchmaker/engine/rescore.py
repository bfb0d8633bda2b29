"""Other scores for answers that are stored; no provider is asked anything."""

import asyncio
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from benchmaker.engine.clock import Clock, SystemClock
from benchmaker.engine.hold import held
from benchmaker.engine.limits import REPLAY
from benchmaker.engine.mark import Marker, is_markable
from benchmaker.record import Run, Trial
from benchmaker.spec import Case, Profile, ScorerSpec
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store, Writer


class Rescored(NamedTuple):
    """What re-scoring a run did, in trials.

    ``scored`` got a further version of their score, which in ``changed`` of them is another
    number or outcome; ``untouched`` are those whose answer infrastructure lost.
    """

    run_id: str
    scored: int
    changed: int
    untouched: int


async def rescore(
    store: Store,
    run_id: str,
    *,
    profile: str | None = None,
    scorer: ScorerSpec | None = None,
    clock: Clock | None = None,
    lease_s: float = REPLAY.lease_s,
) -> Rescored:
    """Mark the stored answers of a run anew and append the scores as further versions.

    Args:
        store: where the run is.
        run_id: its full id.
        profile: the scoring profile, instead of the run's; it becomes the run's.
        scorer: stands in for the suite's default; cases that name their scorer keep it.
        clock: where time comes from.
        lease_s: how long the run stays held after this process last said it lives.

    Raises:
        SpecError: no such profile or scorer.
        Conflict: another process works on this run.
    """
    clock = clock or SystemClock()
    run = store.run(run_id)
    chosen = profile_named(profile or run.profile)
    suite = store.suite(run.suite_hash)
    marker = Marker(suite, chosen, scorer=scorer)
    scored = changed = untouched = 0
    with held(store, run_id, clock=clock, ttl_s=lease_s) as hold:
        with Writer(store, lease=hold.lease) as writer:
            for trial, case in with_cases(store.trials(run_id), suite.cases):
                if not is_markable(trial):
                    untouched += 1
                    continue
                marked = await marker.mark(trial, case)
                _append(writer, marked)
                scored += 1
                changed += _differs(trial, marked)
                if scored % REPLAY.batch == 0:
                    hold.renew_in_time()
                    await asyncio.sleep(0)
        store.amend_run(_amended(run, chosen, scorer, clock))
    return Rescored(run_id, scored, changed, untouched)


def with_cases(trials: Iterable[Trial], cases: Iterable[Case]) -> Iterator[tuple[Trial, Case]]:
    """Each trial with its case; both come in the order of the suite."""
    following = enumerate(cases)
    position, case = -1, None
    for trial in trials:
        while position < trial.position:
            position, case = next(following)
        if case is not None:
            yield trial, case


def _append(writer: Writer, marked: Trial) -> None:
    if marked.score is not None:
        writer.put_score(
            marked.key,
            marked.score,
            outcome=marked.outcome,
            error_type=marked.error_type,
            error=marked.error,
        )


def _differs(before: Trial, after: Trial) -> bool:
    return before.outcome is not after.outcome or _number(before) != _number(after)


def _number(trial: Trial) -> float | None:
    return trial.score.score if trial.score else None


def _amended(run: Run, profile: Profile, scorer: ScorerSpec | None, clock: Clock) -> Run:
    how = f"{profile.name}/{profile.version}" + (f", scorer {scorer.id}" if scorer else "")
    return replace(
        run,
        profile=profile.name,
        profile_version=profile.version,
        notes=(*run.notes, f"scored anew {clock.now_utc()}: {how}"),
    )

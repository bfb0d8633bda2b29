"""Stored answers under a corrected suite: copied into separate runs, and scored there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from msgspec.structs import replace

from benchmaker.engine.judges.replies import JudgmentContext, take_over
from benchmaker.engine.judges.stored_replies import StoredReplies
from benchmaker.engine.requests.cache import CACHE_HIT
from benchmaker.engine.requests.limits import REPLAY
from benchmaker.engine.runs.lock import lock_run
from benchmaker.engine.runs.rescore import with_cases
from benchmaker.engine.runs.run import settle_run
from benchmaker.engine.runs.series import enrol, members
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.engine.trials.plan import select_cases
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import SpecError
from benchmaker.record import (
    AWAITING_JUDGE,
    JUDGE_AGAIN,
    Judgment,
    Outcome,
    Run,
    RunState,
    Trial,
    Usage,
)
from benchmaker.record.attempt import RECORDED, Attempt
from benchmaker.scoring.base import Question
from benchmaker.spec import Case, Message, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.spec.suites.rendering import conversation
from benchmaker.store import Store, Writer
from benchmaker.structs import shared_fields

_LISTED = 20

RECORD_ANSWERS = (
    "the recording answers no question that is new or in other words: record answers to these "
    "cases, then benchmaker run SUITE --recorded FILE"
)
"""The remedy for cases that were not run, if answers come from a file."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The cases that a corrected suite shares with the run's suite.

    ``kept`` are the selected cases with the same question, with their positions in the corrected
    suite. The others have no answers: ``new`` cases were never run, ``reworded`` ones have another
    wording. The cases in ``gone`` are only in the old suite. ``is_recorded`` is true if the answers
    are from a file, which has none to other questions.
    """

    suite: Suite
    kept: Mapping[str, tuple[int, Case]]
    new: tuple[str, ...]
    reworded: tuple[str, ...]
    gone: tuple[str, ...]
    is_recorded: bool = False

    @property
    def planned_cases(self) -> int:
        """The planned number of cases of a run of the corrected suite.

        Models can answer the others later, a recording cannot: without them the run is finished.
        """
        return len(self.kept) + (0 if self.is_recorded else len(self.not_run))

    @property
    def not_run(self) -> tuple[str, ...]:
        """The cases of the corrected suite that have no answer."""
        return (*self.new, *self.reworded)

    @property
    def answered_sentence(self) -> str:
        """The number of cases that can be rescored, as a sentence."""
        has = "1 case of the suite has" if len(self.kept) == 1 else (
            f"{len(self.kept):,} cases of the suite have"
        )  # fmt: skip
        return f"{has} stored answers."

    def sentences(self) -> Iterator[str]:
        """Yield the cases that are not run, the removed ones, and the remedy for the former."""
        for names, what in (
            (self.new, "not run (new)"),
            (self.reworded, "not run (prompt changed)"),
            (self.gone, "excluded (no longer in the suite)"),
        ):
            if names:
                more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
                noun = "1 case is" if len(names) == 1 else f"{len(names):,} cases are"
                yield f"{noun} {what}: {', '.join(names[:_LISTED])}{more}"
        if self.not_run:
            yield RECORD_ANSWERS if self.is_recorded else "to run them, use benchmaker resume"


def correction_of(run: Run, old: Suite, corrected: Suite) -> Correction:
    """Return the differences between the corrected suite and the run's suite.

    Raises:
        SpecError: no common case with the same wording.
    """
    prompts = tuple(dict.fromkeys(run.setup(name).prompt_id for name in run.models))
    before = {case.id: _messages(old, case, prompts) for case in old.cases}
    kept: dict[str, tuple[int, Case]] = {}
    new, reworded, there = [], [], set()
    for position, case in select_cases(corrected.cases, run.selection):
        there.add(case.id)
        if case.id not in before:
            new.append(case.id)
        elif before[case.id] != _messages(corrected, case, prompts):
            reworded.append(case.id)
        else:
            kept[case.id] = (position, case)
    gone = tuple(name for name in before if name not in there)
    if not kept:
        raise SpecError(
            f"run {run.id} has no answer to a case of suite {corrected.name!r}: no case has the "
            "same id and the same prompt.",
            hint="Run them: benchmaker run SUITE --model …",
        )
    is_recorded = run.provider.get("kind") == "recorded"
    return Correction(corrected, kept, tuple(new), tuple(reworded), gone, is_recorded)


def _messages(
    suite: Suite, case: Case, prompts: Sequence[str | None]
) -> tuple[tuple[Message, ...], ...]:
    """The messages of a case with each prompt; none for a prompt that the suite lacks."""
    known = {None, *(one.id for one in suite.prompts)}
    return tuple(conversation(suite, case, it) if it in known else () for it in prompts)


def refuse_unrecorded(store: Store, runs: Sequence[Run]) -> None:
    """Raise SpecError if a recording would have to answer new questions.

    This applies to rescored runs whose suite has new or reworded cases.
    """
    for run in runs:
        if run.rescored_from is None or run.provider.get("kind") != "recorded":
            continue
        names = [
            case.id for _, case in select_cases(store.suite(run.suite_hash).cases, run.selection)
        ]
        if run.planned >= len(names) * len(run.models):
            continue
        done = {trial.case_id for trial in store.trials(run.id)}
        not_run = [name for name in names if name not in done]
        raise SpecError(
            f"the recording of run {run.id} has no answer to {_name_cases(not_run)}.",
            hint="Record answers, then: benchmaker run SUITE --recorded FILE",
        )


def _name_cases(names: Sequence[str]) -> str:
    """Return the number of cases, and their names."""
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    noun = "case" if len(names) == 1 else f"{len(names):,} cases:"
    return f"{noun} {', '.join(names[:_LISTED])}{more}"


def copy_runs(
    store: Store,
    runs: Sequence[Run],
    correction: Correction,
    *,
    profile: str | None,
    clock: Clock,
    random: Random,
    run_id: str | None = None,
) -> tuple[Run, ...]:
    """Create the runs of the corrected suite, without any answers yet.

    ``run_id`` is the id of the first. If it exists already, the runs of an earlier call are
    returned.
    """
    suite, first = correction.suite, runs[0]
    made = _existing_runs(store, suite, run_id, clock=clock, random=random)
    if made:
        return _date_runs(store, made, runs, correction, clock)
    suite_before = store.suite(first.suite_hash)
    chosen = profile_named(profile or first.profile)
    pattern = replace(
        first,
        id=run_id or new_run_id(clock, random),
        number=first.number if len(runs) == 1 else 1,
        suite_hash=suite.content_hash,
        suite_name=suite.name,
        metric=suite.metric if first.metric == suite_before.metric else first.metric,
        series_id=None,
        profile=chosen.name,
        profile_version=chosen.version,
        system_prompt=suite.system_prompt,
        judge_prompt=suite.judge_prompt,
        planned=correction.planned_cases * len(first.models),
        state=RunState.INTERRUPTED,
        imported_from=None,
        not_run=(),
        notes=(),
    )
    made = enrol(store, pattern, runs=len(runs), clock=clock, random=random)
    return _date_runs(store, made, runs, correction, clock)


def _existing_runs(
    store: Store, suite: Suite, run_id: str | None, *, clock: Clock, random: Random
) -> tuple[Run, ...]:
    """The run of that id, with all of its series; empty where there is none."""
    known = store.runs(suite_hash=suite.content_hash) if run_id else ()
    found = next((run for run in known if run.id == run_id), None)
    if found is None or found.series_id is None:
        return (found,) if found else ()
    return members(store, found.series_id, clock=clock, random=random)


def _date_runs(
    store: Store, made: Sequence[Run], runs: Sequence[Run], correction: Correction, clock: Clock
) -> tuple[Run, ...]:
    """The runs that were made, each as one of the run whose answers it takes."""
    return tuple(
        run if run.rescored_from == source.id else _as_of(store, run, source, correction, clock)
        for run, source in zip(made, runs, strict=True)
    )


def _as_of(store: Store, run: Run, source: Run, correction: Correction, clock: Clock) -> Run:
    """The run with the beginning of the one whose answers it takes, and a word of it."""
    origin = f"answers copied from run {source.id}, without new requests to models"
    dated = replace(
        run,
        started_at=source.started_at,
        rescored_from=source.id,
        rescored_at=clock.now_utc(),
        not_run=correction.not_run,
        notes=(origin, *correction.sentences()),
    )
    store.amend_run(dated)
    return dated


async def score_copies(
    store: Store,
    run: Run,
    source: Run,
    *,
    correction: Correction,
    marker: TrialScorer,
    clock: Clock | None = None,
) -> int:
    """Copy the answers and score them by the corrected cases; return how many await a judge.

    Answers copied by an earlier call are unchanged. Stored judgments are reused for equal
    questions. A requested answer costs nothing here, since its original run has paid; a recorded
    one keeps its recorded cost.
    """
    clock = clock or SystemClock()
    with lock_run(store, run.id, clock=clock, ttl_s=REPLAY.lease_s) as hold:
        with Writer(store, lease=hold.lease) as writer:
            copier = _Copier(store, run.id, writer, clock)
            done = frozenset(trial.key for trial in store.trials(run.id))
            for trial, case in _answers(store, run, source, correction):
                if trial.key in done:
                    continue
                judges = StoredReplies(store, source, trial.model, on_found=copier.copy)
                marked = await marker.score(trial, case, judges)
                if judges.is_missing or marker.lacks_judge(case):
                    marked = await marker.score(trial, case)
                writer.put(marked)
                hold.renew_in_time()
        settle_run(store, run, clock)
    return store.count_awaiting(run.id)


class _Copier:
    """Copies the judgments that serve into the new run, each once."""

    def __init__(self, store: Store, run_id: str, writer: Writer, clock: Clock) -> None:
        self._run_id = run_id
        self._writer = writer
        self._clock = clock
        self._copied = {known.key for known in store.each_judgment(run_id)}

    def copy(self, known: Judgment, question: Question) -> None:
        """Write it down as one of the new run."""
        if known.key not in self._copied:
            self._copied.add(known.key)
            about, now = JudgmentContext(self._run_id, known.model), self._clock.now_utc()
            self._writer.put_judgment(take_over(known, about, question, now))


def _answers(
    store: Store, run: Run, source: Run, correction: Correction
) -> Iterator[tuple[Trial, Case]]:
    """Each stored answer to a case that is kept, as one of the new run."""
    old = store.suite(source.suite_hash)
    for trial, _ in with_cases(store.trials(source.id), old.cases):
        if trial.case_id in correction.kept and trial.outcome is not Outcome.CANCELLED:
            position, case = correction.kept[trial.case_id]
            yield _copy_trial(trial, run, position, case), case


def _requests(trial: Trial) -> tuple[Attempt, ...]:
    """A failed trial's requests as one of another run, which has paid for them."""
    if trial.completion is not None or not trial.attempts:
        return ()
    last = trial.attempts[-1]
    if last.status == RECORDED:
        return (last,)
    used = Usage(input_tokens=trial.tokens[0], output_tokens=trial.tokens[1])
    return (replace(last, number=1, status=RECORDED, cost_usd=0.0, usage=used),)


def _copy_trial(trial: Trial, run: Run, position: int, case: Case) -> Trial:
    done = trial.completion
    if done is not None:
        flags = dict.fromkeys((*done.flags, CACHE_HIT))
        cost_usd = 0.0 if trial.attempts else done.cost_usd
        done = replace(done, cost_usd=cost_usd, flags=tuple(flags))
    waits = {AWAITING_JUDGE, JUDGE_AGAIN}
    return replace(
        trial,
        run_id=run.id,
        position=position,
        completion=done,
        attempts=_requests(trial),
        score=None,
        score_version=0,
        flags=tuple(flag for flag in trial.flags if flag not in waits),
        **shared_fields(Trial, case),
    )

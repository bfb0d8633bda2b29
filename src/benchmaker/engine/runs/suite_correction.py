"""Stored answers under a corrected suite: copied into separate runs, and scored there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from benchmaker.engine.judges.replies import JudgmentContext, take_over
from benchmaker.engine.judges.stored_replies import StoredReplies
from benchmaker.engine.requests.limits import REPLAY
from benchmaker.engine.runs.lock import lock_run
from benchmaker.engine.runs.rescore import with_cases
from benchmaker.engine.runs.run import settle_run
from benchmaker.engine.runs.series import enrol, members
from benchmaker.engine.runs.setups import added_setups
from benchmaker.engine.runs.uncertain_cases import record_cases
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.engine.trials.plan import select_cases
from benchmaker.engine.trials.scoring import TrialScorer
from benchmaker.errors import SpecError
from benchmaker.record import (
    AWAITING_JUDGE,
    JUDGE_AGAIN,
    NO_END,
    Judgment,
    Run,
    RunState,
    Setup,
    Trial,
    Usage,
)
from benchmaker.record.attempt import RECORDED, Attempt
from benchmaker.record.trial import CACHE_HIT
from benchmaker.scoring.base import Question
from benchmaker.spec import Case, Message, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.spec.suites.rendering import conversation, render_tools
from benchmaker.store import Store, Writer
from benchmaker.structs import shared_fields

_LISTED = 20

RECORD_ANSWERS = (
    "the recording has no answer to new or reworded questions: record these answers, "
    "then benchmaker run SUITE --recorded FILE"
)
"""The remedy for cases and setups that were not run, if answers come from a file."""


class KeptCase(NamedTuple):
    """A case that keeps answers: its position in the corrected suite, and its kept prompts.

    ``prompts`` are the ids of the prompts with which its messages are unchanged; None stands for a
    question without a prompt.
    """

    position: int
    case: Case
    prompts: frozenset[str | None]


@dataclass(frozen=True, slots=True)
class Correction:
    """The cases and setups that a corrected suite shares with the run's suite.

    ``kept`` are the selected cases with the same question with at least one prompt. The others have
    no answers: ``new`` cases were never run, ``reworded`` ones have another wording, ``retooled``
    ones the same wording with other tools or another ``max_steps``. The cases in
    ``gone`` were run, and are no longer in the suite. ``setups`` are those of the run whose prompt
    is still in the suite. ``changed_setups`` have another wording in every case, and no answers;
    the prompt of ``gone_setups`` is only in the old suite, that of ``added_setups`` only in the
    corrected one. ``is_recorded`` is true if the answers are from a file, which has none to other
    questions.
    """

    suite: Suite
    kept: Mapping[str, KeptCase]
    new: tuple[str, ...]
    reworded: tuple[str, ...]
    retooled: tuple[str, ...]
    gone: tuple[str, ...]
    is_recorded: bool = False
    setups: tuple[Setup, ...] = ()
    changed_setups: tuple[str, ...] = ()
    gone_setups: tuple[str, ...] = ()
    added_setups: tuple[Setup, ...] = ()

    @property
    def run_setups(self) -> tuple[Setup, ...]:
        """The setups of a run of the corrected suite.

        Models can answer a changed or an added prompt later, a recording cannot.
        """
        if self.is_recorded:
            return tuple(one for one in self.setups if one.name not in self.changed_setups)
        return (*self.setups, *self.added_setups)

    @property
    def planned(self) -> int:
        """The planned number of trials of a run of the corrected suite.

        Models can answer the others later, a recording cannot: without them the run is finished.
        """
        if self.is_recorded:
            return sum(
                one.prompt_id in it.prompts for one in self.run_setups for it in self.kept.values()
            )
        return (len(self.kept) + len(self.not_run)) * len(self.run_setups)

    @property
    def partly_run(self) -> tuple[str, ...]:
        """The kept cases that have another wording with some prompts that are not changed."""
        prompts = {it.prompt_id for it in self.setups if it.name not in self.changed_setups}
        return tuple(name for name, it in self.kept.items() if not prompts <= it.prompts)

    @property
    def is_partial(self) -> bool:
        """True if cases or setups of the corrected suite have no answer."""
        return bool(self.not_run or self.changed_setups or self.partly_run or self.added_setups)

    @property
    def not_run(self) -> tuple[str, ...]:
        """The cases of the corrected suite that have no answer."""
        return (*self.new, *self.reworded, *self.retooled)

    @property
    def answered_sentence(self) -> str:
        """The number of cases that can be rescored, as a sentence."""
        has = "1 case of the suite has" if len(self.kept) == 1 else (
            f"{len(self.kept):,} cases of the suite have"
        )  # fmt: skip
        return f"{has} stored answers."

    def sentences(self) -> Iterator[str]:
        """Yield the cases and setups that are not run, the removed ones, and the remedy."""
        for names, noun, what in (
            (self.new, "case", "not run (new)"),
            (self.reworded, "case", "not run (prompt changed)"),
            (self.retooled, "case", "not run (tools or max_steps changed)"),
            (self.changed_setups, "setup", "not run (prompt changed)"),
            (tuple(one.name for one in self.added_setups), "setup", "not run (prompt added)"),
            (self.partly_run, "case", "not run with some prompts (prompt changed)"),
            (self.gone, "case", "excluded (no longer in the suite)"),
            (self.gone_setups, "setup", "excluded (prompt no longer in the suite)"),
        ):
            if names:
                more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
                subject = f"1 {noun} is" if len(names) == 1 else f"{len(names):,} {noun}s are"
                yield f"{subject} {what}: {', '.join(names[:_LISTED])}{more}"
        if self.is_partial:
            yield RECORD_ANSWERS if self.is_recorded else "to run them, use benchmaker resume"


def correction_of(run: Run, old: Suite, corrected: Suite) -> Correction:
    """Return the differences between the corrected suite and the run's suite.

    Raises:
        SpecError: no common case with the same wording.
    """
    there = {None, *(one.id for one in corrected.prompts)}
    every = [run.setup(name) for name in run.models]
    setups = tuple(one for one in every if one.prompt_id in there)
    prompts = tuple(dict.fromkeys(one.prompt_id for one in setups))
    before = {case.id: _messages(old, case, prompts) for case in old.cases}
    is_recorded = run.provider.get("kind") == "recorded"
    offers = {} if is_recorded else {case.id: _offered(old, case) for case in old.cases}
    kept: dict[str, KeptCase] = {}
    new, reworded, retooled, present = [], [], [], set()
    for position, case in select_cases(corrected.cases, run.selection, corrected.vars):
        present.add(case.id)
        if case.id not in before:
            new.append(case.id)
        elif not (same := _same_prompts(before[case.id], _messages(corrected, case, prompts))):
            reworded.append(case.id)
        elif not is_recorded and offers[case.id] != _offered(corrected, case):
            retooled.append(case.id)
        else:
            kept[case.id] = KeptCase(position, case, same)
    if not kept:
        raise SpecError(
            f"run {run.id} has no answer to a case of suite {corrected.name!r}: no case has the "
            f"same id and the same prompt{', tools and max_steps' if retooled else ''}.",
            hint="Run them: benchmaker run SUITE --model …",
        )
    unchanged = frozenset[str | None]().union(*(one.prompts for one in kept.values()))
    return Correction(
        corrected, kept, tuple(new), tuple(reworded), tuple(retooled),
        gone=tuple(name for name in _selected_cases(old, run) if name not in present),
        is_recorded=is_recorded,
        setups=setups,
        changed_setups=tuple(one.name for one in setups if one.prompt_id not in unchanged),
        gone_setups=tuple(one.name for one in every if one.prompt_id not in there),
        added_setups=_setups_of_added_prompts(run, setups, old, corrected),
    )  # fmt: skip


def _setups_of_added_prompts(
    run: Run, setups: Sequence[Setup], old: Suite, corrected: Suite
) -> tuple[Setup, ...]:
    """The setups with prompts that the old suite lacks; none if the run left out prompts of it."""
    before = {one.id for one in old.prompts}
    if not before or before != {run.setup(name).prompt_id for name in run.models}:
        return ()
    added = [str(one.id) for one in corrected.prompts if one.id not in before]
    kept = replace(run, models=tuple(one.name for one in setups), setups=tuple(setups))
    return added_setups(kept, corrected, prompts=added) if added else ()


def _selected_cases(suite: Suite, run: Run) -> list[str]:
    """The cases of a suite that are in the selection of a run."""
    return [case.id for _, case in select_cases(suite.cases, run.selection, suite.vars)]


_Messages = Mapping[str | None, tuple[Message, ...]]


def _messages(suite: Suite, case: Case, prompts: Sequence[str | None]) -> _Messages:
    """The messages of a case with each prompt."""
    return {one: conversation(suite, case, one) for one in prompts}


def _offered(suite: Suite, case: Case) -> tuple[Any, ...]:
    """The tools that a case offers, as rendered, and its maximum number of steps."""
    return (render_tools(suite, case), suite.most_steps(case)) if case.tools else ()


def _same_prompts(before: _Messages, after: _Messages) -> frozenset[str | None]:
    """The prompts with the same messages."""
    return frozenset(one for one in after if before[one] == after[one])


def refuse_unrecorded(store: Store, runs: Sequence[Run]) -> None:
    """Raise SpecError if a recording would have to answer new questions.

    This applies to rescored runs whose suite has new or reworded cases.
    """
    for run in runs:
        is_whole = run.selection.ids_by_setup is None
        if run.rescored_from is None or run.provider.get("kind") != "recorded" or not is_whole:
            continue
        names = _selected_cases(store.suite(run.suite_hash), run)
        if run.planned >= len(names) * len(run.models):
            continue
        done = Counter(trial.case_id for trial in store.trials(run.id))
        not_run = [name for name in names if done[name] < len(run.models)]
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
        models=tuple(one.name for one in correction.run_setups),
        provider=_with_added_routes(first, correction.added_setups),
        setups=correction.run_setups if first.setups else (),
        planned=correction.planned,
        state=RunState.INTERRUPTED,
        imported_from=None,
        not_run=(),
        notes=(),
    )
    made = enrol(store, pattern, runs=len(runs), clock=clock, random=random)
    return _date_runs(store, made, runs, correction, clock)


def _with_added_routes(run: Run, added: Sequence[Setup]) -> dict[str, Any]:
    """The provider of a run, with each added setup at the endpoint of its model."""
    routes = run.provider.get("models")
    if not added or not isinstance(routes, dict):
        return run.provider
    known = {_answering(run.setup(name)): routes[name] for name in run.models if name in routes}
    more = {one.name: known[_answering(one)] for one in added if _answering(one) in known}
    return {**run.provider, "models": {**routes, **more}}


def _answering(setup: Setup) -> tuple[str, str | None]:
    """The model and the effort of a setup, without its prompt."""
    return setup.model_label, setup.effort


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
        dropped=tuple(name for name in source.dropped if name in run.models),
        notes=(origin, *correction.sentences()),
    )
    store.amend_run(dated)
    repeated = source.selection.ids_by_setup
    if repeated is None:
        return dated
    kept = {it: [one for one in ids if one in correction.kept] for it, ids in repeated.items()}
    return record_cases(store, dated, kept)


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
    questions. Scores of another tool are copied, too. An answer keeps its cost. A requested one is
    flagged as reused, since its original run has paid.
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
        if run.tool is not None:
            store.imported_rows.copy(source.id, run.id)
            store.imported_rows.put_header(run.id, store.imported_rows.header(source.id))
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
    """Each stored answer to a question that is kept, as one of the new run."""
    old = store.suite(source.suite_hash)
    models = frozenset(run.models)
    for trial, _ in with_cases(store.trials(source.id), old.cases):
        kept = correction.kept.get(trial.case_id)
        if kept is None or trial.model not in models or trial.outcome in NO_END:
            continue
        if source.setup(trial.model).prompt_id in kept.prompts:
            yield _copy_trial(trial, run, kept.position, kept.case), kept.case


def _requests(trial: Trial) -> tuple[Attempt, ...]:
    """A failed trial's requests as one of another run, which has paid for them."""
    if trial.completion is not None or not trial.attempts:
        return ()
    last = trial.attempts[-1]
    if last.status == RECORDED:
        return (last,)
    used = Usage(input_tokens=trial.tokens[0], output_tokens=trial.tokens[1])
    return (replace(last, number=1, status=RECORDED, cost_usd=trial.cost_usd, usage=used),)


def _is_requested(trial: Trial) -> bool:
    """True if a run has made the trial's requests, so that its cost was paid there."""
    return any(attempt.status != RECORDED for attempt in trial.attempts)


def _copy_trial(trial: Trial, run: Run, position: int, case: Case) -> Trial:
    done = trial.completion
    reused = (CACHE_HIT,) if _is_requested(trial) else ()
    if done is not None:
        flags = dict.fromkeys((*done.flags, *reused))
        done = replace(done, cost_usd=trial.cost_usd, flags=tuple(flags))
    waits = {AWAITING_JUDGE, JUDGE_AGAIN}
    kept = trial.flags if done is not None else (*trial.flags, *reused)
    return replace(
        trial,
        run_id=run.id,
        position=position,
        completion=done,
        attempts=_requests(trial),
        score=None,
        score_version=0,
        flags=tuple(flag for flag in dict.fromkeys(kept) if flag not in waits),
        **shared_fields(Trial, case),
    )

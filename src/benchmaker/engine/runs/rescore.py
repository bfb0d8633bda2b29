"""New scores for stored answers; no model under test is queried."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import replace as replace_suite
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from benchmaker.engine.executors.rescore_remote import ScoringSetup, rescore_remotely
from benchmaker.engine.executors.workers import TaskRunnerSource
from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk
from benchmaker.engine.judges.judge_makers import Judges, preparing_of, with_earlier_judges
from benchmaker.engine.judges.replies import JudgmentContext
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import REPLAY
from benchmaker.engine.runs.lock import LeaseLock, lock_run
from benchmaker.engine.trials.clock import Clock, SystemClock
from benchmaker.engine.trials.plan import select_cases
from benchmaker.engine.trials.scoring import TrialScorer, is_scorable
from benchmaker.errors import SpecError, StoreError
from benchmaker.providers.recorded_judge import JudgedAnswer
from benchmaker.record import AWAITING_JUDGE, JUDGE_AGAIN, JUDGE_FAILED, Run, Selection, Trial
from benchmaker.scoring.check import check_suite
from benchmaker.spec import Case, Profile, ScorerSpec, Suite
from benchmaker.spec import profile as profile_named
from benchmaker.store import Store, Writer

if TYPE_CHECKING:
    from benchmaker.engine.requests.preparing import AnswerPreparer

_WAITS = frozenset({AWAITING_JUDGE, JUDGE_AGAIN})
_NAME_ONE = "Add one: --judge MODEL (in Python judge=…)."


def nothing_to_rescore(run: str, choices: str) -> SpecError:
    """Return the error of a rescoring without a change; ``choices`` lists what it may change."""
    retry = f"To retry undecided checks: benchmaker resume {run} --retry-failed"
    return SpecError("nothing to do.", hint=f"{choices} {retry}")


class RescoreResult(NamedTuple):
    """The result of rescoring a run, in trials.

    ``scored`` got a new version of their score, with another number or outcome in ``changed`` of
    them; ``untouched`` have no answer because of infrastructure failures, ``kept`` were scored
    earlier by the same rescoring, and ``undecided`` keep an earlier judged score because they got
    no judgment now. ``unsent`` were not sent to the judge because of an early stop, whose reason is
    ``halted``. ``requested`` counts the questions sent to judges, and ``found`` those with stored
    replies.
    """

    run_id: str
    scored: int
    changed: int
    untouched: int
    halted: str = ""
    requested: int = 0
    found: int = 0
    kept: int = 0
    undecided: int = 0
    unsent: int = 0


async def rescore(
    store: Store,
    run_id: str,
    *,
    profile: str | None = None,
    scorer: ScorerSpec | None = None,
    judges: Judges | None = None,
    jurors: tuple[str, ...] = (),
    budget: Budget | None = None,
    since: int | None = None,
    stop: asyncio.Event | None = None,
    clock: Clock | None = None,
    lease_s: float = REPLAY.lease_s,
    crew: TaskRunnerSource | None = None,
    awaiting: bool = False,
) -> RescoreResult:
    """Score the stored answers of a run again and append the scores as new versions.

    No model under test is queried. Judges are, if the scorer uses them, for questions without a
    stored reply; if no further questions may be sent, the scores are unchanged. An answer that gets
    no judgment keeps the score that an earlier judgment gave it; the failed request is stored.

    Args:
        store: the store of the run.
        run_id: its full id.
        profile: the scoring profile, instead of the run's; it becomes the run's.
        scorer: replaces the suite's default; cases with their own scorer keep it.
        judges: the judges, for judging scorers.
        jurors: the judges' models; they become the run's.
        budget: budget of the judges.
        since: the number of the last row when this rescoring was requested, if it may have been
            interrupted: an equal score written later is not repeated.
        stop: set it to stop cleanly.
        clock: the clock.
        lease_s: validity of the run's lease after each renewal.
        crew: task runners for scoring; only this process writes.
        awaiting: only the answers that wait for a judge.

    Raises:
        SpecError: unknown profile or scorer, a default scorer without effect or unable to score a
            case, a judging scorer without a judge, or judges with task runners.
        Conflict: another process works on this run.
    """
    clock = clock or SystemClock()
    if crew is not None and judges is not None:
        raise SpecError(
            "an executor can't query judges or embedding models.",
            hint="Rescore without --executor.",
        )
    run = store.run(run_id)
    chosen = profile_named(profile or run.profile_id)
    suite = store.suite(run.suite_hash)
    refuse_without_change(suite, run, chosen, scorer=scorer, is_whole=profile is not None)
    marker = TrialScorer(
        suite, chosen, scorer=scorer, judge=judges.chosen if judges else None,
        weights=judges.weights if judges else {}, run=run,
    )  # fmt: skip
    with lock_run(store, run_id, clock=clock, ttl_s=lease_s) as hold:
        with Writer(store, lease=hold.lease, max_delay_s=0.0 if judges else 0.05) as writer:
            work = _Rescoring(run, marker, writer, hold, stop or asyncio.Event())
            if since is not None:
                work.earlier = store.scores.scored_after(run_id, since)
            only_default = scorer is not None and profile is None and judges is None
            pairs = with_cases(store.trials(run_id), suite.cases)
            pairs = _chosen_pairs(pairs, awaiting=awaiting, only_default=only_default)
            if crew is not None:
                await work.score_remotely(pairs, crew, ScoringSetup(suite, chosen.id, scorer, run))
            elif judges is None:
                await work.score_all(pairs)
            else:
                client = JudgeClient(
                    store, writer, judges.provider, concurrency=judges.concurrency, clock=clock,
                    budget=budget, embeddings=judges.embeddings,
                )  # fmt: skip
                work.preparing = preparing_of(store, suite, judges, client)
                await work.judge_all(pairs, client, judges.workers)
        if work.has_decided or (work.kept and run.profile_id != chosen.id):
            amended = _amend_run(
                run, chosen, scorer, clock, judges=judges, jurors=jurors,
                is_whole=not work.is_stopped,
            )  # fmt: skip
            store.amend_run(amended)
    return work.result()


class _Rescoring:
    """One run's answers on their way to further scores."""

    def __init__(
        self, run: Run, marker: TrialScorer, writer: Writer, hold: LeaseLock, stop: asyncio.Event
    ) -> None:
        self.run = run
        self.run_id = run.id
        self.ranks = {model: rank for rank, model in enumerate(run.models)}
        self.earlier: frozenset[tuple[int, int]] = frozenset()
        self.marker = marker
        self.writer = writer
        self.hold = hold
        self.stop = stop
        self.scored = self.changed = self.untouched = self.kept = self.undecided = 0
        self.judged = self.unsent = 0
        self.is_cut = False
        self.client: JudgeClient | None = None
        self.preparing: AnswerPreparer | None = None

    @property
    def is_stopped(self) -> bool:
        """True if some answers were left unchanged."""
        return self.is_cut or bool(self.client and self.client.halt_reason)

    @property
    def has_decided(self) -> bool:
        """True if scores were written, and not only of answers that need no judgment."""
        is_without = self.undecided or (self.client and self.client.halt_reason)
        return bool(self.judged if is_without else self.scored)

    def result(self) -> RescoreResult:
        """Return the result."""
        client = self.client
        return RescoreResult(
            self.run_id,
            self.scored,
            self.changed,
            self.untouched,
            halted=client.halt_reason if client else "",
            requested=client.requested if client else 0,
            found=client.found if client else 0,
            kept=self.kept,
            undecided=self.undecided,
            unsent=self.unsent,
        )

    async def score_all(self, pairs: Iterator[tuple[Trial, Case]]) -> None:
        """Mark one after the other."""
        for trial, case in pairs:
            if self.stop.is_set():
                self.is_cut = True
                return
            if not self.has_answer(trial):
                continue
            self.append_without_judge(trial, await self.marker.score(trial, case))
            if (self.scored + self.kept) % REPLAY.batch == 0:
                self.hold.renew_in_time()
                await asyncio.sleep(0)

    async def score_remotely(
        self, pairs: Iterator[tuple[Trial, Case]], crew: TaskRunnerSource, measure: ScoringSetup
    ) -> None:
        """Have others mark them, batch by batch."""
        markable = (pair for pair in pairs if self.has_answer(pair[0]))
        await rescore_remotely(
            crew, measure, markable, self.append_without_judge, on_tick=self.hold.renew_in_time,
            stop=self.stop,
        )  # fmt: skip
        self.is_cut = self.stop.is_set() and next(markable, None) is not None

    def has_answer(self, trial: Trial) -> bool:
        """Return True if there is an answer; count those without one."""
        is_there = is_scorable(trial)
        self.untouched += not is_there
        return is_there

    async def judge_all(
        self, pairs: Iterator[tuple[Trial, Case]], client: JudgeClient, number: int
    ) -> None:
        """Score several at once, since each waits for its judges."""
        self.client = client
        stopping = asyncio.ensure_future(self.until_stopped(client))
        workers = [asyncio.ensure_future(self.judge(pairs, client)) for _ in range(number)]
        try:
            await asyncio.gather(*workers)
            self.unsent += sum(is_scorable(trial) for trial, _ in pairs)
        finally:
            for part in (stopping, *workers):
                part.cancel()
            await asyncio.gather(stopping, *workers, return_exceptions=True)
            if self.preparing is not None:
                await self.preparing.close()
            await client.close()

    async def until_stopped(self, client: JudgeClient) -> None:
        """Halt the judges once told to stop."""
        await self.stop.wait()
        client.halt("stopped")

    async def judge(self, pairs: Iterator[tuple[Trial, Case]], client: JudgeClient) -> None:
        """Mark what comes next until there is nothing, or no question is put any more.

        A judge that fails does not end the preparation of answers.
        """
        while not self.is_over(client) and (pair := next(pairs, None)) is not None:
            trial, case = pair
            if not self.has_answer(trial):
                continue
            ticket = ScorerAsk(
                client,
                JudgmentContext(trial.run_id, trial.model, JudgedAnswer.of(trial, self.run)),
                answers=self.answer_of(client), repeats_unreadable=True, preparing=self.preparing,
            )  # fmt: skip
            marked = await self.marker.score(trial, case, ticket)
            if ticket.broken is not None:
                raise ticket.broken
            if ticket.halted:
                self.unsent += 1
            else:
                self.append_judged(trial, marked)
            self.hold.renew_in_time()
            await asyncio.sleep(0)

    def is_over(self, client: JudgeClient) -> bool:
        """True if no question is put any more, and no answer is prepared without a judge."""
        is_preparing = self.preparing is not None and client.has_failed
        return bool(client.halt_reason) and not is_preparing

    def answer_of(self, client: JudgeClient) -> Callable[[str, str], str | None]:
        """Return a function that finds another model's answer."""

        def find_answer(model: str, case_id: str) -> str | None:
            try:
                return client.answer_of(self.run_id, model, case_id)
            except StoreError:
                return None

        return find_answer

    def append_without_judge(self, trial: Trial, marked: Trial) -> None:
        """Append the score without a judge."""
        if AWAITING_JUDGE in marked.flags:
            raise SpecError("a scorer needs a judge, but none is given.", hint=_NAME_ONE)
        self.append(trial, marked)

    def append_judged(self, trial: Trial, marked: Trial) -> None:
        """Append the score by judges, unless it lacks a judgment that the earlier score has."""
        if _loses_judgment(trial, marked):
            self.undecided += 1
            return
        score = marked.score
        self.judged += score is not None and score.score is not None and bool(score.judgments)
        self.append(trial, marked)

    def append(self, trial: Trial, marked: Trial) -> None:
        """Write a new version of the score, unless an earlier execution wrote an equal one."""
        place = (trial.position, self.ranks[trial.model])
        if place in self.earlier and (trial.score, trial.outcome) == (marked.score, marked.outcome):
            self.kept += 1
            return
        _append(self.writer, marked)
        self.scored += 1
        self.changed += _differs(trial, marked)


def refuse_without_change(
    suite: Suite, run: Run, profile: Profile, *, scorer: ScorerSpec | None, is_whole: bool
) -> None:
    """Raise SpecError if the scorer changes nothing, or it or the profile cannot score a case."""
    if scorer is not None:
        refuse_without_effect(suite, scorer)
    if scorer is not None or is_whole:
        refuse_unscorable(suite, run, profile, scorer=scorer, is_whole=is_whole)


def refuse_without_effect(suite: Suite, scorer: ScorerSpec) -> None:
    """Raise SpecError if every case names its scorer, so that a default one has no effect."""
    own = Counter(case.scorer_id("") if case.has_own_scoring else None for case in suite.cases)
    if None not in own:
        listed = ", ".join(f"{name} {number:,}" for name, number in own.most_common())
        raise SpecError(
            f"--scorer {scorer.id} has no effect: each of the {own.total():,} cases of suite "
            f"{suite.name!r} has its own scorer ({listed}).",
            hint="Change the cases, then rescore with the changed file: "
            "benchmaker rescore RUN --suite edited.yaml",
        )


def refuse_unscorable(
    suite: Suite, run: Run, profile: Profile, *, scorer: ScorerSpec | None, is_whole: bool
) -> None:
    """Raise SpecError if a case of the run cannot be scored by this scorer or profile.

    Without ``is_whole``, cases with their own scorer keep their scores.
    """
    cases = _SelectedCases(suite, run.selection, is_whole=is_whole)
    changed = replace_suite(suite, cases=cases, profile=profile.id)
    if scorer is not None:
        changed = replace_suite(changed, scorer=scorer, checks=(), threshold=None)
    found = check_suite(changed, is_sent=run.tool is None)
    if found:
        more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
        what = f"--scorer {scorer.id}" if scorer else f"--profile {profile.name}"
        raise SpecError(
            f"{what} does not fit suite {suite.name!r}: {found[0].message}{more}",
            hint=found[0].hint
            or "Choose one that fits every case, or change the cases: "
            "benchmaker rescore RUN --suite edited.yaml",
        )


@dataclass(frozen=True, slots=True)
class _SelectedCases:
    """The cases of a run, read again each time, or those of them that name no scorer."""

    suite: Suite
    selection: Selection
    is_whole: bool

    def __iter__(self) -> Iterator[Case]:
        for _, case in select_cases(self.suite.cases, self.selection, self.suite.vars):
            if not case.has_own_scoring:
                yield case
            elif self.is_whole:
                yield self._with_scorer(case)

    def _with_scorer(self, case: Case) -> Case:
        """The case with the scorer that it keeps, its checks included."""
        kept = {"scorer": self.suite.scorer_of(case)}
        return case.model_copy(
            update={**kept, "checks": (), "threshold": None, "checks_only": False}
        )


def refuse_in_force(
    store: Store, run_ids: Sequence[str], scorer: ScorerSpec, *, profile: str | None = None
) -> None:
    """Raise SpecError if all answers already have their score from exactly this scorer.

    That is the same scorer in the same version, with the same parameters, under the same profile.
    If every case has its own scorer, that is the reason given.
    """
    for run_id in run_ids:
        run = store.run(run_id)
        suite = store.suite(run.suite_hash)
        refuse_without_effect(suite, scorer)
        chosen = profile_named(profile or run.profile_id)
        marker = TrialScorer(suite, chosen, scorer=scorer, run=run)
        for trial, case in with_cases(store.trials(run_id), suite.cases):
            is_meant = not case.has_own_scoring or profile is not None
            if is_meant and is_scorable(trial) and not marker.has_made(trial, case):
                return
    raise SpecError(
        f"--scorer {scorer.id} has no effect: the scores already come from the same version and "
        "parameters.",
        hint="Use other parameters (numeric:tolerance=0.01), or another scorer.",
    )


def _chosen_pairs(
    pairs: Iterable[tuple[Trial, Case]], *, awaiting: bool, only_default: bool
) -> Iterator[tuple[Trial, Case]]:
    """The trials to score: those that wait for a judge, and those without a scorer of their own."""
    for trial, case in pairs:
        if awaiting and AWAITING_JUDGE not in trial.flags:
            continue
        if not (only_default and case.has_own_scoring):
            yield trial, case


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
            flags=tuple(flag for flag in marked.flags if flag not in _WAITS),
        )


def _loses_judgment(before: Trial, after: Trial) -> bool:
    """True if no judge decided now, and a judgment by the same scorer and profile did before."""
    old, new = before.score, after.score
    if old is None or new is None or not _WAITS.isdisjoint(before.flags):
        return False
    is_same = (old.scorer, old.profile) == (new.scorer, new.profile)
    was_judged = old.score is not None and bool(old.judgments)
    return is_same and was_judged and new.score is None and _has_failed(after)


def _has_failed(trial: Trial) -> bool:
    """True if the judges gave no judgment, or the scorer failed."""
    return bool(trial.error_type or (trial.score and JUDGE_FAILED in trial.score.flags))


def _differs(before: Trial, after: Trial) -> bool:
    return before.outcome is not after.outcome or _number(before) != _number(after)


def _number(trial: Trial) -> float | None:
    return trial.score.score if trial.score else None


def _amend_run(
    run: Run,
    profile: Profile,
    scorer: ScorerSpec | None,
    clock: Clock,
    *,
    judges: Judges | None,
    jurors: tuple[str, ...],
    is_whole: bool,
) -> Run:
    how = f"{profile.name}/{profile.version}" + (f", scorer {scorer.id}" if scorer else "")
    if judges is not None:
        judge = with_earlier_judges(judges.to_record(jurors), run)
        asked, embedding = ", ".join(judge["asked"]), ", ".join(judges.embedding_models)
        how += f", judge {asked}" if asked else ""
        how += f", embeddings {embedding}" if embedding else ""
        run = replace(
            run,
            judge=judge,
            judge_model=asked or None,
            calibration_id=judges.calibration_id,
        )
    elif is_whole:
        run = replace(run, judge_model=None)  # ``judge`` stays, for who is to judge again
    if not is_whole:
        how += ", in part"
    return replace(
        run,
        profile=profile.name,
        profile_version=profile.version,
        notes=(*run.notes, f"rescored {clock.now_utc()}: {how}"),
    )

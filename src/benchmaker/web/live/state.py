"""The state of a run or a series, in the numbers shown on a page."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from benchmaker.arenas.standard.controlling import last_concurrency
from benchmaker.arenas.standard.job_handlers import RUNNING
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.runs.lock import lease_name
from benchmaker.errors import StoreError
from benchmaker.record import INFRASTRUCTURE, Outcome, Run, RunState, group_of
from benchmaker.record.job import Job, JobState
from benchmaker.record.run import began_at
from benchmaker.record.run_command import CommandState, ControlAction, RunCommand
from benchmaker.report.sentences.budget_ends import budget_reason, budget_sentence
from benchmaker.report.sentences.notes import cost_text
from benchmaker.report.sentences.outcomes import GROUPS
from benchmaker.report.sentences.request_costs import cost_gap, cost_parts
from benchmaker.report.sentences.sentence import capitalise
from benchmaker.store import Store
from benchmaker.store.queues.jobs import lease_of
from benchmaker.store.runs.costs import Costs
from benchmaker.store.runs.stopped_models import StoppedModel

_OPEN = frozenset({RunState.RUNNING, RunState.PAUSED})


@dataclass(frozen=True, slots=True)
class Target:
    """A run alone, or the runs of a series; ``name`` is its id."""

    name: str
    runs: tuple[Run, ...]
    number: int = 1

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The ids of the runs that are written down."""
        return tuple(run.id for run in self.runs)

    @property
    def is_series(self) -> bool:
        """True if it is a series of runs."""
        return self.runs[0].series_id is not None

    @property
    def started_at(self) -> str:
        """When its first run started; empty before."""
        return began_at(self.runs)

    @property
    def results(self) -> str:
        """The address of the results."""
        return f"/series/{self.name}" if self.is_series else f"/runs/{self.name}"

    @property
    def is_finished(self) -> bool:
        """True if all its runs have finished."""
        whole = all(run.state is RunState.FINISHED for run in self.runs)
        return whole and len(self.runs) >= self.number

    @property
    def current_run(self) -> Run:
        """The run that is worked on, or the last that was begun."""
        begun = [run for run in self.runs if run.started_at]
        open_ones = [run for run in begun if run.state in _OPEN]
        return (open_ones or begun or self.runs[:1])[-1]

    def run(self, number: int) -> Run | None:
        """The run of that number."""
        return next((run for run in self.runs if run.number == number), None)


@dataclass(frozen=True, slots=True)
class LiveState:
    """The state of a target at one moment.

    ``outcomes`` counts the trials of each run by group, ``awaits`` those that wait for a judge or a
    rendering, and ``begun`` those with steps and no end; both are in no group and not done.
    ``rate`` is the recent number of trials per second, None if unknown or while the run is paused;
    a pause, which ended at ``resumed_at``, is not in it. ``ahead`` is the number of queued jobs
    before a queued one.
    ``is_external`` is true if a process without a job works on it, such as a command;
    ``is_waiting`` if no worker has the job. ``stopped`` are models that are no longer queried.
    ``concurrency`` is the number of parallel requests that a command or the job set, if any,
    and ``command`` the last command.
    ``read_at`` is the time of the read, on this process's own clock.
    """

    target: Target
    job: Job | None
    outcomes: Mapping[int, Mapping[str, int]]
    costs: Costs
    retries: int
    median_latency_s: float | None
    seq: int
    rate: float | None = None
    ahead: int = 0
    is_external: bool = False
    is_waiting: bool = False
    infrastructure: int = 0
    details: Mapping[str, int] = field(default_factory=dict)
    awaits: Mapping[int, int] = field(default_factory=dict)
    begun: Mapping[int, int] = field(default_factory=dict)
    stopped: tuple[StoppedModel, ...] = ()
    concurrency: int | None = None
    command: RunCommand | None = None
    resumed_at: str = ""
    read_at: float = field(default=0.0, compare=False)

    @property
    def spent_usd(self) -> float:
        """The known cost of all requests, judges included."""
        return self.costs.known_usd

    @property
    def cost(self) -> str:
        """The same in words; $0.00 before the first trial."""
        return cost_text(self.costs.known_usd, is_whole=self.costs.is_whole)

    @property
    def cost_basis(self) -> str:
        """The requests in the cost, or those missing in it."""
        known = self.costs
        if not known.is_whole:
            return cost_gap(
                known.known_usd, known.unknown, known.judgments_unknown, known.embeddings_unknown
            )
        return "as recorded with the answers" if self.is_recorded else "all requests"

    @property
    def cost_parts(self) -> str:
        """The cost of models, judges and embeddings; empty if only models cost something."""
        return cost_parts(self.costs)

    @property
    def n_done(self) -> int:
        """Trials that came to their end: with a score, or without one for good."""
        return sum(sum(groups.values()) for groups in self.outcomes.values())

    @property
    def n_awaiting(self) -> int:
        """Trials with an answer that waits for its score."""
        return sum(self.awaits.values())

    @property
    def n_unfinished(self) -> int:
        """Trials with tools that have steps and no end so far."""
        return sum(self.begun.values())

    @property
    def n_stored(self) -> int:
        """Trials with a row."""
        return self.n_done + self.n_awaiting

    @property
    def n_planned(self) -> int:
        """Trials of all runs, those that are not written down yet included."""
        known = sum(run.planned for run in self.target.runs)
        missing = max(0, self.target.number - len(self.target.runs))
        return known + missing * self.target.runs[0].planned

    @property
    def n_left(self) -> int:
        """Trials that are not done."""
        return max(0, self.n_planned - self.n_done)

    @property
    def n_dropped(self) -> int:
        """Trials of dropped models that are not run."""
        return sum(one.left for one in self.stopped if one.is_dropped)

    @property
    def n_open(self) -> int:
        """Trials that a resumed run still runs: those that are not done, without dropped models."""
        return max(0, self.n_left - self.n_dropped)

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate, without the trials of stopped models."""
        to_run = max(0, self.n_left - sum(one.left for one in self.stopped))
        return to_run / self.rate if self.rate and self.is_live else None

    @property
    def expected_usd(self) -> float | None:
        """The extrapolated cost of the whole."""
        if not self.n_stored or not self.spent_usd:
            return None
        return self.spent_usd / self.n_stored * self.n_planned

    @property
    def state(self) -> str:
        """One word: queued, running, paused, stopping, finished, failed, ended or stopped.

        ``ended`` came to its end with trials left, since a budget or a model did.
        """
        if self.is_paused and not (self.job and self.job.state is JobState.STOPPING):
            return "paused"
        if self.job is not None and self.job.is_open:
            return str(self.job.state)
        if self.is_external:
            return "running"
        if self.target.is_finished:
            return "finished"
        ends = {JobState.FAILED: "failed", JobState.DONE: "ended"}
        other = "ended" if budget_reason(self.target.runs) else "stopped"
        return ends.get(self.job.state, other) if self.job else other

    @property
    def is_live(self) -> bool:
        """True if more trials can arrive without user action."""
        is_held = self.is_external or (self.job is not None and self.job.is_open)
        return self.state in {"queued", "running", "stopping"} or (self.is_paused and is_held)

    @property
    def is_paused(self) -> bool:
        """True if no requests are sent until somebody resumes the run."""
        return any(run.state is RunState.PAUSED for run in self.target.runs)

    @property
    def can_control(self) -> bool:
        """True if the limits of the run can be changed, or the run be paused or resumed."""
        return self.is_live or self.is_paused

    @property
    def is_recorded(self) -> bool:
        """True if the answers are recorded."""
        return self.target.runs[0].provider.get("kind") == "recorded"

    @property
    def can_stop(self) -> bool:
        """True if a job can be stopped."""
        has_job = self.job is not None and self.job.is_open
        return has_job and self.state in {"queued", "running", "paused"}

    @property
    def can_retry(self) -> bool:
        """True if failed requests can be sent again."""
        is_ours = all(run.imported_from is None for run in self.target.runs)
        can_request = is_ours and not self.is_recorded
        return bool(self.infrastructure) and not self.is_live and can_request

    @property
    def budget_refusal(self) -> str:
        """Why the budget covers no further request, if that ended the run; else empty."""
        return capitalise(budget_reason(self.target.runs)) if self.state == "ended" else ""

    @property
    def budget_end(self) -> str:
        """The same in a sentence with the action; empty if something else ended the run."""
        return budget_sentence(self.target.runs, self.n_open) if self.state == "ended" else ""

    @property
    def can_resume(self) -> bool:
        """True if there are trials left to run."""
        is_left = bool(self.n_open) or any(not one.is_dropped for one in self.stopped)
        return self.state in {"failed", "ended", "stopped"} or (
            self.state == "finished" and is_left
        )


def target_of(store: Store, name: str) -> Target:
    """Return the run or the series with that id.

    Raises:
        StoreError: unknown id.
    """
    if name.startswith("s-"):
        series = store.series(name)
        runs = sorted(store.runs(series_id=name), key=lambda run: run.number)
        if not runs:
            raise StoreError(f"there is no run in series {name}.", hint="Start it again.")
        return Target(name, tuple(runs), series.runs)
    run = store.run(name)
    return Target(name, (run,))


def live_state_of(store: Store, name: str, *, rate: float | None = None) -> LiveState:
    """Return the current state of the run or the series with that id.

    Without a ``rate``, it is that of the recorded trials, while the run is live. A paused run has
    none.
    """
    found = _read_state(store, name, rate)
    if found.is_paused:
        return replace(found, rate=None)
    if rate is not None or not found.is_live:
        return found
    since = found.resumed_at
    recent = store.change_feed.recent_rate(found.target.run_ids, store.now_utc(), since=since)
    return replace(found, rate=recent)


def _read_state(store: Store, name: str, rate: float | None) -> LiveState:
    read_at, seq = time.monotonic(), store.change_feed.newest_row_number()
    target = target_of(store, name)
    commands = store.run_commands.of_run(target.runs[0].id)
    job = store.jobs.find_newest(name, kinds=RUNNING)
    waiting, rows = store.awaiting_outcomes(target.run_ids), store.outcomes(target.run_ids)
    counts = {run_id: _subtract_waiting(rows[run_id], waiting[run_id]) for run_id in target.run_ids}
    pace = store.change_feed.request_pace(target.run_ids)
    details = Counter[str]()
    for outcomes in counts.values():
        details.update({str(outcome): n for outcome, n in outcomes.items()})
    return LiveState(
        target=target,
        job=job,
        outcomes={run.number: _count_by_group(counts[run.id]) for run in target.runs},
        awaits={run.number: sum(waiting[run.id].values()) for run in target.runs},
        begun={run.number: counts[run.id].get(Outcome.UNFINISHED, 0) for run in target.runs},
        costs=store.costs(target.run_ids),
        retries=pace.retries,
        median_latency_s=pace.median_latency_s,
        seq=seq,
        rate=rate,
        ahead=_jobs_ahead(store, job),
        is_external=(job is None or not job.is_open) and _is_held(store, target.runs),
        is_waiting=job is not None and job.is_open and not is_taken(store, job),
        infrastructure=sum(
            n
            for found in counts.values()
            for outcome, n in found.items()
            if outcome in INFRASTRUCTURE
        ),
        details=dict(details),
        stopped=store.stopped_models(target.runs),
        concurrency=last_concurrency(store, target.runs[0].id) or _of_job(job),
        command=commands[-1] if commands else None,
        resumed_at=_last_resume(commands),
        read_at=read_at,
    )


def _last_resume(commands: Sequence[RunCommand]) -> str:
    """The time at which the run was last resumed, in UTC; empty if it was not."""
    applied = (one for one in commands if one.state is CommandState.APPLIED)
    resumed = [one.applied_at or "" for one in applied if one.action is ControlAction.RESUME]
    return max(resumed, default="")


def _subtract_waiting(
    outcomes: Mapping[Outcome, int], waiting: Mapping[Outcome, int]
) -> dict[Outcome, int]:
    """The counts without those that wait."""
    left = {outcome: number - waiting.get(outcome, 0) for outcome, number in outcomes.items()}
    return {outcome: number for outcome, number in left.items() if number > 0}


def _count_by_group(outcomes: Mapping[Outcome, int]) -> dict[str, int]:
    found: dict[str, int] = dict.fromkeys(GROUPS, 0)
    for outcome, number in outcomes.items():
        if outcome is not Outcome.UNFINISHED:
            found[group_of(outcome)] += number
    return found


def _of_job(job: Job | None) -> int | None:
    """The number of parallel requests in a job, if it has one."""
    return RunOptions.of_job(job.body).concurrency if job else None


def _jobs_ahead(store: Store, job: Job | None) -> int:
    if job is None or job.state is not JobState.QUEUED:
        return 0
    before = [one.id for one in store.jobs.list_open() if one.state is JobState.QUEUED]
    return before.index(job.id) if job.id in before else 0


def _is_held(store: Store, runs: Sequence[Run]) -> bool:
    """True if a process holds one of the runs; an expired lease does not count."""
    return any(store.is_held(lease_name(run.id)) for run in runs if run.state in _OPEN)


def is_taken(store: Store, job: Job) -> bool:
    """True if a worker has the job."""
    return store.is_held(lease_of(job.id))

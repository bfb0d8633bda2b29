"""The results of a series: its trials, and the figures of its systems."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from benchmaker.analysis.boards.frontier import per_success_of
from benchmaker.analysis.boards.fronts import KS, PassShare
from benchmaker.arenas.agentic.gateway.caps import SERIES, SeriesCaps, Spending
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, PlannedSystem
from benchmaker.arenas.agentic.series.used_caps import capped_trials
from benchmaker.documents import Document, NullIfEmpty, listed
from benchmaker.engine.runs.lock import series_lease_name
from benchmaker.record.agent_trial import (
    EVERY_SYSTEM,
    AgentSeries,
    AgentTrial,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    UnknownCosts,
    total_tokens,
)
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.record.usage import Usage
from benchmaker.stats import pass_at_k, pass_hat_k
from benchmaker.stats.means.means import Mean
from benchmaker.stats.means.solved_attempts import mean_of_attempts
from benchmaker.store import Store


@dataclass(frozen=True, slots=True)
class GatewayFigures(Document):
    """Counts of the gateway over all tries of a trial.

    ``refusals`` are requests beyond a cap, ``cut_replies`` did not reach their end. Requests
    without known usage or cost are counted. ``differs_from_log`` is true if the agent's log has
    other token counts.
    """

    refusals: int
    cut_replies: int
    unknown_usages: int
    unknown_costs: int
    differs_from_log: bool

    @classmethod
    def of(cls, trial: AgentTrial) -> "GatewayFigures | None":
        """Those of a trial; None for one without a model."""
        if not trial.model:
            return None
        meter = trial.meter_of_tries
        return cls(
            meter.refusals,
            meter.cut_replies,
            meter.unknown_usages,
            meter.unknown_costs,
            "metered_otherwise" in trial.flags,
        )


@dataclass(frozen=True, slots=True)
class AgentTrialRow(Document):
    """A trial with all its tries.

    ``reward`` is 0 or 1, null without a verdict. ``usage`` are tokens by kind, ``cost_usd`` is null
    without a model, and if the cost of a request is unknown; ``known_cost_usd`` is the sum of the
    known costs then, null if there are none. ``gateway`` is null without a model,
    too. ``isolation`` and ``network`` are those of the agent: ``off``, or the hosts that it could
    reach besides the gateway.
    """

    task: str
    system: str
    attempt: int
    tries: int
    outcome: TrialOutcome | None
    reward: float | None
    usage: dict[str, int | None]
    cost_usd: float | None
    known_cost_usd: float | None
    requests: int
    gateway: GatewayFigures | None
    isolation: NullIfEmpty
    network: str
    submission_id: str | None
    detail: NullIfEmpty
    flags: tuple[str, ...]
    started_at: NullIfEmpty
    finished_at: NullIfEmpty

    @classmethod
    def of(cls, trial: AgentTrial) -> "AgentTrialRow":
        """The row of a stored trial."""
        meter = trial.meter_of_tries
        return cls(
            task=trial.key.task,
            system=trial.key.system,
            attempt=trial.key.attempt,
            tries=trial.tries,
            outcome=trial.outcome,
            reward=trial.reward,
            usage=_counts(meter.usage),
            cost_usd=known_cost_of(meter) if trial.model else None,
            known_cost_usd=known_part_of(meter) if trial.model else None,
            requests=meter.requests,
            gateway=GatewayFigures.of(trial),
            isolation=trial.isolation,
            network=trial.network,
            submission_id=trial.submission_id,
            detail=trial.detail,
            flags=trial.flags,
            started_at=trial.started_at,
            finished_at=trial.finished_at,
        )


@dataclass(frozen=True, slots=True)
class Reliability(Document):
    """Tasks by the verdicts of all attempts of a system, where there are two at least."""

    always: int
    sometimes: int
    never: int


@dataclass(frozen=True, slots=True)
class SystemFigures(Document):
    """The figures of one system over its finished trials.

    ``success`` is the mean over trials, with a 95% interval for other tasks and attempts: attempts
    at one task are no independent evidence about others. ``unscored`` counts planned trials without
    an outcome that counts. ``pass_at_k`` and ``pass_hat_k`` are by k, over the tasks. The cost is
    that of all tries, unscored ones included, ``known_cost_usd`` the sum of the known costs, also
    if that of a request is unknown; ``cost_per_success`` is null without a success, or if a cost is
    unknown.
    """

    system: str
    agent: str
    model: NullIfEmpty
    effort: NullIfEmpty
    version: NullIfEmpty
    planned: int
    trials: int
    solved: int
    success: float | None
    low: float | None
    high: float | None
    outcomes: dict[str, int]
    pass_at_k: dict[str, PassShare]
    pass_hat_k: dict[str, PassShare]
    reliability: Reliability
    requests: int
    usage: dict[str, int | None]
    cost_usd: float | None
    known_cost_usd: float | None
    cost_per_success: float | None
    cost_reason: NullIfEmpty

    @property
    @listed(after="trials")
    def unscored(self) -> int:
        """The number of planned trials without an outcome that counts."""
        return self.planned - self.trials


class CrashCount(NamedTuple):
    """The number of crashes of a system for one reason."""

    system: str
    reason: str
    number: int


@dataclass(frozen=True, slots=True)
class AgentSeriesResult(Document, scale="0-1"):
    """A series of agent trials: its plan, its trials, and the figures of its systems.

    ``finished_at`` is null while trials are open. ``stopped`` has the systems that a stop rule
    ended, with the reasons, ``halted`` the reason why the budget leaves nothing for open trials.
    ``interrupted`` is true if the process that ran the series was stopped or killed,
    ``unfinished`` if it ended by itself and left trials open. ``not_started`` has the trials
    without a try: those of stopped systems, and all once no process runs the series.
    ``capped_trials`` have no score and can't be run again, since earlier tries used up the cap of
    the trial; they are not open. ``judge_usd`` is
    the known cost of judges in dollars, which no system's cost includes, ``judge_unknown_costs``
    the number of their requests of unknown cost, ``judge_most_unknown_usd`` the most that these can
    have cost, which counts under the budget; null without a price.
    """

    series: str
    created_at: str
    finished_at: str | None
    plan: dict[str, Any]
    trials: tuple[AgentTrialRow, ...]
    systems: tuple[SystemFigures, ...]
    judge_usd: float | None = None
    judge_unknown_costs: int = 0
    judge_most_unknown_usd: float | None = None
    interrupted: bool = False
    unfinished: bool = False
    stopped: Mapping[str, str] | None = None
    halted: NullIfEmpty = ""
    not_started: tuple[dict[str, Any], ...] = ()
    capped_trials: tuple[dict[str, Any], ...] = ()
    unevaluated: int = 0
    removed_workspaces: int = 0

    @property
    def judge_cost(self) -> str:
        """The cost of judges in words; empty if none was queried."""
        number = self.judge_unknown_costs
        if self.judge_usd is None and not number:
            return ""
        known = dollars(self.judge_usd or 0.0)
        if not number:
            return known
        most = self.judge_most_unknown_usd
        bound = "" if most is None else f", at most {dollars(most)}"
        known = f"at least {known}" if self.judge_usd else "unknown"
        return f"{known} ({count(number, 'request')} of unknown cost{bound})"

    @property
    @listed(after="trials")
    def crash_reasons(self) -> dict[str, int]:
        """The number of crashes of agents by reason, the most frequent first."""
        counts: Counter[str] = Counter()
        for it in self.crashes:
            counts[it.reason] += it.number
        return dict(counts.most_common())

    @property
    def crashes(self) -> tuple[CrashCount, ...]:
        """The crashes by system and reason, the most frequent first."""
        crashes = (it for it in self.trials if it.outcome is TrialOutcome.AGENT_CRASHED)
        every = Counter((it.system, it.detail or "no reason stored") for it in crashes)
        return tuple(CrashCount(*place, number) for place, number in every.most_common())

    @property
    def trial_count(self) -> int:
        """The number of planned trials."""
        return sum(it.planned for it in self.systems)

    @property
    def state(self) -> "SeriesWord":
        """The state in one word."""
        if self.interrupted:
            return "interrupted"
        if self.unfinished:
            return "unfinished"
        return "finished" if self.finished_at else "running"

    @property
    def open(self) -> int:
        """The number of trials that are not finished and can be run."""
        return sum(it.unscored for it in self.systems) - len(self.capped_trials)


SeriesWord = Literal["running", "finished", "unfinished", "interrupted"]


def series_is_held(store: Store, series_id: str) -> bool:
    """True if a process runs the series."""
    return store.is_held(series_lease_name(series_id))


def series_word(store: Store, series: AgentSeries) -> SeriesWord:
    """The state of a stored series in one word."""
    if series.finished_at:
        return "finished"
    if series_is_held(store, series.id):
        return "running"
    return series_result(store, series).state


def series_result(store: Store, series: AgentSeries) -> AgentSeriesResult:
    """The results of a stored series so far."""
    plan = AgentSeriesPlan.of(series)
    trials = [metered_trial(store, it) for it in store.agent_trials.trials(series.id)]
    order = {key: at for at, key in enumerate(plan.keys(series.id))}
    is_left = not series.finished_at and not series_is_held(store, series.id)
    stopped = {name: why for name, why in series.stopped.items() if name != EVERY_SYSTEM}
    unknowns = UnknownCosts.sum(it.judge_unknowns for it in trials)
    halted = "" if series.finished_at else _used_budget(store, plan, series, unknowns)
    ended = {it.id for it in plan.systems if (halted and it.model) or it.id in stopped}
    if EVERY_SYSTEM in series.stopped:
        ended = {it.id for it in plan.systems}
    every = {it.id for it in plan.systems} if is_left else ended
    not_started = _not_started(order, trials, every)
    was_cut = any(it.outcome is None for it in trials) or any(
        it["system"] not in ended for it in not_started
    )
    capped = capped_trials(store, plan, trials)
    ordered = sorted(trials, key=lambda it: order[it.key._replace(attempt_try=1)])
    return AgentSeriesResult(
        series=series.id,
        created_at=series.created_at,
        finished_at=series.finished_at,
        plan=series.plan,
        trials=tuple(map(AgentTrialRow.of, ordered)),
        systems=figures(plan, ordered),
        judge_usd=series.judge_usd,
        judge_unknown_costs=unknowns.requests,
        judge_most_unknown_usd=unknowns.most_usd if unknowns.requests else None,
        interrupted=is_left and was_cut,
        unfinished=is_left and not was_cut,
        stopped=stopped or None,
        halted=halted,
        not_started=not_started,
        capped_trials=tuple(_place(it.key) for it in ordered if it in capped),
    )


def metered_trial(store: Store, trial: AgentTrial) -> AgentTrial:
    """The trial with the sums of its current try; until its end, those of its requests so far."""
    if trial.outcome is not None or not trial.model:
        return trial
    meter = TrialMeter.of(store.agent_trials.requests(trial.key))
    return msgspec.structs.replace(trial, meter=meter)


def _used_budget(
    store: Store, plan: AgentSeriesPlan, series: AgentSeries, unknowns: UnknownCosts
) -> str:
    """The reason why the budget of a series admits no further request; empty if it does."""
    if plan.budget_usd is None:
        return ""
    if of_all := series.stopped.get(EVERY_SYSTEM):
        return of_all
    spending = Spending(SeriesCaps(cost_usd=plan.budget_usd), scope=SERIES)
    spending.resume(store.agent_trials.series_requests(series.id))
    spending.add_judge_cost(series.judge_usd or 0.0, unknowns)
    return spending.refusal()


def _not_started(
    keys: Iterable[TrialKey], trials: Iterable[AgentTrial], systems: Collection[str]
) -> tuple[dict[str, str | int], ...]:
    """The trials of some systems that have no try: task, system and attempt."""
    known = {it.key._replace(attempt_try=1) for it in trials}
    return tuple(_place(it) for it in keys if it not in known and it.system in systems)


def _place(key: TrialKey) -> dict[str, str | int]:
    return {"task": key.task, "system": key.system, "attempt": key.attempt}


def figures(plan: AgentSeriesPlan, trials: Sequence[AgentTrial]) -> tuple[SystemFigures, ...]:
    """The figures of every system of a plan."""
    by_system: dict[str, list[AgentTrial]] = defaultdict(list)
    for trial in trials:
        by_system[trial.key.system].append(trial)
    planned = len(plan.tasks) * plan.attempts
    return tuple(_figures(it, by_system[it.id], planned) for it in plan.systems)


def _figures(system: PlannedSystem, trials: Sequence[AgentTrial], planned: int) -> SystemFigures:
    scored = [it for it in trials if it.is_finished and it.reward is not None]
    success = mean_success(scored)
    counts = _won_and_made(scored)
    cost = per_success_of(
        system.id,
        "dollars",
        np.array([_known_cost(it) for it in trials], dtype=np.float64),
        sum(it.reward == 1 for it in scored),
    )
    reason = cost.reason if scored or not trials else "no attempt was scored"
    meter = TrialMeter.sum(it.meter_of_tries for it in trials)
    return SystemFigures(
        system=system.id,
        agent=system.agent,
        model=system.model,
        effort=system.effort,
        version=system.version,
        planned=planned,
        trials=len(scored),
        solved=cost.successes,
        success=success.mean if success else None,
        low=success.low if success else None,
        high=success.high if success else None,
        outcomes=dict(Counter(str(it.outcome or "open") for it in trials)),
        pass_at_k=_passes(counts, is_any=True),
        pass_hat_k=_passes(counts, is_any=False),
        reliability=_reliability(counts),
        requests=meter.requests,
        usage=_counts(meter.usage),
        cost_usd=known_cost_of(meter) if system.model else None,
        known_cost_usd=known_part_of(meter) if system.model else None,
        cost_per_success=cost.value if system.model else None,
        cost_reason=reason if system.model else "",
    )


def mean_success(scored: Sequence[AgentTrial]) -> Mean | None:
    """The share of solved trials with its interval; None without a trial.

    The interval is for other attempts at other tasks:
    :func:`~benchmaker.stats.means.solved_attempts.mean_of_attempts`. With as many trials at each
    task it is also that of pass@1.
    """
    return _mean(_won_and_made(scored))


def _mean(counts: Mapping[str, tuple[int, int]], *, is_of_tasks: bool = False) -> Mean | None:
    """The mean over trials, or that over tasks, in which each task has the same weight."""
    if not counts:
        return None
    most = max(made for _, made in counts.values())
    solved, tasks, weights = [], [], []
    for task, (won, made) in counts.items():
        solved += [1] * won + [0] * (made - won)
        tasks += [task] * made
        weights += [most / made if is_of_tasks else 1.0] * made
    return mean_of_attempts(solved, tasks, weights)


def _won_and_made(scored: Iterable[AgentTrial]) -> dict[str, tuple[int, int]]:
    """By task, the attempts that solved it, and all scored ones."""
    counts: dict[str, tuple[int, int]] = {}
    for trial in scored:
        won, made = counts.get(trial.key.task, (0, 0))
        counts[trial.key.task] = (won + int(trial.reward == 1), made + 1)
    return counts


def _passes(counts: Mapping[str, tuple[int, int]], *, is_any: bool) -> dict[str, PassShare]:
    """pass@k, or pass^k, by k up to the most attempts at a task.

    With k = 1 both are the mean over tasks, with the interval of :func:`mean_success`.
    """
    one = _mean(counts, is_of_tasks=True)
    if one is None:
        return {}
    won, made = zip(*counts.values(), strict=True)
    rate = pass_at_k if is_any else pass_hat_k
    first = PassShare(one.mean, one.low, one.high, one.se, len(counts), one.reason)
    later = (k for k in KS if 1 < k <= max(made))
    return {"1": first} | {str(k): PassShare.of(rate(won, made, k)) for k in later}


def _reliability(counts: Mapping[str, tuple[int, int]]) -> Reliability:
    several = [(won, made) for won, made in counts.values() if made > 1]
    return Reliability(
        always=sum(won == made for won, made in several),
        sometimes=sum(0 < won < made for won, made in several),
        never=sum(won == 0 for won, _ in several),
    )


def known_cost_of(meter: TrialMeter) -> float | None:
    """The cost of requests; None if that of one is unknown."""
    return None if meter.unknown_costs else meter.cost_usd


def known_part_of(meter: TrialMeter) -> float | None:
    """The sum of the known costs of requests; None if there are only unknown ones."""
    return meter.cost_usd if meter.cost_usd or not meter.unknown_costs else None


def known_tokens_of(meter: TrialMeter) -> int | None:
    """The known tokens of requests; None if those of some are unknown, and none are known."""
    tokens = total_tokens(meter.usage)
    return tokens if tokens or not meter.unknown_usages else None


def _known_cost(trial: AgentTrial) -> float:
    """The cost of all tries of a trial; NaN if it is unknown."""
    cost = known_cost_of(trial.meter_of_tries)
    return math.nan if cost is None else cost


def _counts(usage: Usage) -> dict[str, int | None]:
    """Tokens by kind."""
    known: dict[str, Any] = msgspec.structs.asdict(usage)
    return {name: value for name, value in known.items() if name.endswith("_tokens")}

"""Series of agent trials that pages show, put into a store as their runner puts them."""

from collections.abc import Sequence

from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, PlannedSystem, PlannedTask
from benchmaker.record import Usage
from benchmaker.record.agent_trial import (
    AgentSeries,
    AgentTrial,
    GatewayRequest,
    TrialKey,
    TrialMeter,
    TrialOutcome,
    Wire,
)
from benchmaker.store import Store

OUTCOMES = (
    TrialOutcome.SOLVED, TrialOutcome.FAILED, TrialOutcome.SOLVED, TrialOutcome.SOLVED,
    TrialOutcome.BUDGET, TrialOutcome.TIMEOUT, TrialOutcome.SOLVED, TrialOutcome.AGENT_CRASHED,
    TrialOutcome.GATEWAY_ERROR, TrialOutcome.SOLVED, TrialOutcome.REFUSED,
)  # fmt: skip


def put_series(
    store: Store,
    series_id: str,
    tasks: Sequence[str],
    systems: Sequence[PlannedSystem],
    *,
    attempts: int = 3,
    budget_usd: float | None = 20.0,
    detail: str = "failed answer",
    left: int = 0,
) -> int:
    """Store a series whose last ``left`` trials are open; returns the number of its first trial."""
    plan = AgentSeriesPlan(
        tasks=tuple(PlannedTask(id=it, hash="0" * 64, folder=f"tasks/{it}") for it in tasks),
        systems=tuple(systems),
        attempts=attempts,
        jobs=4,
        budget_usd=budget_usd,
        trial_budget_usd=0.5,
    )
    made = AgentSeries(
        id=series_id,
        plan=plan.to_dict(),
        created_at="2026-11-20T14:02:00.000Z",
        finished_at=None if left else "2026-11-20T15:31:00.000Z",
    )
    rooms = store.agent_trials
    rooms.add_series(made)
    by_id = {it.id: it for it in systems}
    keys = list(plan.keys(series_id))
    for at, key in enumerate(keys[: len(keys) - left]):
        outcome = OUTCOMES[at * 7 % len(OUTCOMES)]
        if not left and outcome.is_infrastructure:
            outcome = TrialOutcome.FAILED
        _put_trial(store, key, by_id[key.system], outcome, at=at, detail=detail)
    return store.agent_trial_pages.numbered(series_id)[0].number


def _put_trial(
    store: Store,
    key: TrialKey,
    system: PlannedSystem,
    outcome: TrialOutcome,
    *,
    at: int,
    detail: str,
) -> None:
    tries = 2 if at % 5 == 0 and system.model else 1
    meters = []
    for one in range(1, tries + 1):
        rows = [
            _request(key._replace(attempt_try=one), number, system.model, at)
            for number in range(1, 4 + at % 3)
            if system.model
        ]
        store.agent_trials.put_requests(rows)
        meters.append(TrialMeter.of(rows))
    is_solved = outcome is TrialOutcome.SOLVED
    store.agent_trials.put_trial(
        AgentTrial(
            key=key._replace(attempt_try=tries),
            task_hash="0" * 64,
            agent=system.agent,
            agent_version=system.version,
            model=system.model,
            effort=system.effort,
            outcome=outcome,
            reward=None if outcome.is_infrastructure else float(is_solved),
            meter=meters[-1],
            earlier_meters=tuple(meters[:-1]),
            isolation="namespace",
            detail="" if is_solved else detail,
            flags=("metered_otherwise",) if at % 6 == 0 else (),
            started_at=f"2026-11-20T14:{at % 60:02d}:00.000Z",
            finished_at=f"2026-11-20T14:{at % 60:02d}:42.500Z",
        )
    )


def _request(key: TrialKey, number: int, model: str, at: int) -> GatewayRequest:
    return GatewayRequest(
        key=key,
        number=number,
        wire=Wire.MESSAGES,
        model=model.rpartition("/")[2],
        endpoint=model.partition("/")[0],
        started_at=f"2026-11-20T14:{at % 60:02d}:{number:02d}.000Z",
        status=200,
        stream=True,
        usage=Usage(
            input_tokens=900 + 37 * at, cache_read_tokens=4_000 * number, output_tokens=210
        ),
        cost_usd=round(0.004 * number + 0.001 * (at % 4), 6),
        latency_s=1.5 + at % 3,
        first_byte_s=0.4,
    )


def a_system(agent: str, model: str = "", effort: str = "", version: str = "1.0.0"):
    """A system named as plans name it."""
    words = (agent, model.rpartition("/")[2], effort)
    return PlannedSystem(
        id=" · ".join(filter(None, words)), agent=agent, model=model, effort=effort, version=version
    )

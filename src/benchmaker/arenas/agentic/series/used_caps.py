"""Caps of trials that earlier tries used up, so that the trials can't be run."""

from collections.abc import Iterable, Iterator

from benchmaker.arenas.agentic.gateway.caps import TrialCaps
from benchmaker.arenas.agentic.gateway.gateway import trial_spending
from benchmaker.arenas.agentic.series.plan import AgentSeriesPlan, open_keys
from benchmaker.record.agent_trial import AgentTrial, TrialKey
from benchmaker.store import Store


def trial_caps(plan: AgentSeriesPlan) -> TrialCaps:
    """The caps of each trial of a plan, over all its tries."""
    caps = plan.caps
    return TrialCaps(
        requests=caps.requests,
        tokens=caps.tokens,
        cost_usd=plan.trial_budget_usd,
        context_tokens=caps.context_tokens,
    )


def used_cap(store: Store, plan: AgentSeriesPlan, key: TrialKey) -> str:
    """The cap that earlier tries used, so that this one can't query; empty if there is none."""
    if not any(it.id == key.system and it.model for it in plan.systems):
        return ""
    spending = trial_spending(store, key, trial_caps(plan))
    return "" if spending.is_used_by_agent else spending.refusal()


def capped_trials(
    store: Store, plan: AgentSeriesPlan, trials: Iterable[AgentTrial]
) -> tuple[AgentTrial, ...]:
    """The trials without a score whose cap admits no further try."""
    return tuple(
        it
        for it in trials
        if it.outcome is not None and not it.is_finished and used_cap(store, plan, _following(it))
    )


def runnable_keys(
    store: Store, plan: AgentSeriesPlan, series_id: str, stored: Iterable[AgentTrial]
) -> Iterator[TrialKey]:
    """The next try of each trial that is not finished and can be run, in the order of the plan."""
    every = tuple(stored)
    capped = {_following(it) for it in capped_trials(store, plan, every)}
    return (key for key in open_keys(plan, series_id, every) if key not in capped)


def _following(trial: AgentTrial) -> TrialKey:
    """The next try of a trial."""
    return trial.key._replace(attempt_try=trial.tries + 1)

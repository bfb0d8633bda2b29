"""Cost and duration estimates for a run being configured."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.arenas import standard
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.runs.estimate import Estimate, Span
from benchmaker.engine.trials.plan import count_selected
from benchmaker.errors import BenchmakerError
from benchmaker.record import Selection, setup_name
from benchmaker.record.dollars import dollar_range
from benchmaker.report.tables import numbers
from benchmaker.spec import Suite
from benchmaker.web.arena.setup import TIMES, Setup, requested_models
from benchmaker.web.workbench import Workbench

_SAMPLE = 200


@dataclass(frozen=True, slots=True)
class Costs:
    """The estimate in words, for ``cases`` ``of`` all of the suite.

    ``setups`` is the number of setups, or of models, as ``noun`` says; each is run ``runs`` times.
    ``each`` is by number of runs, ``error`` explains a missing estimate. ``made`` is the estimate.
    """

    trials: int = 0
    cases: int = 0
    setups: int = 0
    runs: int = 1
    noun: str = "setup"
    of: int = 0
    cost: str = ""
    duration: str = ""
    unpriced: tuple[str, ...] = ()
    prices: str = ""
    judges: tuple[str, ...] = ()
    each: tuple[tuple[int, str], ...] = ()
    warning: str = ""
    error: str = ""
    made: Estimate | None = None


def costs_of(bench: Workbench, setup: Setup, suite: Suite | None) -> Costs | None:
    """Return the estimate for all runs; None if there is nothing to estimate yet."""
    if suite is None or setup.uses_example or setup.faults:
        return None
    options = setup.options()
    try:
        models = [one.name for one in requested_models(suite, setup)]
        if not models:
            return None
        estimate = standard.estimate(
            suite,
            models=models,
            home=bench.home,
            store=bench.settings.store_url,
            sample=_SAMPLE,
            options=options,
        )
    except BenchmakerError as exc:
        return Costs(error=bench.redactor.text(f"{exc.message} {exc.hint}".strip()))
    return replace(
        _to_costs(bench, setup, estimate),
        unpriced=_models_of(estimate.unpriced_models, models),
        of=count_selected(suite.cases, Selection()),
        noun="setup" if suite.prompts or suite.efforts or setup.efforts else "model",
    )


def _to_costs(bench: Workbench, setup: Setup, estimate: Estimate) -> Costs:
    cost = estimate.cost_usd
    return Costs(
        trials=sum(one.requests for one in estimate.models),
        cases=estimate.cases,
        setups=len(estimate.models),
        runs=estimate.runs,
        cost="" if cost is None else dollar_range(cost.low, cost.high),
        duration=_duration(bench, setup, estimate),
        prices=estimate.price_version,
        judges=tuple(one.model for one in (*estimate.judges, *estimate.embeddings)),
        each=tuple((times, _times(cost, times / estimate.runs)) for times in TIMES),
        warning=_warning(setup, cost),
        made=estimate,
    )


def _models_of(setups: Iterable[str], models: Sequence[str]) -> tuple[str, ...]:
    """The models of these setups, each once; other names, as of judges, stay as they are."""
    heads = {setup_name(model, ""): model for model in models}
    found = (next((heads[head] for head in heads if one.startswith(head)), one) for one in setups)
    return tuple(dict.fromkeys(found))


def _times(cost: Span | None, times: float) -> str:
    return "" if cost is None else dollar_range(cost.low * times, cost.high * times)


def _warning(setup: Setup, cost: Span | None) -> str:
    budget = setup.options().max_cost_usd
    if budget is None or cost is None or cost.high <= budget:
        return ""
    money = numbers.money(budget)
    return f"The run may reach the budget of {money}. No request is sent that could exceed it."


def _duration(bench: Workbench, setup: Setup, estimate: Estimate) -> str:
    """From the times of earlier answers; empty where a model has none."""
    seconds: list[float] = []
    for one in estimate.models:
        latency = bench.store.change_feed.latency_of(one.model)
        if latency is None:
            return ""
        seconds.append(latency * one.requests)
    at_once = setup.options().concurrency or RunLimits().concurrency
    return numbers.duration(sum(seconds) / at_once)


def estimate_content(costs: Costs | None) -> dict[str, Any]:
    """The estimate as content of a template."""
    return {"costs": costs, "each": dict(costs.each) if costs else {}}

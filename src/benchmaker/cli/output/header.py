"""The header before live queries: models, cases, parameters, and estimated cost."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmaker.cli.options.run_request import RunRequest

if TYPE_CHECKING:
    from benchmaker.engine.runs.estimate import Estimate, ModelEstimate, Span
    from benchmaker.providers.live import Live
    from benchmaker.spec import Parameters


def run_header(request: RunRequest, live: "Live", *, budget_usd: float | None = None) -> list[str]:
    """Return the lines; empty if no case is selected.

    For a large suite the first cases are extrapolated, so that the estimate is fast.
    """
    from benchmaker.engine.runs.estimate import SAMPLE

    live.prepare()
    cards = {model: tariff.card() if (tariff := live.tariff(model)) else None
             for model in live.models}  # fmt: skip
    estimate = request.estimate(cards, limits=live.output_limits, sample=SAMPLE)
    if not estimate.cases:
        return []
    return [
        _size(request.suite.name, estimate, noun="setup" if request.setups else "model"),
        *_models(estimate, live),
        *_judges(estimate),
        *(f"Skipped: {model} ({why})" for model, why in live.skipped.items()),
        _parameters_line(request, live),
        *_likelihood_line(request, live),
        *_benchmark_mode_line(request.parameters),
        *_cost(estimate, live.price_version, budget_usd, request),
    ]


def judges_header(request: RunRequest, *, budget_usd: float | None = None) -> list[str]:
    """Return the estimated cost of judges and embeddings for recorded answers; may be empty."""
    from benchmaker.engine.runs.estimate import SAMPLE
    from benchmaker.record.counts import count

    estimate = request.estimate({}, sample=SAMPLE)
    if not (estimate.judges or estimate.embeddings) or not estimate.cases:
        return []
    answers = count(estimate.cases * estimate.runs, "answer")
    verb = "judging" if estimate.judges else "scoring"
    return [f"{request.suite.name}: {verb} {answers} of each model{_budget_note(budget_usd)}",
            *_judges(estimate)]  # fmt: skip


def _budget_note(budget_usd: float | None) -> str:
    from benchmaker.report.tables import numbers

    return "" if budget_usd is None else f"; budget {numbers.money(budget_usd)}, never exceeded"


def _money_range(span: "Span") -> str:
    from benchmaker.record.dollars import dollar_range

    return dollar_range(span.low, span.high)


def _size(suite: str, estimate: "Estimate", *, noun: str) -> str:
    from benchmaker.record.counts import count

    factors = [count(estimate.cases, "case"), count(len(estimate.models), noun)]
    least = estimate.runs_at_least
    if estimate.runs > 1:
        factors.append(f"{least} to " * bool(least) + count(estimate.runs, "run"))
    trials = sum(one.requests for one in estimate.models)
    low = f"{trials * least // estimate.runs:,} to " if least else ""
    return f"{suite}: {' × '.join(factors)} = {low}{count(trials, 'trial')}"


def _models(estimate: "Estimate", live: "Live") -> Iterator[str]:
    width = max(len(one.model) for one in estimate.models)
    for one in estimate.models:
        elsewhere = _base_url_note(live, one.model)
        place = f", at {elsewhere}" if elsewhere else ""
        yield f"  {one.model:<{width}}  {cost_of(one)}{place}"


def _judges(estimate: "Estimate") -> Iterator[str]:
    from benchmaker.record.counts import count

    for one in estimate.judges:
        yield f"  judge {one.model}  {cost_of(one)}, up to {count(one.requests, 'request')}"
    for one in estimate.embeddings:
        yield f"  embeddings {one.model}  {cost_of(one)}, up to {count(one.requests, 'request')}"


def cost_of(one: "ModelEstimate") -> str:
    """A model's part of an estimate in words."""
    return "price unknown" if one.cost_usd is None else f"estimate {_money_range(one.cost_usd)}"


def _base_url_note(live: "Live", model: str) -> str:
    """Return the base URL of a model, unless it is its endpoint's default."""
    from benchmaker.providers.endpoints.endpoints import endpoint_table

    route = live.description()["models"][model]
    usual = endpoint_table().get(route.get("endpoint", ""))
    base_url = str(route.get("base_url", ""))
    return "" if usual and usual.base_url == base_url else base_url


def _parameters_line(request: RunRequest, live: "Live") -> str:
    from benchmaker.engine.runs.logprobs import parameters_by_setup
    from benchmaker.report.sentences.sent_parameters import refusals_of, sent_words

    known = refusals_of(live.description()["models"])
    setups = tuple(request.setups)
    own = parameters_by_setup(live.models, request.parameters, setups)
    refusals = {
        model: (*names, *live.unsent_parameters(model, own[model]))
        for model, names in known.items()
    }
    changes = {model: live.changed_parameters(model, own[model]) for model in known}
    words = sent_words(request.parameters, live.seed, refusals, changes, setups=setups)
    return f"Settings: {', '.join(words)}"


def _likelihood_line(request: RunRequest, live: "Live") -> Iterator[str]:
    """A line on models whose generated letter is scored for want of log probabilities."""
    from benchmaker.engine.runs.logprobs import (
        logprobs_need,
        models_without_logprobs,
        parameters_by_setup,
    )
    from benchmaker.report.sentences.setup_groups import join_all, join_groups

    if logprobs_need(request.suite) != "preferred":
        return
    by_setup = parameters_by_setup(live.models, request.parameters, tuple(request.setups))
    if without := models_without_logprobs(live, by_setup):
        join = join_groups(tuple(request.setups)) if request.setups else join_all
        yield f"Choice by the generated letter, without log probabilities: {join(without)}"


def _benchmark_mode_line(parameters: "Parameters") -> Iterator[str]:
    if parameters.benchmark_mode:
        yield "Benchmark Mode: temperature, frequency penalty and presence penalty are 0."


def _cost(
    estimate: "Estimate", prices: str, budget_usd: float | None, request: RunRequest
) -> Iterator[str]:
    from benchmaker.report.sentences.setup_groups import join_all, join_groups
    from benchmaker.report.tables import numbers

    budget = ""
    if budget_usd is not None and not estimate.unpriced_models:
        budget = f" Budget: {numbers.money(budget_usd)}, never exceeded."
    if estimate.cost_usd is None:
        yield f"Cost: no estimate (prices unknown).{budget}"
        return
    join = join_groups(tuple(request.setups)) if request.setups else join_all
    unpriced = estimate.unpriced_models
    without = f", without {join(unpriced)}" if unpriced else ""
    first = f", from the first {estimate.sampled:,} cases" if estimate.sampled else ""
    money = _money_range(estimate.cost_usd)
    yield f"Cost: estimated {money}{first}{without} ({prices}).{budget}"

"""The reason for an unknown cost, the same wherever it is stated."""

from dataclasses import replace
from typing import Final

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.providers.prices.price_file import price_advice
from benchmaker.record import INFRASTRUCTURE
from benchmaker.record.counts import count
from benchmaker.report.tables.sanitize import sanitise

_LOCAL: Final = ("command:", "python:")
_NAMED: Final = 3


def unknown_cost_reason(summary: Summary) -> str:
    """Return why no cost of the models is known, in brackets behind it."""
    if refused := sum(map(dropped_costs, summary.models)):
        return f"{rejected_figures(refused)}: negative, too large or not a number"
    if names := _unpriced_names(summary):
        return f"no price for {_join(names)}"
    if names := _silent_names(summary):
        return f"{_join(names)} {'reports' if len(names) == 1 else 'report'} no tokens"
    return "no cost was reported"


def missing_cost_reason(model: ModelSummary, summary: Summary) -> str:
    """Return why the cost of a model is unknown, or known in part; empty if it is known."""
    if model.cost_usd is not None:
        return ""
    if not model.n_trials:
        return "no trials"
    if not model.cost_usd_at_least:
        return unknown_cost_reason(replace(summary, models=(model,)))
    return known_part(model)


def known_part(model: ModelSummary) -> str:
    """Return the number of the model's trials of known cost, and of rejected figures."""
    known = f"{model.cost_known_trials:,} of {count(model.n_trials, 'trial')} known"
    refused = dropped_costs(model)
    return f"{known}, {rejected_figures(refused)}" if refused else known


def unknown_cost_advice(summary: Summary) -> str:
    """Return how to set a missing price; empty if the cost is unknown for another reason."""
    names = _unpriced_names(summary)
    return price_advice(sanitise(names[0])) if names else ""


def dropped_costs(model: ModelSummary) -> int:
    """Return the number of the model's trials with a recorded cost that can't be true."""
    return model.flags.get("cost_dropped", 0)


def rejected_figures(refused: int) -> str:
    """Return a number of such costs in words."""
    return count(refused, "rejected figure")


def _unpriced_names(summary: Summary) -> list[str]:
    """The live models with answers and tokens, and without a cost: their price is unknown."""
    return [model for model, one in _live_models(summary) if one.tokens_known_trials]


def _silent_names(summary: Summary) -> list[str]:
    """The programs and functions with answers, and without tokens."""
    return [
        model
        for model, one in _live_models(summary)
        if not one.tokens_known_trials and model.startswith(_LOCAL)
    ]


def _live_models(summary: Summary) -> list[tuple[str, ModelSummary]]:
    """The live models with answers and without any cost, each once."""
    if summary.run is None or summary.run.provider.get("kind") != "live":
        return []
    found = {
        setup.model: one
        for setup, one in zip(summary.setups, summary.models, strict=True)
        if not set(one.outcomes) <= INFRASTRUCTURE and not one.cost_known_trials
    }
    return list(found.items())


def _join(names: list[str]) -> str:
    more = len(names) - _NAMED
    others = f" and {count(more, 'other')}" if more > 0 else ""
    return f"{', '.join(map(sanitise, names[:_NAMED]))}{others}"

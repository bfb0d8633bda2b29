"""The costs of a run's requests in words: models, judges and embeddings."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from benchmaker.analysis import Summary
from benchmaker.record import EMBEDDING_FAILED, EmbeddingTotals
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate


class SpentParts(Protocol):
    """The known cost of requests, by the kind of model."""

    @property
    def models_usd(self) -> float:
        """The cost of trials."""
        ...

    @property
    def judges_usd(self) -> float:
        """The cost of judges."""
        ...

    @property
    def embeddings_usd(self) -> float:
        """The cost of embeddings."""
        ...


def cost_parts(spent: SpentParts) -> str:
    """Return the cost of models, judges and embeddings; empty if only models cost something.

    >>> from benchmaker.analysis.summary.spending import Spending
    >>> cost_parts(Spending(0.5, 0.25, True, 0.01)), cost_parts(Spending(0.5, 0.0, True))
    ('models $0.50, judges $0.25, embeddings $0.01', '')
    """
    parts = [
        f"judges {numbers.money(spent.judges_usd)}" if spent.judges_usd else "",
        f"embeddings {numbers.money(spent.embeddings_usd)}" if spent.embeddings_usd else "",
    ]
    known = [part for part in parts if part]
    return ", ".join([f"models {numbers.money(spent.models_usd)}", *known]) if known else ""


def embedding_warning(summary: Summary) -> str:
    """Return the number of answers without embeddings, and the command to request them again."""
    failed = sum(model.flags.get(EMBEDDING_FAILED, 0) for model in summary.models)
    if not failed or summary.run is None:
        return ""
    verb = "has" if failed == 1 else "have"
    name = summary.run.series_id or summary.run.id
    return (
        f"{count(failed, 'answer')} {verb} no score for lack of an embedding. "
        f"Request it again: benchmaker resume {name} --retry-failed"
    )


def embedding_notes(totals: Iterable[EmbeddingTotals]) -> list[str]:
    """Return a sentence for each embedding model: its requests and their cost."""
    return [_embedding_note(one) for one in totals]


def _embedding_note(one: EmbeddingTotals) -> str:
    requests = count(one.requests, "request")
    failed = f", {one.failed:,} without usable embeddings" if one.failed else ""
    cost = f"cost {dollars(one.cost_usd)}"
    if one.costs_unknown:
        cost = f"cost at least {dollars(one.cost_usd)}" if one.cost_usd else "cost unknown"
    return f"Embeddings: {_name(one.model)}, {requests}{failed}; {cost}."


def cost_gap(
    usd: float,
    trials: int,
    judgments: int = 0,
    embeddings: int = 0,
    *,
    models: Sequence[str] = (),
    noun: str = "model",
) -> str:
    """Return the requests missing in a sum of ``usd`` dollars: those of unknown cost.

    ``trials`` are those of ``models``, which are named or counted if given. ``embeddings`` counts
    requests for embeddings.

    >>> cost_gap(0.5, 14, models=["a", "b", "c"]), cost_gap(0.5, 2, models=["a"])
    ('unknown for 14 trials of 3 models', 'unknown for 2 trials of a')
    >>> cost_gap(0.5, 1, 2), cost_gap(0.0, 6)
    ('unknown for 1 trial and 2 judgments', 'no cost was reported')
    """
    if not usd:
        return "no cost was reported"
    whose = _name(models[0]) if len(models) == 1 else count(len(models), noun)
    missing = [f"{count(trials, 'trial')}{f' of {whose}' if models else ''}"] * bool(trials)
    missing += [count(judgments, "judgment")] * bool(judgments)
    missing += [f"{count(embeddings, 'request')} for embeddings"] * bool(embeddings)
    return f"unknown for {' and '.join(missing)}"


def _name(name: str) -> str:
    return truncate(sanitise(name), 120)

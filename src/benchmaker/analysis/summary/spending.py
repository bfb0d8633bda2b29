"""The cost of all requests of runs."""

from collections.abc import Sequence
from math import fsum
from typing import Any, NamedTuple, Protocol

from benchmaker.analysis.judges.judging import JudgingSummary
from benchmaker.record import EmbeddingTotals


class ModelCosts(Protocol):
    """The costs of one model's trials, as in its summary."""

    @property
    def cost_usd(self) -> float | None:
        """The cost of all trials; None if it is unknown."""
        ...

    @property
    def cost_usd_at_least(self) -> float | None:
        """The known part of the cost if it is not fully known."""
        ...

    @property
    def n_trials(self) -> int:
        """The number of trials."""
        ...

    @property
    def cost_known_trials(self) -> int:
        """The number of trials of known cost."""
        ...


class Spending(NamedTuple):
    """The cost of all requests of runs, in dollars as far as known, and its completeness."""

    models_usd: float
    judges_usd: float
    is_whole: bool
    embeddings_usd: float = 0.0

    @property
    def usd(self) -> float:
        """The known total."""
        return self.models_usd + self.judges_usd + self.embeddings_usd


def spending_of(
    models: Sequence[ModelCosts],
    judging: JudgingSummary | None,
    embeddings: Sequence[EmbeddingTotals],
) -> Spending:
    """Return the cost of all requests of models, judges and embeddings."""
    known = [model.cost_usd for model in models if model.cost_usd is not None]
    parts = [model.cost_usd_at_least or 0.0 for model in models]
    unknown = sum(model.n_trials - model.cost_known_trials for model in models)
    is_judged_whole = judging is None or judging.is_spent_known
    is_embedded_whole = not any(one.costs_unknown for one in embeddings)
    return Spending(
        fsum([*known, *parts]),
        judging.spent_usd if judging else 0.0,
        unknown == 0 and is_judged_whole and is_embedded_whole,
        fsum(one.cost_usd for one in embeddings),
    )


def embeddings_to_dict(one: EmbeddingTotals) -> dict[str, Any]:
    """Return one model's requests for embeddings as a document."""
    return {
        "model": one.model,
        "requests": one.requests,
        "failed_requests": one.failed,
        "cost_usd": None if one.costs_unknown else one.cost_usd,
        "cost_usd_at_least": one.cost_usd if one.costs_unknown else None,
        "costs_unknown": one.costs_unknown,
        "input_tokens": one.input_tokens,
    }

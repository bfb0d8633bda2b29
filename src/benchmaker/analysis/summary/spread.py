"""The variation of a model's figure from run to run."""

from dataclasses import dataclass

from benchmaker.documents import Document, NullIfEmpty, listed
from benchmaker.spec import Metric
from benchmaker.stats.means.bounded import MATCHED


@dataclass(frozen=True, slots=True)
class RunSpread(Document):
    """The noise of repetition: the figure of ``metric`` in each run, and its spread over the runs.

    ``scores`` are the runs' own figures (means, or strict accuracies), in the order of ``run_ids``,
    each over all cases scored in that run. ``sd`` and ``ci95`` are over ``common_scores``, the
    figures over the ``n_cases`` cases scored in every run; ``common_mean`` is their mean, and
    ``ci95`` its interval. ``partial`` are the excluded runs: in progress, with judgments
    outstanding, or without a score for too many of the cases.
    """

    metric: Metric
    run_ids: tuple[str, ...]
    scores: tuple[float, ...]
    common_scores: tuple[float, ...]
    common_mean: float | None
    sd: float | None
    ci95: tuple[float, float] | None
    reason: NullIfEmpty
    n_cases: int = 0
    partial: tuple[str, ...] = ()

    @property
    @listed(after="ci95")
    def method(self) -> str:
        """The method of the interval."""
        return f"mean of the runs' means, {MATCHED}"

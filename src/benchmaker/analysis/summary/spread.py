"""How far a model's means move from run to run."""

from dataclasses import dataclass

from benchmaker.documents import Document, NullIfEmpty, listed
from benchmaker.stats.means.bounded import MATCHED


@dataclass(frozen=True, slots=True)
class RunSpread(Document):
    """The noise of repetition: the mean of each run, and how far means move from run to run.

    ``scores`` are the runs' own means, in the order of ``run_ids``, each over all cases that are
    scored in that run. ``sd`` and ``ci95`` compare like with like: they are over
    ``common_scores``, the runs' means over the ``n_cases`` cases that are scored in every run;
    ``common_mean`` is the mean of these, which ``ci95`` is the interval of. ``partial`` are the
    runs that are left out: under way, not judged to the end, or without a score for too many of
    the cases.
    """

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
        """How the interval is made."""
        return f"mean of the runs' means, {MATCHED}"

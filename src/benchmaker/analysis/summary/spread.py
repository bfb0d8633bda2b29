"""How far a model's means move from run to run."""

from dataclasses import dataclass
from typing import Any

from benchmaker.stats.means.bounded import MATCHED


@dataclass(frozen=True, slots=True)
class Spread:
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
    reason: str
    n_cases: int = 0
    partial: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "run_ids": list(self.run_ids),
            "scores": list(self.scores),
            "common_scores": list(self.common_scores),
            "common_mean": self.common_mean,
            "sd": self.sd,
            "ci95": None if self.ci95 is None else list(self.ci95),
            "method": f"mean of the runs' means, {MATCHED}",
            "reason": self.reason or None,
            "n_cases": self.n_cases,
            "partial": list(self.partial),
        }

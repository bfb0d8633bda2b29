"""Variance components of a comparison of two systems on the same cases."""

import math
from dataclasses import dataclass

from benchmaker.errors import NotEnoughData, SpecError
from benchmaker.stats.means.hierarchy import TwoLevel


@dataclass(frozen=True, slots=True)
class Components:
    """Variance components of the difference between two systems.

    Attributes:
        var_items: variance between cases of the true difference.
        var_runs: the variances between runs of one case, of both systems together.
        warnings: remarks on the pilot.
    """

    var_items: float
    var_runs: float = 0.0
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, variance in (("var_items", self.var_items), ("var_runs", self.var_runs)):
            if not (math.isfinite(variance) and variance >= 0.0):
                raise SpecError(f"The variance {name} = {variance!r} is not at least 0.")

    @classmethod
    def of(cls, sigma_item: float, sigma_run: float = 0.0, rho: float = 0.0) -> "Components":
        """Two systems alike: standard deviations between cases and between runs of one case.

        ``rho`` is the correlation over cases of the two systems' true scores. sd_d² is then
        2(1 - rho)·sigma_item² + 2·sigma_run²/runs (Miller 2024, Adding Error Bars to Evals,
        section 4).
        """
        if not -1.0 <= rho <= 1.0:
            raise SpecError(f"The correlation {rho!r} is not between -1 and 1.")
        return cls(2.0 * (1.0 - rho) * sigma_item**2, 2.0 * sigma_run**2)

    @classmethod
    def of_pilot(cls, a: TwoLevel, b: TwoLevel, var_d: float) -> "Components":
        """Estimate the components from a pilot: both systems on the same cases, with repeated runs.

        Args:
            a: the two-level result of one system.
            b: that of the other, on the same cases.
            var_d: the variance over cases of the difference between the two means over runs.

        Raises:
            NotEnoughData: no case was run twice, so that the variances of runs and cases
                can't be separated.
        """
        if a.var_run is None or b.var_run is None or a.se_repeat is None or b.se_repeat is None:
            message = "Every case ran once, so that the noise of the runs is unknown."
            raise NotEnoughData(message, needed=2, got=1, hint="Give sd_d instead.")
        noise = a.n * a.se_repeat**2 + b.n * b.se_repeat**2
        items, runs = var_d - noise, a.var_run + b.var_run
        if items >= 0.0:
            return cls(items, runs)
        return cls(0.0, runs, (f"the variance of the cases came out as {items:.3g}, taken as 0",))

    def sd_d(self, runs: int = 1) -> float:
        """Standard deviation over cases of the difference between means over ``runs`` runs."""
        return math.sqrt(self.var_items + self.var_runs / runs)

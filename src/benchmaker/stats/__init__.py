"""Numbers in, frozen results out; no domain, no input or output."""

from benchmaker.stats.means import Mean, weighted_mean

__all__ = ["Mean", "weighted_mean"]

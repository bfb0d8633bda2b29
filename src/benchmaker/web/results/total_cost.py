"""The cost of a series or run: in dollars, as text, and why a part of it is unknown."""

from typing import NamedTuple

from benchmaker.record.counts import count
from benchmaker.report.sentences.notes import cost_text
from benchmaker.store.runs.costs import Costs


class TotalCost(NamedTuple):
    """The spending on models, judges and embeddings.

    ``usd`` is None if no cost is known, and the known part if ``reason`` is the reason for the
    rest. ``text`` is for pages.
    """

    text: str
    usd: float | None
    reason: str = ""

    @property
    def is_lower_bound(self) -> bool:
        """True if only a part is known."""
        return self.usd is not None and bool(self.reason)

    @classmethod
    def of(cls, costs: Costs) -> "TotalCost":
        """The cost in these sums; $0.00 before the first trial."""
        is_whole = costs.is_whole
        text = cost_text(costs.known_usd, is_whole=is_whole)
        usd = costs.known_usd if is_whole or costs.known_usd else None
        return cls(text, usd, "" if is_whole else _reason(costs))


def _reason(costs: Costs) -> str:
    unknown = (
        (costs.unknown, "trial", ""),
        (costs.judgments_unknown, "judgment", ""),
        (costs.embeddings_unknown, "request for embeddings", "requests for embeddings"),
    )
    parts = [count(n, noun, plural) for n, noun, plural in unknown if n]
    return f"unknown for {', '.join(parts)}"

"""The setups of a run with their figures, for JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmaker.analysis.summary.named_metrics import MetricMean
from benchmaker.documents import Document
from benchmaker.record import Run
from benchmaker.record.setup import Setup

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class SetupSummary(Document):
    """Model, prompt and effort of a row of results, with its mean; ``setup`` is its name there.

    ``strict`` is the strict accuracy, the share of answers that score exactly 1.
    """

    setup: str
    model: str
    prompt_id: str | None
    effort: str | None
    mean: float | None
    ci95: Interval | None
    n_cases: int
    strict: MetricMean
    cost_usd: float | None


class SummaryRow(Protocol):
    """A row of results under the name of its setup."""

    @property
    def model(self) -> str:
        """The name of the setup."""

    @property
    def mean(self) -> float | None:
        """The mean score."""

    @property
    def ci95(self) -> Interval | None:
        """The interval of the mean."""

    @property
    def strict_accuracy(self) -> float | None:
        """The share of answers that score exactly 1."""

    @property
    def strict_ci95(self) -> Interval | None:
        """Its interval."""

    @property
    def n_cases(self) -> int:
        """The cases in the mean."""

    @property
    def cost_usd(self) -> float | None:
        """Dollars of all requests."""


def setup_summaries(runs: Sequence[Run], rows: Sequence[SummaryRow]) -> tuple[SetupSummary, ...]:
    """Return the setup of each row; a name that no run records is a model's."""
    known = {one.name: one for run in runs for one in run.setups}
    return tuple(
        _setup_summary(known.get(row.model) or Setup(name=row.model, model=row.model), row)
        for row in rows
    )


def _setup_summary(setup: Setup, row: SummaryRow) -> SetupSummary:
    return SetupSummary(
        setup=setup.name,
        model=setup.model,
        prompt_id=setup.prompt_id,
        effort=setup.effort,
        mean=row.mean,
        ci95=row.ci95,
        n_cases=row.n_cases,
        strict=MetricMean(row.strict_accuracy, row.strict_ci95, row.n_cases),
        cost_usd=row.cost_usd,
    )

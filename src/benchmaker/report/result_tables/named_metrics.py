"""The table of the named metrics of checks: a row for each model and metric."""

from dataclasses import dataclass
from typing import Any

from benchmaker.analysis import Summary
from benchmaker.analysis.summary.named_metrics import MetricMean
from benchmaker.report.sentences import missing_figures, notes
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.table import SCALE


@dataclass(frozen=True, slots=True)
class NamedMean:
    """A metric of a model."""

    model: str
    metric: str
    figures: MetricMean

    def to_dict(self) -> dict[str, Any]:
        """Plain data by the names of its fields."""
        return {"model": self.model, "metric": self.metric, **self.figures.to_dict()}


def named_means(summary: Summary) -> tuple[NamedMean, ...]:
    """Return the metrics of each model, in the order of the table of means."""
    return tuple(
        NamedMean(model.model, name, figures)
        for model in summary.models
        for name, figures in model.metrics.items()
    )


NAMED_METRICS: TableDeclaration[Summary, NamedMean] = TableDeclaration(
    "metrics",
    (
        TableColumn(
            name="model",
            title=lambda summary: summary.noun.capitalize(),
            text=lambda row, _: notes.name(row.model),
            is_right=False,
        ),
        TableColumn(
            name="metric",
            title="Metric",
            text=lambda row, _: notes.name(row.metric),
            is_right=False,
        ),
        TableColumn(
            name="mean",
            title="Mean",
            unit=SCALE,
            text=lambda row, _: missing_figures.optional_score(row.figures.mean),
        ),
        TableColumn(
            name="ci95",
            keys=("ci95_low", "ci95_high"),
            title="95% CI",
            unit="cases",
            text=lambda row, _: missing_figures.optional_interval(row.figures.ci95),
            beside="mean",
        ),
        TableColumn(name="n", title="Scored\ncases", text=lambda row, _: f"{row.figures.n:,}"),
    ),
    rows=named_means,
)
"""The means of named metrics, with intervals; scores from 0 to 1 in files."""

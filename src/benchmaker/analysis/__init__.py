"""Records or columns to answers: pure functions, no input or output."""

from benchmaker.analysis.aggregate import (
    AggregateScore,
    aggregate_scores,
    detailed_aggregate_scores,
)
from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
from benchmaker.analysis.multi_run import MultiRunStats, multi_run_stats
from benchmaker.analysis.summary import ModelSummary, Spread, Summary, summarise

__all__ = [
    "AggregateScore",
    "CaseWeights",
    "HasColumns",
    "ModelSummary",
    "MultiRunStats",
    "Scored",
    "Spread",
    "Summary",
    "aggregate_scores",
    "columns_of",
    "detailed_aggregate_scores",
    "multi_run_stats",
    "summarise",
]

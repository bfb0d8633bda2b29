"""Records or columns to answers: pure functions, no input or output.

The names below are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "AggregateScore": "aggregate",
    "CaseWeights": "columns",
    "HasColumns": "columns",
    "ModelSummary": "summary",
    "MultiRunStats": "multi_run",
    "Scored": "columns",
    "Spread": "summary",
    "Summary": "summary",
    "aggregate_scores": "aggregate",
    "columns_of": "columns",
    "detailed_aggregate_scores": "aggregate",
    "multi_run_stats": "multi_run",
    "summarise": "summary",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

"""Pure functions from records and columns to results, without input or output.

The names below are imported when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.analysis.columns import CaseWeights, HasColumns, Scored, columns_of
    from benchmaker.analysis.comparison.comparison import compare
    from benchmaker.analysis.comparison.groups import (
        GroupedComparison,
        aggregate_by,
        compare_by,
        summarise_by,
    )
    from benchmaker.analysis.comparison.pilot import Pilot
    from benchmaker.analysis.comparison.planning import PowerPlan, more_cases, power
    from benchmaker.analysis.comparison.results import ComparedModel, ComparedPair, Comparison
    from benchmaker.analysis.comparison.run_means import (
        ModelComparison,
        compare_models,
        interpret_effect,
    )
    from benchmaker.analysis.effects.level_results import LevelComparison
    from benchmaker.analysis.effects.levels import compare_levels
    from benchmaker.analysis.effects.matrix import Matrix, setup_matrix
    from benchmaker.analysis.ratings.ranking import RankedModel, Ranking
    from benchmaker.analysis.ratings.rate import rank
    from benchmaker.analysis.summary.aggregate import (
        AggregateScore,
        aggregate_scores,
        detailed_aggregate_scores,
    )
    from benchmaker.analysis.summary.model_summary import ModelSummary
    from benchmaker.analysis.summary.multi_run import MultiRunStats, multi_run_stats
    from benchmaker.analysis.summary.spread import RunSpread
    from benchmaker.analysis.summary.summary import Summary, summarise
    from benchmaker.analysis.trends.trend_results import ModelTrend, Trend, TrendPoint, TrendStep
    from benchmaker.analysis.trends.trends import trend

__all__ = [
    "AggregateScore",
    "CaseWeights",
    "ComparedModel",
    "ComparedPair",
    "Comparison",
    "GroupedComparison",
    "HasColumns",
    "LevelComparison",
    "Matrix",
    "ModelComparison",
    "ModelSummary",
    "ModelTrend",
    "MultiRunStats",
    "Pilot",
    "PowerPlan",
    "RankedModel",
    "Ranking",
    "RunSpread",
    "Scored",
    "Summary",
    "Trend",
    "TrendPoint",
    "TrendStep",
    "aggregate_by",
    "aggregate_scores",
    "columns_of",
    "compare",
    "compare_by",
    "compare_levels",
    "compare_models",
    "detailed_aggregate_scores",
    "interpret_effect",
    "more_cases",
    "multi_run_stats",
    "power",
    "rank",
    "setup_matrix",
    "summarise",
    "summarise_by",
    "trend",
]

_HOMES = {
    "AggregateScore": "summary.aggregate",
    "CaseWeights": "columns",
    "ComparedModel": "comparison.results",
    "ComparedPair": "comparison.results",
    "Comparison": "comparison.results",
    "GroupedComparison": "comparison.groups",
    "HasColumns": "columns",
    "LevelComparison": "effects.level_results",
    "Matrix": "effects.matrix",
    "ModelComparison": "comparison.run_means",
    "ModelSummary": "summary.model_summary",
    "ModelTrend": "trends.trend_results",
    "MultiRunStats": "summary.multi_run",
    "Pilot": "comparison.pilot",
    "PowerPlan": "comparison.planning",
    "RankedModel": "ratings.ranking",
    "Ranking": "ratings.ranking",
    "Scored": "columns",
    "RunSpread": "summary.spread",
    "Summary": "summary.summary",
    "Trend": "trends.trend_results",
    "TrendPoint": "trends.trend_results",
    "TrendStep": "trends.trend_results",
    "aggregate_by": "comparison.groups",
    "aggregate_scores": "summary.aggregate",
    "columns_of": "columns",
    "compare": "comparison.comparison",
    "compare_by": "comparison.groups",
    "compare_levels": "effects.levels",
    "compare_models": "comparison.run_means",
    "detailed_aggregate_scores": "summary.aggregate",
    "interpret_effect": "comparison.run_means",
    "more_cases": "comparison.planning",
    "multi_run_stats": "summary.multi_run",
    "power": "comparison.planning",
    "rank": "ratings.rate",
    "setup_matrix": "effects.matrix",
    "summarise": "summary.summary",
    "summarise_by": "comparison.groups",
    "trend": "trends.trends",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

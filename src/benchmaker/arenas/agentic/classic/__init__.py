"""The published functions of the Agentic Arena, literal, faults included.

Names and argument shapes are those of the document: submissions, baselines and evaluations are
plain dictionaries. Time and the look-ups of the batch are keyword-only arguments. Faults that are
kept: equal scores are listed latest first, an unknown criterion passes, the weights are fixed,
2.776 is used for Student's t below 30 scores, and a percentile uses the first equal score. For
boards see the profiles; ``classic`` uses these functions, ``robust`` corrects them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.classic.baseline import (
        calculate_task_baseline,
        get_default_baseline,
    )
    from benchmaker.arenas.agentic.classic.batch import process_evaluation_batch
    from benchmaker.arenas.agentic.classic.quality import (
        detect_outliers,
        validate_evaluation_metrics,
    )
    from benchmaker.arenas.agentic.classic.ranking import (
        calculate_category_rankings,
        calculate_confidence_interval,
        calculate_percentile,
        calculate_rankings,
    )
    from benchmaker.arenas.agentic.classic.scores import (
        TASK_CATEGORY_WEIGHTS,
        apply_difficulty_adjustment,
        calculate_correctness_score,
        calculate_cost_score,
        calculate_efficiency_score,
        calculate_iteration_efficiency_score,
        calculate_overall_score,
        calculate_speed_score,
        calculate_token_efficiency_score,
        calculate_tool_call_efficiency_score,
        check_criterion,
    )

__all__ = [
    "TASK_CATEGORY_WEIGHTS",
    "apply_difficulty_adjustment",
    "calculate_category_rankings",
    "calculate_confidence_interval",
    "calculate_correctness_score",
    "calculate_cost_score",
    "calculate_efficiency_score",
    "calculate_iteration_efficiency_score",
    "calculate_overall_score",
    "calculate_percentile",
    "calculate_rankings",
    "calculate_speed_score",
    "calculate_task_baseline",
    "calculate_token_efficiency_score",
    "calculate_tool_call_efficiency_score",
    "check_criterion",
    "detect_outliers",
    "get_default_baseline",
    "process_evaluation_batch",
    "validate_evaluation_metrics",
]

_HOMES = {
    "TASK_CATEGORY_WEIGHTS": "scores",
    "apply_difficulty_adjustment": "scores",
    "calculate_category_rankings": "ranking",
    "calculate_confidence_interval": "ranking",
    "calculate_correctness_score": "scores",
    "calculate_cost_score": "scores",
    "calculate_efficiency_score": "scores",
    "calculate_iteration_efficiency_score": "scores",
    "calculate_overall_score": "scores",
    "calculate_percentile": "ranking",
    "calculate_rankings": "ranking",
    "calculate_speed_score": "scores",
    "calculate_task_baseline": "baseline",
    "calculate_token_efficiency_score": "scores",
    "calculate_tool_call_efficiency_score": "scores",
    "check_criterion": "scores",
    "detect_outliers": "quality",
    "get_default_baseline": "baseline",
    "process_evaluation_batch": "batch",
    "validate_evaluation_metrics": "quality",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

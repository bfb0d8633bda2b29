"""One workbench to run, score, compare and rank language models and AI coding agents, honestly.

The names below are the public API; each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from benchmaker.version import __version__

if TYPE_CHECKING:
    from benchmaker.analysis import (
        aggregate_scores,
        compare_models,
        detailed_aggregate_scores,
        interpret_effect,
        multi_run_stats,
        power,
        trend,
    )
    from benchmaker.analysis.judges.calibration_rating import interpret_calibration
    from benchmaker.analysis.judges.correction import corrected_differences, corrected_means
    from benchmaker.arenas.agentic import (
        agent_series,
        evaluate,
        import_logs,
        leaderboard,
        reprice,
        resume_agents,
        run_agents,
        submit,
        trace,
    )
    from benchmaker.arenas.standard import (
        RunResult,
        arescore,
        aresume,
        arun,
        compare,
        control,
        estimate,
        gate,
        rank,
        rescore,
        results,
        resume,
        run,
    )
    from benchmaker.engine.requests.run_options import RunOptions
    from benchmaker.errors import (
        AnalysisError,
        BenchmakerError,
        NotComparable,
        NotEnoughData,
        PluginError,
        PrerequisiteError,
        ProviderError,
        ScorerError,
        SpecError,
        StoreError,
    )
    from benchmaker.judging import calibrate_judge
    from benchmaker.plugins import importer, provider, report_format, scorer, web_page
    from benchmaker.pytest_plugin.score_assertion import assert_scores
    from benchmaker.record import Completion, Run, Score, ScoringResult, Trial
    from benchmaker.report.formats.exports import export
    from benchmaker.scoring.check import load_checked as load_suite
    from benchmaker.scoring.score import score
    from benchmaker.spec import (
        AnswerFields,
        Case,
        CaseDict,
        CaseFields,
        Parameters,
        Policies,
        ScorerSpec,
        Suite,
        effective_parameters,
    )

_HOMES = {
    "benchmaker.analysis": (
        "aggregate_scores",
        "compare_models",
        "detailed_aggregate_scores",
        "interpret_effect",
        "multi_run_stats",
        "power",
        "trend",
    ),
    "benchmaker.arenas.agentic": (
        "agent_series",
        "evaluate",
        "import_logs",
        "leaderboard",
        "reprice",
        "resume_agents",
        "run_agents",
        "submit",
        "trace",
    ),
    "benchmaker.analysis.judges.calibration_rating": ("interpret_calibration",),
    "benchmaker.analysis.judges.correction": ("corrected_differences", "corrected_means"),
    "benchmaker.arenas.standard": (
        "RunResult",
        "arescore",
        "aresume",
        "arun",
        "compare",
        "control",
        "estimate",
        "gate",
        "rank",
        "rescore",
        "results",
        "resume",
        "run",
    ),
    "benchmaker.engine.requests.run_options": ("RunOptions",),
    "benchmaker.errors": (
        "AnalysisError",
        "BenchmakerError",
        "NotComparable",
        "NotEnoughData",
        "PluginError",
        "PrerequisiteError",
        "ProviderError",
        "ScorerError",
        "SpecError",
        "StoreError",
    ),
    "benchmaker.judging": ("calibrate_judge",),
    "benchmaker.plugins": ("importer", "provider", "report_format", "scorer", "web_page"),
    "benchmaker.pytest_plugin.score_assertion": ("assert_scores",),
    "benchmaker.record": ("Completion", "Run", "Score", "ScoringResult", "Trial"),
    "benchmaker.report.formats.exports": ("export",),
    "benchmaker.scoring.check": ("load_suite",),
    "benchmaker.scoring.score": ("score",),
    "benchmaker.spec": (
        "AnswerFields",
        "Case",
        "CaseDict",
        "CaseFields",
        "Parameters",
        "Policies",
        "ScorerSpec",
        "Suite",
        "effective_parameters",
    ),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}
_OWN_NAMES = {"load_suite": "load_checked"}

__all__ = [
    "AnalysisError",
    "AnswerFields",
    "BenchmakerError",
    "Case",
    "CaseDict",
    "CaseFields",
    "Completion",
    "NotComparable",
    "NotEnoughData",
    "Parameters",
    "PluginError",
    "Policies",
    "PrerequisiteError",
    "ProviderError",
    "Run",
    "RunOptions",
    "RunResult",
    "Score",
    "ScorerError",
    "ScorerSpec",
    "ScoringResult",
    "SpecError",
    "StoreError",
    "Suite",
    "Trial",
    "__version__",
    "agent_series",
    "aggregate_scores",
    "arescore",
    "aresume",
    "arun",
    "assert_scores",
    "calibrate_judge",
    "compare",
    "compare_models",
    "control",
    "corrected_differences",
    "corrected_means",
    "detailed_aggregate_scores",
    "effective_parameters",
    "estimate",
    "evaluate",
    "export",
    "gate",
    "import_logs",
    "importer",
    "interpret_calibration",
    "interpret_effect",
    "leaderboard",
    "load_suite",
    "multi_run_stats",
    "power",
    "provider",
    "rank",
    "report_format",
    "reprice",
    "rescore",
    "results",
    "resume",
    "resume_agents",
    "run",
    "run_agents",
    "score",
    "scorer",
    "submit",
    "trace",
    "trend",
    "web_page",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), _OWN_NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

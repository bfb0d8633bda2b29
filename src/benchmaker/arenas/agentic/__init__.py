"""The Agentic Arena: logs of coding tools become submissions and are evaluated."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.boards.leaderboard import leaderboard
    from benchmaker.arenas.agentic.evaluation.evaluate import evaluate, submit
    from benchmaker.arenas.agentic.evaluation.rows import Evaluated, EvaluatedRow
    from benchmaker.arenas.agentic.series.api import agent_series, resume_agents, run_agents
    from benchmaker.arenas.agentic.series.series_results import AgentSeriesResult
    from benchmaker.arenas.agentic.sessions.importing import Imported, import_logs
    from benchmaker.arenas.agentic.sessions.stored_usage import usage
    from benchmaker.arenas.agentic.submissions.deletion import DeletedSubmission, delete_submission
    from benchmaker.arenas.agentic.submissions.repricing import Repriced, reprice
    from benchmaker.arenas.agentic.submissions.reviews import (
        ReviewDecision,
        ReviewRow,
        decide_submission_review,
        reviews,
    )
    from benchmaker.arenas.agentic.submissions.verification_batch import Verified, verify_all
    from benchmaker.arenas.agentic.traces.text_search import TextHit, TextPage, search
    from benchmaker.arenas.agentic.traces.trace import Trace, trace

__all__ = [
    "AgentSeriesResult",
    "DeletedSubmission",
    "Evaluated",
    "EvaluatedRow",
    "Imported",
    "Repriced",
    "ReviewDecision",
    "ReviewRow",
    "TextHit",
    "TextPage",
    "Trace",
    "Verified",
    "agent_series",
    "decide_submission_review",
    "delete_submission",
    "evaluate",
    "import_logs",
    "leaderboard",
    "reprice",
    "resume_agents",
    "reviews",
    "run_agents",
    "search",
    "submit",
    "trace",
    "usage",
    "verify_all",
]

_HOMES = {
    "AgentSeriesResult": "series.series_results",
    "agent_series": "series.api",
    "resume_agents": "series.api",
    "run_agents": "series.api",
    "ReviewDecision": "submissions.reviews",
    "DeletedSubmission": "submissions.deletion",
    "Evaluated": "evaluation.rows",
    "EvaluatedRow": "evaluation.rows",
    "Imported": "sessions.importing",
    "Repriced": "submissions.repricing",
    "ReviewRow": "submissions.reviews",
    "TextHit": "traces.text_search",
    "TextPage": "traces.text_search",
    "Trace": "traces.trace",
    "Verified": "submissions.verification_batch",
    "decide_submission_review": "submissions.reviews",
    "delete_submission": "submissions.deletion",
    "evaluate": "evaluation.evaluate",
    "import_logs": "sessions.importing",
    "leaderboard": "boards.leaderboard",
    "reprice": "submissions.repricing",
    "reviews": "submissions.reviews",
    "search": "traces.text_search",
    "submit": "evaluation.evaluate",
    "trace": "traces.trace",
    "usage": "sessions.stored_usage",
    "verify_all": "submissions.verification_batch",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

"""The Agentic Arena: logs that coding tools leave behind become submissions, and are evaluated."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.api import Imported, import_logs
    from benchmaker.arenas.agentic.boards import leaderboard
    from benchmaker.arenas.agentic.deleting import Deleted, delete_submission
    from benchmaker.arenas.agentic.evaluated import Evaluated, EvaluatedRow
    from benchmaker.arenas.agentic.evaluation import evaluate, submit
    from benchmaker.arenas.agentic.repricing import Repriced, reprice
    from benchmaker.arenas.agentic.reviewing import Decided, ReviewRow, decide, reviews
    from benchmaker.arenas.agentic.stored_usage import usage
    from benchmaker.arenas.agentic.text_search import TextHit, TextPage, search
    from benchmaker.arenas.agentic.tracing import Trace, trace
    from benchmaker.arenas.agentic.verifications import Verified, verify_all

__all__ = [
    "Decided",
    "Deleted",
    "Evaluated",
    "EvaluatedRow",
    "Imported",
    "Repriced",
    "ReviewRow",
    "TextHit",
    "TextPage",
    "Trace",
    "Verified",
    "decide",
    "delete_submission",
    "evaluate",
    "import_logs",
    "leaderboard",
    "reprice",
    "reviews",
    "search",
    "submit",
    "trace",
    "usage",
    "verify_all",
]

_HOMES = {
    "Decided": "reviewing",
    "Deleted": "deleting",
    "Evaluated": "evaluated",
    "EvaluatedRow": "evaluated",
    "Imported": "api",
    "Repriced": "repricing",
    "ReviewRow": "reviewing",
    "TextHit": "text_search",
    "TextPage": "text_search",
    "Trace": "tracing",
    "Verified": "verifications",
    "decide": "reviewing",
    "delete_submission": "deleting",
    "evaluate": "evaluation",
    "import_logs": "api",
    "leaderboard": "boards",
    "reprice": "repricing",
    "reviews": "reviewing",
    "search": "text_search",
    "submit": "evaluation",
    "trace": "tracing",
    "usage": "stored_usage",
    "verify_all": "verifications",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

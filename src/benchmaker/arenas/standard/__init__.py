"""The Standard Arena: models answer the cases of a suite; answers are scored and stored.

The names below are imported on first use, so that a run does not load rescoring.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.arenas.standard.api import arun, results, run
    from benchmaker.arenas.standard.controlling import ControlResult, control
    from benchmaker.arenas.standard.estimating import estimate
    from benchmaker.arenas.standard.gating import gate
    from benchmaker.arenas.standard.rescoring import arescore, rescore
    from benchmaker.arenas.standard.result import RunResult
    from benchmaker.arenas.standard.resuming import aresume, resume
    from benchmaker.arenas.standard.stored_analyses import compare, rank

__all__ = [
    "ControlResult",
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
]

_HOMES = {
    "ControlResult": "controlling",
    "RunResult": "result",
    "arescore": "rescoring",
    "aresume": "resuming",
    "arun": "api",
    "compare": "stored_analyses",
    "control": "controlling",
    "estimate": "estimating",
    "gate": "gating",
    "rank": "stored_analyses",
    "rescore": "rescoring",
    "results": "api",
    "resume": "resuming",
    "run": "api",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

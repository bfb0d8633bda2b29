"""The Agentic Arena: logs that coding tools leave behind become submissions."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.api import Imported, import_logs
    from benchmaker.arenas.agentic.repricing import Repriced, reprice
    from benchmaker.arenas.agentic.tracing import Trace, trace

__all__ = ["Imported", "Repriced", "Trace", "import_logs", "reprice", "trace"]

_HOMES = {
    "Imported": "api",
    "Repriced": "repricing",
    "Trace": "tracing",
    "import_logs": "api",
    "reprice": "repricing",
    "trace": "tracing",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

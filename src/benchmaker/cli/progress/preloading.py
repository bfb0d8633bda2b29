"""Imports of the modules of a result in a thread, while a run waits for answers."""

from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from threading import Thread

RESULT_MODULES = (
    "benchmaker.store.runs.columns",
    "benchmaker.analysis.summary.summary",
    "benchmaker.analysis.summary.gate",
    "benchmaker.analysis.comparison.contradictions",
    "benchmaker.report.runs.text",
    "benchmaker.report.runs.verdict",
    "numpy.ma",
    "rich.console",
    "rich.table",
)
"""Modules that summarise, compare and print every run; numpy imports its ``ma`` on first use."""

EFFECT_MODULES = ("benchmaker.analysis.effects.run_effects", "benchmaker.report.runs.dimensions")
"""Modules that runs with prompts or efforts need besides."""


class Preloading:
    """Imports modules in a thread, once.

    Numbers and tables take half a second to import. Before the first request nobody should wait for
    that, and after the last answer nobody needs to, if they are imported in between.
    """

    def __init__(self) -> None:
        self._thread: Thread | None = None

    def begin(self, names: Sequence[str] = (*RESULT_MODULES, *EFFECT_MODULES)) -> None:
        """Start to import the modules, unless that has begun already."""
        if self._thread is None:
            self._thread = Thread(target=_import_all, args=(names,), name="preloading")
            self._thread.start()

    def end(self) -> None:
        """Wait until the modules are imported, if that has begun."""
        if self._thread is not None:
            self._thread.join()


def _import_all(names: Sequence[str]) -> None:
    """Import the modules; the place that needs one that is missing reports it."""
    with suppress(ImportError):
        for name in names:
            import_module(name)

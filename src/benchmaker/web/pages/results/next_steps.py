"""The address of the Arena with the failed cases of a result."""

from collections.abc import Iterable
from urllib.parse import urlencode

from benchmaker.analysis.summary.case_grid import CaseGrid
from benchmaker.engine.runs.setups import call_parameters
from benchmaker.store import Store
from benchmaker.web.arena.setup import SAMPLING, program_fault, text_of
from benchmaker.web.results.subject import Subject

_NEVER_QUERIED = frozenset({"recorded", "scripted", "function"})
"""Kinds of providers that send no request."""


def failures_address(store: Store, subject: Subject, grid: CaseGrid) -> str:
    """Return the Arena with the cases that failed here and the same setups and parameters.

    Only parameters of the run's call are in the address; the suite has its own.
    Empty if no case failed, or if no request can be sent again.
    """
    run = subject.run
    setups = [run.setup(name) for name in run.models]
    models = _distinct(one.model for one in setups)
    can_query = subject.can_retry and run.provider.get("kind") not in _NEVER_QUERIED
    if not can_query or program_fault(models) or not grid.failed.any():
        return ""
    given = call_parameters(run, store.suite(run.suite_hash))
    words = {
        "suite": run.suite_hash,
        "models": models,
        "prompts": _distinct(one.prompt_id for one in setups),
        "efforts": _distinct(one.effort for one in setups),
        "set": "1",
        "benchmark_mode": ("on",) if run.benchmark_mode else (),
        **{name: text_of(given[name]) for name in SAMPLING if name in given},
        "failed_of": subject.id,
    }
    return f"/arena?{urlencode(words, doseq=True)}"


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))

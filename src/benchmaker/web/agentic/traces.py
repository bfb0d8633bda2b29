"""Traces of stored submissions, the last one kept while somebody pages through it."""

from collections import OrderedDict
from threading import Lock
from weakref import WeakKeyDictionary

from benchmaker.arenas.agentic.tracing import Trace, stored, traced
from benchmaker.providers.prices import Prices
from benchmaker.record.submission import Submission
from benchmaker.web.workbench import Workbench

_KEPT = 2
_MOST_STEPS = 5_000

_Key = tuple[str, int]
_KEPT_BY: "WeakKeyDictionary[Workbench, OrderedDict[_Key, Trace]]" = WeakKeyDictionary()
_LOCK = Lock()


def trace_of(bench: Workbench, submission: Submission) -> Trace:
    """The steps of a submission, with their texts; long ones are read again each time."""
    key = submission.id, submission.revision
    with _LOCK:
        kept = _KEPT_BY.setdefault(bench, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    made = traced(stored(bench.store, submission.id), Prices(bench.home))
    with _LOCK:
        if sum(1 for _ in made.walk()) <= _MOST_STEPS:
            kept[key] = made
            while len(kept) > _KEPT:
                kept.popitem(last=False)
    return made

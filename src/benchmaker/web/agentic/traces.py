"""Traces of stored submissions; the last one is cached for paging."""

from collections import OrderedDict
from threading import Lock
from weakref import WeakKeyDictionary

from benchmaker.arenas.agentic.traces.trace import (
    Source,
    Trace,
    build_trace,
    stored_source,
    waiting_source,
)
from benchmaker.providers.prices.costs import Prices
from benchmaker.store.agentic.submission_pages import SubmissionRow
from benchmaker.web.workbench import Workbench

_KEPT = 2
_MOST_STEPS = 5_000

_Key = tuple[str, int]
_KEPT_BY: "WeakKeyDictionary[Workbench, OrderedDict[_Key, Trace]]" = WeakKeyDictionary()
_LOCK = Lock()


def trace_of(bench: Workbench, row: SubmissionRow) -> Trace:
    """The steps of a submission, with their texts; long ones are read again each time."""
    submission = row.submission
    key = submission.id, submission.revision
    with _LOCK:
        kept = _KEPT_BY.setdefault(bench, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    made = build_trace(source_of(bench, row), Prices(bench.home))
    with _LOCK:
        if sum(1 for _ in made.walk()) <= _MOST_STEPS:
            kept[key] = made
            while len(kept) > _KEPT:
                kept.popitem(last=False)
    return made


def source_of(bench: Workbench, row: SubmissionRow) -> Source:
    """The events of a submission, also of one that waits for a moderator."""
    if row.submission.revision < 0:
        return waiting_source(bench.store, row.number, row.submission)
    return stored_source(bench.store, row.submission.id)

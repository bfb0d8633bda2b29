"""The kinds of failures of some runs: trials of a model with one outcome and one reason."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from benchmaker.record import Outcome, kind_words
from benchmaker.report.sentences.outcomes import short_reason
from benchmaker.store.runs.case_pages import Failures


class FailureKind(NamedTuple):
    """Trials that failed alike, and the first of them; ``reason`` is short, such as HTTP 401."""

    run_id: str
    model: str
    outcome: Outcome
    error_type: str | None
    reason: str
    trials: int
    first: int


def kinds_by_run(failures: Iterable[Failures]) -> list[FailureKind]:
    """Return the kinds of failures of each run, in the order of their first occurrence."""
    kinds = [
        FailureKind(
            one.run_id, one.model, one.outcome, one.error_type, _reason(one), one.trials, one.first
        )
        for one in failures
    ]
    return _merge((kind[:5], kind) for kind in kinds)


def kinds_of_failure(failures: Iterable[Failures]) -> list[FailureKind]:
    """Return the kinds over all runs, most frequent first, with the first trial of each."""
    merged = _merge((kind[1:5], kind) for kind in kinds_by_run(failures))
    return sorted(merged, key=lambda one: -one.trials)


def _reason(one: Failures) -> str:
    return short_reason(one.error_type, one.error) or kind_words(one.error_type)


def _merge(kinds: Iterable[tuple[Hashable, FailureKind]]) -> list[FailureKind]:
    """Return one kind for each key, with all its trials, and the first case within its run."""
    found: dict[Hashable, FailureKind] = {}
    for key, kind in kinds:
        known = found.get(key)
        if known is None:
            found[key] = kind
            continue
        first = min(known.first, kind.first) if known.run_id == kind.run_id else known.first
        found[key] = known._replace(trials=known.trials + kind.trials, first=first)
    return list(found.values())

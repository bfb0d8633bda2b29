"""The selection of a run's cases, resolved before the first request.

Filters that depend on an earlier run or on chance are replaced by the ids of the passing cases, so
that a resumed run has the same cases, even if the earlier run was deleted.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from hashlib import sha256

import msgspec

from benchmaker.engine.trials.case_filters import CaseFilter, filters_of, matches, select_cases
from benchmaker.errors import SpecError
from benchmaker.record import Selection, Trial
from benchmaker.record.outcome import is_failure
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.filter_expression import compile_filter
from benchmaker.store import Store

StoreOpener = Callable[[], AbstractContextManager[Store]]


def resolve_selection(suite: Suite, wanted: Selection, open_store: StoreOpener) -> Selection:
    """Return the selection with the ids of its cases, where they depend on a run or on chance.

    The store is opened only for an earlier run.

    Raises:
        SpecError: an invalid expression, an unknown run, a pattern without a case, or no case
            passes; the message names the filter that left none.
    """
    _refuse_unmatched(suite, wanted.cases)
    filters = filters_of(wanted, suite.vars)
    if wanted.filter_of or wanted.failed_of:
        with open_store() as store:
            wanted = _with_whole_ids(store, wanted)
            filters += _filters_by_runs(store, suite, wanted)
    passing = (case for case in suite.cases if all(one.passes(case) for one in filters))
    if wanted.sample is not None:
        chosen = sample_cases(passing, wanted.sample, seed=wanted.sample_seed or 0)
        wanted = msgspec.structs.replace(wanted, ids=tuple(case.id for case in chosen))
    elif wanted.filter_of or wanted.failed_of:
        wanted = msgspec.structs.replace(wanted, ids=tuple(case.id for case in passing))
    if next(select_cases(suite.cases, wanted, suite.vars), None) is None:
        raise _nothing_left(suite, filters)
    return wanted


def sample_cases(cases: Iterable[Case], number: int, *, seed: int) -> list[Case]:
    """Return a random sample of the cases in their order, expansions of one case together.

    Each case is ranked by a hash of the seed and its id: the sample does not depend on the order
    of the cases, and a larger one with the same seed contains it.
    """
    known = list(cases)
    ranked = sorted({case.written_id for case in known}, key=lambda it: (_rank(it, seed), it))
    chosen = set(ranked[:number])
    return [case for case in known if case.written_id in chosen]


def _rank(case_id: str, seed: int) -> bytes:
    return sha256(f"{seed}\0{case_id}".encode("utf-8", "surrogatepass")).digest()


def is_failed(trial: Trial) -> bool:
    """True if the trial counts as failed; see :func:`benchmaker.record.outcome.is_failure`."""
    return is_failure(trial.outcome, trial.score.score if trial.score else None)


def _with_whole_ids(store: Store, wanted: Selection) -> Selection:
    """The selection with whole ids of runs in place of prefixes and ``latest``."""
    named = {
        name: _whole_id(store, text)
        for name in ("filter_of", "failed_of")
        if (text := getattr(wanted, name))
    }
    return msgspec.structs.replace(wanted, **named)


def _whole_id(store: Store, text: str) -> str:
    found = store.resolve(text)
    return found.series_id or found.run_ids[0]


def _trials(store: Store, name: str) -> Iterable[Trial]:
    return (trial for run_id in store.resolve(name).run_ids for trial in store.trials(run_id))


def _filters_by_runs(store: Store, suite: Suite, wanted: Selection) -> list[CaseFilter]:
    made: list[CaseFilter] = []
    if wanted.filter is not None and wanted.filter_of:
        passing = _passing_ids(store, suite, wanted.filter, wanted.filter_of)
        option = f'--filter "{wanted.filter}" --filter-of {wanted.filter_of}'
        made.append(CaseFilter(option, partial(_has_id, passing)))
    if wanted.failed_of:
        failed = {trial.case_id for trial in _trials(store, wanted.failed_of) if is_failed(trial)}
        made.append(CaseFilter(f"--failed-of {wanted.failed_of}", partial(_has_id, failed)))
    return made


def _has_id(ids: set[str], case: Case) -> bool:
    return case.id in ids


def _passing_ids(store: Store, suite: Suite, text: str, name: str) -> set[str]:
    """The cases of which a trial of the earlier run passes the expression."""
    expression = compile_filter(text, with_trials=True)
    known = {case.id: case for case in suite.cases}
    return {
        trial.case_id
        for trial in _trials(store, name)
        if (case := known.get(trial.case_id))
        and expression.passes(case, variables=suite.vars, **_trial_values(trial))
    }


def _trial_values(trial: Trial) -> dict[str, object]:
    score = trial.score.score if trial.score else None
    return {"score": score, "outcome": trial.outcome.value, "setup": trial.model}


def _refuse_unmatched(suite: Suite, patterns: Iterable[str]) -> None:
    """Raise SpecError if a pattern matches no case."""
    left = dict.fromkeys(patterns)
    for case in suite.cases if left else ():
        for pattern in [one for one in left if matches(case, one)]:
            del left[pattern]
        if not left:
            return
    if left:
        name = next(iter(left))
        hint = did_you_mean(name, dict.fromkeys(case.written_id for case in suite.cases))
        raise SpecError(
            f"no case of suite {suite.name!r} matches --case {name}.",
            where=suite.source or "",
            hint=hint or "Use an id of the suite; * matches any text.",
        )


def _nothing_left(suite: Suite, filters: Iterable[CaseFilter]) -> SpecError:
    """The error that names the first filter that no case passed."""
    left = list(suite.cases)
    where, hint = suite.source or "", "Add a case to the suite."
    for one in filters:
        before, left = left, [case for case in left if one.passes(case)]
        if not left:
            number = f"{len(before):,} case" + "s" * (len(before) != 1)
            hint = f"Filter {one.option} left none of {number}."
            break
    return SpecError(f"no cases selected in suite {suite.name!r}.", where=where, hint=hint)

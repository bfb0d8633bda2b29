"""Figures that are outliers within their task, and duplicate submissions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmaker.analysis.composite.outliers import (
    Outlier,
    identical_figures,
    published_outliers,
    robust_outliers,
)
from benchmaker.arenas.agentic.flags.rules import SOURCE
from benchmaker.arenas.agentic.sessions.stored_events import PRINT
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store

PUBLISHED, ROBUST = "published_outliers/1", "robust_outliers/1"

_LISTED = 5


def outlier_flags(columns: MetricColumns, profile: AgenticProfile) -> dict[str, tuple[Flag, ...]]:
    """The outliers among submissions to tasks, by task: as published, or on the log scale."""
    found: dict[str, list[Flag]] = {task: [] for task in columns.tasks}
    if profile.family == "classic":
        for one in published_outliers(columns):
            evidence = f"{len(one.flags)} of the published signs: {', '.join(one.flags)}"
            found[one.task_id] += [
                _flag(one.submission_id, kind, PUBLISHED, evidence) for kind in one.flags
            ]
    else:
        for one in robust_outliers(columns, tokens=profile.tokens):
            found[one.task_id] += _signs(one)
    return {task: tuple(flags) for task, flags in found.items()}


def _signs(outlier: Outlier) -> Iterator[Flag]:
    for kind, sign in zip(outlier.flags, outlier.signs, strict=True):
        evidence = (
            f"{sign.figure} {sign.value:,.6g}, {abs(sign.z):.1f} robust standard deviations "
            f"{'below' if sign.direction == 'low' else 'above'} the median {sign.median:,.6g} "
            f"of {sign.n:,}"
        )
        yield _flag(outlier.submission_id, kind, ROBUST, evidence)


def identical_flags(columns: MetricColumns) -> Iterator[Flag]:
    """Submissions of one submitter to one task that agree in every figure."""
    for group in identical_figures(columns):
        first = sorted(group)[: _LISTED + 1]
        for one in group:
            others = _list_ids([other for other in first if other != one], len(group) - 1)
            evidence = f"all figures equal those of {others} by the same submitter"
            yield _flag(one, "identical_figures", SOURCE, evidence)


def duplicate_flags(store: Store) -> Iterator[Flag]:
    """Flag the same work from different submitters: the same footprint, or the same log."""
    groups: dict[bytes | str, list[str]] = defaultdict(list)
    for origin, print_ in store.trace_parts(PRINT):
        groups[bytes(print_)].append(origin.id)
        groups[origin.source_sha256].append(origin.id)
    flagged: set[str] = set()
    for group in groups.values():
        if len(group) == 1:
            continue
        for flag in _duplicate_flags(store, group):
            if flag.submission_id not in flagged:
                flagged.add(flag.submission_id)
                yield flag


def _duplicate_flags(store: Store, group: Sequence[str]) -> Iterator[Flag]:
    """Flags for those of the group with a twin by another submitter for the same task."""
    found = [one for one in store.agentic.submissions_of(group) if one.task is not None]
    by_owner: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        by_owner[one.task.id if one.task else ""][one.submitter].append(one.id)
    evidence: dict[tuple[str, str], str] = {}
    for task, owners in by_owner.items():
        if len(owners) == 1:
            continue
        ordered = sorted((one, owner) for owner, ids in owners.items() for one in ids)
        for own, ids in owners.items():
            others = islice((one for one, owner in ordered if owner != own), _LISTED)
            named = _list_ids(list(others), len(ordered) - len(ids))
            evidence[task, own] = f"the same steps as {named}, submitted by another user"
    for one in found:
        said = evidence.get((one.task.id if one.task else "", one.submitter))
        if said is not None:
            yield _flag(one.id, "duplicate_trajectory", SOURCE, said)


def _list_ids(first: Sequence[str], count: int) -> str:
    """The first of that many ids, by name, and how many more there are."""
    more = f" and {count - _LISTED:,} more" if count > _LISTED else ""
    return ", ".join(first[:_LISTED]) + more


def _flag(submission_id: str, kind: str, source: str, evidence: str) -> Flag:
    return Flag(submission_id=submission_id, kind=kind, source=source, evidence=evidence)

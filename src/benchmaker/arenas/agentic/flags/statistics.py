"""Figures that don't fit the others of their task, and work that was handed in twice."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchmaker.analysis.outliers import (
    Outlier,
    identical_figures,
    published_outliers,
    robust_outliers,
)
from benchmaker.arenas.agentic.flags.rules import SOURCE
from benchmaker.arenas.agentic.traces import PRINT
from benchmaker.record.evaluation import Flag
from benchmaker.record.metric_columns import MetricColumns
from benchmaker.spec.agentic_profile import AgenticProfile
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
        for one in group:
            others = _named([other for other in group if other != one])
            evidence = f"every figure is the same as in {others}, of the same submitter"
            yield _flag(one, "identical_figures", SOURCE, evidence)


def duplicate_flags(store: Store) -> Iterator[Flag]:
    """The same work handed in by different submitters, by its footprint or its very log."""
    groups: dict[bytes | str, list[str]] = defaultdict(list)
    for origin, print_ in store.trace_parts(PRINT):
        groups[bytes(print_)].append(origin.id)
        groups[origin.source_sha256].append(origin.id)
    told: set[str] = set()
    for group in groups.values():
        if len(group) > 1:
            yield from (flag for flag in _twins(store, group) if flag.submission_id not in told)
            told.update(group)


def _twins(store: Store, group: Sequence[str]) -> Iterator[Flag]:
    """Flags for all of the group that have a twin of another submitter and the same task."""
    found = [one for one in store.agentic.submissions_of(group) if one.task is not None]
    by_owner: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        by_owner[one.task.id if one.task else ""][one.submitter].append(one.id)
    evidence = {
        (task, own): f"the same steps as in {_named(_of_others(owners, own))}, "
        "handed in by somebody else"
        for task, owners in by_owner.items()
        if len(owners) > 1
        for own in owners
    }
    for one in found:
        said = evidence.get((one.task.id if one.task else "", one.submitter))
        if said is not None:
            yield _flag(one.id, "duplicate_trajectory", SOURCE, said)


def _of_others(owners: Mapping[str, Sequence[str]], own: str) -> list[str]:
    return [one for name, ids in owners.items() if name != own for one in ids]


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _LISTED:,} more" if len(ids) > _LISTED else ""
    return ", ".join(sorted(ids)[:_LISTED]) + more


def _flag(submission_id: str, kind: str, source: str, evidence: str) -> Flag:
    return Flag(submission_id=submission_id, kind=kind, source=source, evidence=evidence)

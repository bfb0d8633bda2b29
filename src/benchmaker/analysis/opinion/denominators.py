"""Findings on what a mean is divided by: rows left out, errors, repeats, filters, sub-tasks."""

from collections.abc import Iterable, Iterator

from benchmaker.analysis.opinion.evidence import (
    SAME,
    OpinionEvidence,
    OpinionFinding,
    OpinionRow,
    effect_of,
    finding,
)
from benchmaker.analysis.opinion.means import mean_of_rows, values_by_case

_MOST_GROUPS = 100


def rows_left_out(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Rows without a score, and rows that the file counts but does not have.

    If the tool's figure includes rows that are missing, the corrected figure is that of the rows in
    the file. Otherwise it counts every row left out as wrong.
    """
    held = {id(one.row) for one in evidence.in_mean}
    out = [row for row in evidence.rows if id(row) not in held]
    missing = max(0, (evidence.declared or 0) - len(evidence.rows))
    if missing and evidence.differs:
        effect = effect_of(evidence.printed, evidence.mean)
        return finding("rows_left_out", out, effect, further=missing)
    if evidence.by_case:
        counted = {one.row.case_id for one in evidence.in_mean}
        cases = len({row.case_id for row in out} - counted)
        share = (cases + missing) / (cases + missing + len(counted) or 1)
    else:
        number = len(out) + missing
        share = number / (number + len(evidence.in_mean) or 1)
    effect = None if evidence.mean is None else 100.0 * evidence.mean * share
    return finding("rows_left_out", out, effect, further=missing)


def errors_scored_zero(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Failed requests that are zeros in the mean; corrected, they are excluded from it."""
    failed = [row for row in evidence.rows if row.is_error]
    zeros = [one.row for one in evidence.in_mean if one.row.is_error and not one.value]
    if not zeros:
        return None
    corrected = evidence.mean_of(one for one in evidence.in_mean if not one.row.is_error)
    return finding("errors_scored_zero", failed, effect_of(evidence.mean, corrected))


def repeats_counted_as_cases(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Repeats of a case that count like further cases; corrected, each case counts once."""
    if evidence.by_case:
        return None
    seen: set[str] = set()
    repeats = []
    for one in evidence.in_mean:
        if one.row.case_id in seen:
            repeats.append(one.row)
        seen.add(one.row.case_id)
    pairs = [(one.row.case_id, one.value) for one in evidence.in_mean]
    corrected = mean_of_rows(pairs, by_case=True)
    return finding("repeats_counted_as_cases", repeats, effect_of(evidence.mean, corrected))


def filters_counted_as_cases(evidence: OpinionEvidence) -> OpinionFinding | None:
    """A stated figure that is the mean over several filters of each answer.

    Corrected, it is that of its own filter.
    """
    metric, comma, _ = evidence.scorer.rpartition(",")
    if not comma or not evidence.differs:
        return None
    names = {name for row in evidence.rows for name in row.others if _is_of(name, metric)}
    pooled = [
        value
        for row in evidence.rows
        for name in names
        if (value := row.others.get(name)) is not None
    ]
    if len(names) < 2 or not pooled or not _is_same(evidence.printed, sum(pooled) / len(pooled)):  # noqa: PLR2004  one filter pools nothing
        return None
    effect = effect_of(evidence.printed, evidence.mean)
    return finding("filters_counted_as_cases", evidence.rows, effect)


def unequal_subtasks(evidence: OpinionEvidence) -> OpinionFinding | None:
    """A stated figure that is the mean of means of unequal parts; corrected, rows count alike."""
    if not evidence.differs:
        return None
    for name in _groupings(evidence.rows):
        pairs = [(one.row.groups[name], one.value) for one in evidence.in_mean]
        means = list(values_by_case(pairs).values())
        if len(means) > 1 and _is_same(evidence.printed, sum(means) / len(means)):
            effect = effect_of(evidence.printed, evidence.mean)
            return finding("unequal_subtasks", evidence.rows, effect)
    return None


def _is_of(name: str, metric: str) -> bool:
    return name.rpartition(",")[0] == metric


def _is_same(printed: float | None, value: float) -> bool:
    return printed is not None and abs(printed - value) <= SAME


def _groupings(rows: Iterable[OpinionRow]) -> Iterator[str]:
    """Yield the groupings that every row has, with several groups and far fewer than rows."""
    listed = list(rows)
    for name in listed[0].groups if listed else ():
        if all(name in row.groups for row in listed):
            number = len({row.groups[name] for row in listed})
            if 1 < number <= min(_MOST_GROUPS, len(listed) / 2):
                yield name

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

    If scores of these rows explain the stated figure, the corrected figure is that of the others.
    Otherwise it counts every row left out as wrong. Failed requests are no such rows.
    """
    out, missing = _without_score(evidence), _number_missing(evidence)
    if evidence.differs and _rows_out_explain(evidence):
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


def _without_score(evidence: OpinionEvidence) -> list[OpinionRow]:
    return [row for row in evidence.rows if row.value is None and not row.is_error]


def _number_missing(evidence: OpinionEvidence) -> int:
    return max(0, (evidence.declared or 0) - len(evidence.rows))


def _rows_out_explain(evidence: OpinionEvidence) -> bool:
    """True if some scores from 0 to 1 of the rows left out give the stated figure."""
    number = len(_without_score(evidence)) + _number_missing(evidence)
    if not number or evidence.mean is None or evidence.printed is None:
        return False
    total = len(evidence.in_mean) + number
    least = evidence.mean * len(evidence.in_mean) / total
    slack = SAME + evidence.rounding
    return least - slack <= evidence.printed <= least + number / total + slack


def stated_figure_differs(evidence: OpinionEvidence) -> OpinionFinding | None:
    """A stated figure that is not that of the rows by the tool's formula, without another reason.

    Reasons are rows left out, failed requests as zeros, and means over filters or of means.
    """
    if not evidence.differs or evidence.recomputed is None:
        return None
    is_explained = (
        evidence.is_stated(evidence.recomputed)
        or _rows_out_explain(evidence)
        or filters_counted_as_cases(evidence)
        or unequal_subtasks(evidence)
    )
    if is_explained:
        return None
    rows = [one.row for one in evidence.in_mean]
    effect = effect_of(evidence.printed, evidence.recomputed)
    return finding("stated_figure_differs", rows, effect)


def failed_requests(evidence: OpinionEvidence) -> OpinionFinding | None:
    """Failed requests that the tool's mean excludes, as ours does: they have no effect."""
    if evidence.counts_errors:
        return None
    failed = [row for row in evidence.rows if row.is_error and row.value is None]
    return finding("failed_requests", failed, 0.0)


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
    if len(names) < 2 or not pooled or not evidence.is_stated(sum(pooled) / len(pooled)):  # noqa: PLR2004  one filter pools nothing
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
        if len(means) > 1 and evidence.is_stated(sum(means) / len(means)):
            effect = effect_of(evidence.printed, evidence.mean)
            return finding("unequal_subtasks", evidence.rows, effect)
    return None


def _is_of(name: str, metric: str) -> bool:
    return name.rpartition(",")[0] == metric


def _groupings(rows: Iterable[OpinionRow]) -> Iterator[str]:
    """Yield the groupings that every row has, with several groups and far fewer than rows."""
    listed = list(rows)
    for name in listed[0].groups if listed else ():
        if all(name in row.groups for row in listed):
            number = len({row.groups[name] for row in listed})
            if 1 < number <= min(_MOST_GROUPS, len(listed) / 2):
                yield name

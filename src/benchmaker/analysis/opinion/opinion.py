"""A second opinion: the tool's figure, ours with its interval, and the findings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from benchmaker.analysis.opinion.answers import (
    empty_answers,
    extraction_hit,
    extraction_miss,
    truncated_answers,
)
from benchmaker.analysis.opinion.case_findings import (
    duplicate_cases,
    key_in_prompt,
    too_few_cases,
    unbalanced_keys,
)
from benchmaker.analysis.opinion.dated_cases import dated_cases
from benchmaker.analysis.opinion.denominators import (
    errors_scored_zero,
    failed_requests,
    filters_counted_as_cases,
    repeats_counted_as_cases,
    rows_left_out,
    stated_figure_differs,
    unequal_subtasks,
)
from benchmaker.analysis.opinion.evidence import OpinionEvidence, OpinionFinding
from benchmaker.analysis.opinion.judge_findings import judge_unreadable, related_judge, self_judged
from benchmaker.analysis.opinion.means import values_by_case
from benchmaker.analysis.opinion.models import key_in_doubt, tie_called_win, unpaired_comparison
from benchmaker.stats import Mean, bounded_mean

KINDS: Final = {
    "stated_figure_differs": stated_figure_differs,
    "rows_left_out": rows_left_out,
    "failed_requests": failed_requests,
    "errors_scored_zero": errors_scored_zero,
    "repeats_counted_as_cases": repeats_counted_as_cases,
    "filters_counted_as_cases": filters_counted_as_cases,
    "unequal_subtasks": unequal_subtasks,
    "duplicate_cases": duplicate_cases,
    "dated_cases": dated_cases,
    "key_in_prompt": key_in_prompt,
    "unbalanced_keys": unbalanced_keys,
    "truncated_answers": truncated_answers,
    "empty_answers": empty_answers,
    "extraction_miss": extraction_miss,
    "extraction_hit": extraction_hit,
    "judge_unreadable": judge_unreadable,
    "self_judged": self_judged,
    "related_judge": related_judge,
    "key_in_doubt": key_in_doubt,
    "tie_called_win": tie_called_win,
    "unpaired": unpaired_comparison,
}
"""The search for each kind of fault; that for too few cases needs our interval, too."""


class OpinionHeadline(msgspec.Struct, frozen=True, kw_only=True):
    """The tool's figure, in its own unit, with the number of values in its mean.

    ``scorer`` names the scorers, separated by commas if there are several, and ``scorers`` counts
    the values of each. ``value`` is the stated figure, ``computed`` the same from the rows by the
    tool's formula; None if one is unknown. ``reducer`` names what makes one value of the repeats of
    a case; it is empty for their mean. ``figures`` are all figures of the evaluation.
    """

    scorer: str
    metric: str
    value: float | None
    n: int
    scorers: dict[str, int] = {}
    computed: float | None = None
    reducer: str = ""
    figures: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """The tool's figure of one model, ours, and the findings by size of their effect.

    ``ours`` is the mean over cases with a 95 % interval, failed requests excluded; None without a
    score from 0 to 1. ``notes`` are faults whose effect is 0.0 points.
    """

    task: str
    tool: str
    model: str
    headline: OpinionHeadline
    ours: Mean | None
    findings: tuple[OpinionFinding, ...]
    notes: tuple[OpinionFinding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: scores from 0 to 1, effects in points."""
        mean = self.ours
        interval = None if mean is None or mean.low is None else [mean.low, mean.high]
        return {
            "task": self.task,
            "tool": self.tool,
            "model": self.model,
            "headline": msgspec.to_builtins(self.headline),
            "ours": {
                "mean": mean and mean.mean,
                "ci95": interval,
                "n_cases": mean.n if mean else 0,
            },
            "findings": [one.to_dict() for one in self.findings],
            "notes": [one.to_dict() for one in self.notes],
        }


def second_opinion(
    evidence: OpinionEvidence, headline: OpinionHeadline, *, task: str
) -> SecondOpinion:
    """Return the second opinion on a figure."""
    ours = our_mean(evidence)
    found = sorted(_findings(evidence, ours), key=lambda one: -abs(one.effect_points))
    return SecondOpinion(
        task=task,
        tool=evidence.tool,
        model=evidence.model,
        headline=headline,
        ours=ours,
        findings=tuple(one for one in found if one.has_effect),
        notes=tuple(one for one in found if not one.has_effect),
    )


def our_mean(evidence: OpinionEvidence) -> Mean | None:
    """Return the mean over cases of answers that came; None without any."""
    values = values_by_case(
        (row.case_id, row.value)
        for row in evidence.rows
        if row.value is not None and not row.is_error
    )
    return bounded_mean(list(values.values())) if values else None


def _findings(evidence: OpinionEvidence, ours: Mean | None) -> Iterator[OpinionFinding]:
    for find in KINDS.values():
        if found := find(evidence):
            yield found
    if found := too_few_cases(evidence, ours):
        yield found

"""Scores by category, difficulty or tag."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeAlias

from benchmaker.analysis.columns import HasColumns, Scored, columns_of
from benchmaker.analysis.comparison.comparison import compare
from benchmaker.analysis.comparison.contradictions import compared_with_labels
from benchmaker.analysis.comparison.results import Comparison
from benchmaker.analysis.metric import metric_of
from benchmaker.analysis.records import records_of
from benchmaker.analysis.summary.aggregate import AggregateScore, detailed_aggregate_scores
from benchmaker.analysis.summary.summary import Summary, summarise
from benchmaker.documents import Document, Key
from benchmaker.errors import AnalysisError, SpecError
from benchmaker.record import Run
from benchmaker.record.label import Label
from benchmaker.record.run import setup_noun
from benchmaker.record.score_columns import ScoreColumns
from benchmaker.spec import Case
from benchmaker.stats.pairs.multiple_comparisons import Correction

GroupBy: TypeAlias = Literal["category", "difficulty", "tag"]

UNNAMED = ""
"""The group of cases that carry no label of the kind asked for."""


@dataclass(frozen=True, slots=True)
class GroupedComparison(Document, scale="0-1"):
    """A comparison for each group of cases; ``left_out`` gives the reason if a group has none.

    p-values are adjusted within a group, not over the groups.
    """

    by: GroupBy
    comparisons: Annotated[Mapping[str, Comparison], Key("groups")]
    left_out: Mapping[str, str]

    @property
    def why_none(self) -> str:
        """The reason why no group can be compared; empty if one can."""
        if self.comparisons:
            return ""
        reason = next(iter(self.left_out.values()), "None of their cases has an answer.")
        return f"No {self.by} can be compared. {reason}"


def cases_by(cases: Iterable[Case], by: GroupBy) -> dict[str, dict[str, float]]:
    """Return the weights by case id for each label; labels sorted, ``UNNAMED`` last.

    A case with several tags is in several groups.

    Raises:
        SpecError: no case carries a label of this kind.
    """
    found: dict[str, dict[str, float]] = {}
    for case in cases:
        for label in _labels(case, by) or (UNNAMED,):
            found.setdefault(label, {})[case.id] = case.weight
    if not set(found) - {UNNAMED}:
        raise SpecError(
            f"No case of the suite has a {by}.", hint=f"Set {_FIELDS[by]} on the cases."
        )
    return dict(sorted(found.items(), key=lambda item: (item[0] == UNNAMED, item[0])))


def aggregate_by(
    run: Scored | HasColumns, cases: Iterable[Case], by: GroupBy
) -> dict[str, dict[str, AggregateScore]]:
    """The published aggregates of each group of cases: by label, then by model.

    Args:
        run: a run's result, its columns, or trials.
        cases: the cases of its suite, with their labels and weights.
        by: category, difficulty, or tag.

    Raises:
        SpecError: no case carries a label of this kind.
    """
    columns = columns_of(run)
    return {
        label: detailed_aggregate_scores(columns, weights)
        for label, weights in _groups_with_cases(columns, cases_by(cases, by)).items()
    }


def summarise_by(
    run: Scored | HasColumns, cases: Iterable[Case], by: GroupBy, runs: Sequence[Run] = ()
) -> dict[str, Summary]:
    """The table of a run for each group of cases, by label; arguments as ``aggregate_by``.

    The records of the ``runs``, or those that a result brings along, name the metric by which
    models are ordered.
    """
    known = runs or records_of(run)
    columns, metric, noun = columns_of(run), metric_of(known), setup_noun(known)
    return {
        label: replace(summarise(columns, cases=weights, metric=metric), noun=noun)
        for label, weights in _groups_with_cases(columns, cases_by(cases, by)).items()
    }


def compare_by(
    columns: Scored | Iterable[ScoreColumns | HasColumns],
    cases: Iterable[Case],
    by: GroupBy,
    *,
    runs: Sequence[Run] = (),
    models: Sequence[str] = (),
    correction: Correction | None = "holm",
    margin: float | None = None,
    level: float = 0.95,
    metric: str | None = None,
    labels: Sequence[Label] = (),
) -> GroupedComparison:
    """Run :func:`~benchmaker.analysis.comparison.comparison.compare` within each group of cases.

    A group with fewer than two scored models is skipped, with the reason. Significant differences
    that human ``labels`` contradict carry a warning.

    Raises:
        SpecError: no case carries a label of this kind, or an invalid argument.
        NotComparable: the runs do not share suite and profile.
    """
    known = tuple(runs) or records_of(columns)
    table = columns_of(columns)
    made: dict[str, Comparison] = {}
    left_out: dict[str, str] = {}
    for label, weights in _groups_with_cases(table, cases_by(cases, by)).items():
        try:
            one = compare(
                table,
                known,
                models=models,
                cases=weights,
                correction=correction,
                margin=margin,
                level=level,
                metric=metric,
            )
        except AnalysisError as error:
            left_out[label] = error.message
        else:
            made[label] = compared_with_labels(one, table, labels, cases=weights)
    return GroupedComparison(by, made, left_out)


_FIELDS: Mapping[GroupBy, str] = {
    "category": "category",
    "difficulty": "difficulty",
    "tag": "list of tags",
}


def _labels(case: Case, by: GroupBy) -> tuple[str, ...]:
    match by:
        case "category":
            return (case.category,) if case.category else ()
        case "difficulty":
            return (case.difficulty,) if case.difficulty else ()
        case "tag":
            return case.tags


def _groups_with_cases(
    columns: ScoreColumns, groups: Mapping[str, Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Return the groups with at least one case in the runs, with these cases."""
    case_ids = set(columns.case_ids.values())
    kept = {
        label: {name: weight for name, weight in weights.items() if name in case_ids}
        for label, weights in groups.items()
    }
    return {label: weights for label, weights in kept.items() if weights}

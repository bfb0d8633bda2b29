"""Rankings by a judge that human labels contradict."""

from collections.abc import Sequence
from dataclasses import replace

from benchmaker.analysis.comparison.contradictions import corrected_words
from benchmaker.analysis.judges.correction import CorrectedEstimate, corrected_differences
from benchmaker.analysis.ratings.ranking import Ranking
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns


def ranked_with_labels(made: Ranking, columns: ScoreColumns, labels: Sequence[Label]) -> Ranking:
    """Add a warning if the certain leader is below another model by human labels."""
    if not labels or made.provisional or not made.models or made.models[0].worst != 1:
        return made
    first, *others = [one.model for one in made.models]
    found = corrected_differences(
        columns, labels, pairs=[(first, other) for other in others], level=made.level
    )
    said = tuple(_not_first(first, it.model_b, it.estimate) for it in found.pairs)
    warnings = tuple(one for one in said if one)
    return replace(made, by_labels=warnings, warnings=(*warnings, *made.warnings))


def _not_first(first: str, other: str, by_labels: CorrectedEstimate) -> str:
    value = by_labels.value
    if value is None or value >= 0:
        return ""
    return (
        f"{first} comes first by the judge, but human labels correct {first} − {other} to "
        f"{corrected_words(by_labels)}: do not rely on the judge's ranking"
    )

"""Verdicts by a judge that human labels contradict."""

from collections.abc import Sequence
from dataclasses import replace

from benchmaker.analysis.columns import CaseWeights
from benchmaker.analysis.comparison.results import ComparedPair, Comparison
from benchmaker.analysis.judges.correction import (
    CorrectedDifferences,
    CorrectedEstimate,
    corrected_differences,
)
from benchmaker.record.label import Label
from benchmaker.record.score_columns import ScoreColumns


def corrected_pairs(
    made: Comparison,
    columns: ScoreColumns,
    labels: Sequence[Label],
    *,
    cases: CaseWeights | None = None,
) -> CorrectedDifferences | None:
    """Return a comparison's pairs corrected by human labels; None without labels."""
    if not labels:
        return None
    pairs = [(pair.model_a, pair.model_b) for pair in made.pairs]
    return corrected_differences(columns, labels, pairs=pairs, cases=cases, level=made.level)


def warned_by_labels(made: Comparison, corrected: CorrectedDifferences | None) -> Comparison:
    """Add a warning to each significant difference whose corrected value has the other sign.

    The warning is added to those of the comparison, and to its pair as ``by_labels``.

    Args:
        made: the comparison by the scores alone.
        corrected: the same pairs, in the same order, corrected by human labels.
    """
    if corrected is None:
        return made
    pairs = tuple(
        replace(pair, by_labels=_contradiction(pair, it.estimate))
        for pair, it in zip(made.pairs, corrected.pairs, strict=True)
    )
    said = tuple(pair.by_labels for pair in pairs if pair.by_labels)
    return replace(made, pairs=pairs, warnings=(*said, *made.warnings))


def compared_with_labels(
    made: Comparison,
    columns: ScoreColumns,
    labels: Sequence[Label],
    *,
    cases: CaseWeights | None = None,
) -> Comparison:
    """Return the comparison with the warnings of :func:`warned_by_labels`, if there are labels."""
    return warned_by_labels(made, corrected_pairs(made, columns, labels, cases=cases))


def corrected_words(by_labels: CorrectedEstimate) -> str:
    """A corrected difference with its interval, in points; it has a value."""
    value, ends = by_labels.value or 0.0, by_labels.ci
    around = f" [{_points(ends[0])}, {_points(ends[1])}]" if ends else ""
    return f"{_points(value)}{around}"


def _contradiction(pair: ComparedPair, by_labels: CorrectedEstimate) -> str:
    """Empty where labels do not contradict."""
    value = by_labels.value
    if pair.verdict != "ahead" or value is None or value * pair.diff >= 0:
        return ""
    return (
        f"the judge finds a significant difference {pair.model_a} − {pair.model_b} of "
        f"{_points(pair.diff)}, but human labels correct it to {corrected_words(by_labels)}: "
        "do not rely on the judge's verdict"
    )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")

"""Clear differences by a judge that people's labels turn round."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from benchmaker.analysis.columns import Scored
from benchmaker.analysis.comparison.results import ComparedPair, Comparison
from benchmaker.analysis.judges.correction import (
    CorrectedDifferences,
    Estimate,
    corrected_differences,
)
from benchmaker.record.label import Label


def beside_labels(
    made: Comparison, scores: Scored, labels: Sequence[Label]
) -> tuple[Comparison, CorrectedDifferences | None]:
    """The comparison, warned where labels contradict it, and its pairs as labels correct them.

    Args:
        made: the comparison by the scores alone.
        scores: what it compares.
        labels: of these runs; without any, the comparison stays as it is.
    """
    if not labels:
        return made, None
    pairs = [(pair.model_a, pair.model_b) for pair in made.pairs]
    corrected = corrected_differences(scores, labels, pairs=pairs, level=made.level)
    return _warned(made, corrected), corrected


def _warned(made: Comparison, corrected: CorrectedDifferences) -> Comparison:
    """Warned of each clear difference whose corrected value has the other sign."""
    pairs = zip(made.pairs, corrected.pairs, strict=True)
    found = _contradictions((pair, it.estimate) for pair, it in pairs)
    return replace(made, warnings=(*found.values(), *made.warnings), contradictions=found)


def _contradictions(
    pairs: Iterable[tuple[ComparedPair, Estimate]],
) -> dict[tuple[str, str], str]:
    found = {}
    for pair, by_labels in pairs:
        value, ends = by_labels.value, by_labels.ci
        if pair.verdict != "ahead" or value is None or ends is None or value * pair.diff >= 0:
            continue
        found[pair.model_a, pair.model_b] = (
            f"{pair.model_a} − {pair.model_b} differ clearly by the judge, {_points(pair.diff)}, "
            f"but people's labels correct this to {_points(value)} "
            f"[{_points(ends[0])}, {_points(ends[1])}]: do not rely on the judge's verdict"
        )
    return found


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")

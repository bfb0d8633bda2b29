"""Clear differences by a judge that people's labels turn round."""

from collections.abc import Iterable, Iterator

from benchmaker.analysis.comparison.results import ComparedPair, Comparison, said_of
from benchmaker.analysis.judges.correction import CorrectedDifferences, Estimate


def warned_by_labels(made: Comparison, corrected: CorrectedDifferences | None) -> Comparison:
    """The comparison, warned of each clear difference whose corrected value has the other sign.

    Args:
        made: the comparison by the scores alone.
        corrected: the same pairs, in the same order, as people's labels correct them.
    """
    if corrected is None:
        return made
    pairs = zip(made.pairs, corrected.pairs, strict=True)
    return said_of(made, tuple(_contradictions((pair, it.estimate) for pair, it in pairs)))


def _contradictions(pairs: Iterable[tuple[ComparedPair, Estimate]]) -> Iterator[str]:
    for pair, by_labels in pairs:
        value, ends = by_labels.value, by_labels.ci
        if pair.verdict != "ahead" or value is None or ends is None or value * pair.diff >= 0:
            continue
        yield (
            f"{pair.model_a} − {pair.model_b} differ clearly by the judge, {_points(pair.diff)}, "
            f"but people's labels correct this to {_points(value)} "
            f"[{_points(ends[0])}, {_points(ends[1])}]: do not rely on the judge's verdict"
        )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")

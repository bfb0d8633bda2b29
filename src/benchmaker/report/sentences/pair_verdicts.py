"""The verdicts on the pairs of a comparison together, in sentences."""

from collections.abc import Sequence

from benchmaker.analysis.comparison.results import ComparedPair, Comparison
from benchmaker.record.counts import count
from benchmaker.record.points import points

_UNDECIDED = frozenset({"not_significant", "not_tested"})
_OPEN = ("No significant difference", "No difference")


def first_verdict(comparison: Comparison, sentence: str) -> str:
    """The sentence on the best two; without a significant difference it says of how many.

    ``sentence`` is that of ``comparison.headline``.
    """
    first = comparison.headline
    best = {one.model for one in comparison.models[:2]}
    models = len(comparison.models) - len(comparison.left_out)
    if models == len(best) or {first.model_a, first.model_b} != best:
        return sentence
    number = count(models, comparison.noun)
    for opening in _OPEN:
        if first.verdict in _UNDECIDED and sentence.startswith(f"{opening}: "):
            return f"{opening} between the first two of {number}{sentence.removeprefix(opening)}"
    return sentence


def pairs_verdict(comparison: Comparison, *, of: str = "") -> str:
    """The number of significant pairs among the tested ones; empty for a single pair.

    ``of`` names the compared, as in "pairs of prompts".
    """
    pairs = comparison.family_of(comparison.headline)
    if len(pairs) < 2:  # noqa: PLR2004  one pair has its own sentence
        return ""
    tested = [pair for pair in pairs if pair.is_tested]
    noun = count(len(tested), "pair" if len(tested) == len(pairs) else "tested pair")
    noun = f"{noun} of {of}" if of else noun
    apart = sum(pair.verdict == "ahead" for pair in pairs)
    verb = "differs" if apart == 1 else "differ"
    said = f"{apart:,} of {noun} {verb} significantly{_equivalents(comparison)}"
    return f"{said}{_without_test([pair for pair in pairs if not pair.is_tested])}."


def _equivalents(comparison: Comparison) -> str:
    if comparison.margin is None:
        return ""
    pairs = comparison.family_of(comparison.headline)
    number = sum(pair.verdict == "equivalent" for pair in pairs)
    are = "is" if number == 1 else "are"
    return f", {number:,} {are} equivalent within {points(comparison.margin)} points"


def _without_test(pairs: Sequence[ComparedPair]) -> str:
    """The number of pairs without a test, with the reason where it is equal scores."""
    if not pairs:
        return ""
    number, are = count(len(pairs), "pair"), "is" if len(pairs) == 1 else "are"
    if all(pair.is_equal_throughout for pair in pairs):
        has = "has" if len(pairs) == 1 else "have"
        return f"; {number} {has} the same score in every case"
    return f"; {number} {are} not tested"

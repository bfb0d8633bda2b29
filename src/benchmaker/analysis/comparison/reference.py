"""Comparison with a single reference model, which needs fewer tests."""

from collections.abc import Sequence
from dataclasses import replace

from benchmaker.analysis.comparison.pair_interval import interval_at, level_of
from benchmaker.analysis.comparison.pairing import check_models
from benchmaker.analysis.comparison.results import ComparedPair, Comparison, verdict_of
from benchmaker.errors import NotEnoughData
from benchmaker.stats.pairs.multiple_comparisons import Correction, adjust_p_values
from benchmaker.stats.pairs.pairs import family


def compare_with_reference(comparison: Comparison, reference: str) -> Comparison:
    """The pairs with the reference alone, their p-values adjusted for those pairs only.

    Letters show significant differences among all pairs; they are left empty. With max-T, and
    for equivalence, p-values stay adjusted for all pairs, which is on the safe side.

    Raises:
        SpecError: the reference is not among the compared models.
        NotEnoughData: it has no pair, because it has no scores.
    """
    check_models((reference,), [one.model for one in comparison.models])
    pairs = [one for one in comparison.pairs if reference in (one.model_a, one.model_b)]
    if not pairs:
        raise NotEnoughData(
            f"{reference} shares no scored case with another {comparison.noun}.",
            needed=1,
            got=0,
            hint="Choose another reference.",
        )
    if comparison.correction not in (None, "max_t"):
        main = [one for one in pairs if not comparison.has_left_out(one)]
        rest = [one for one in pairs if comparison.has_left_out(one)]
        how = comparison.correction
        pairs = [*adjust_pairs(main, how), *adjust_pairs(rest, how)]
    return replace(
        comparison,
        models=tuple(replace(one, letters="") for one in comparison.models),
        pairs=tuple(pairs),
        method=comparison.method.split("; ")[0]
        + (f"; {pairs[0].adjustment}, those with {reference}" if pairs[0].adjustment else ""),
    )


def adjust_pairs(pairs: Sequence[ComparedPair], correction: Correction) -> list[ComparedPair]:
    """Return the pairs with p-values and intervals adjusted for their number."""
    made = adjust_p_values([one.p_value for one in pairs], correction)
    by = family(correction, made)
    return [_adjust_pair(one, p, by) for one, p in zip(pairs, made, strict=True)]


def _adjust_pair(pair: ComparedPair, p_adjusted: float | None, by: str) -> ComparedPair:
    low, high, level = pair.low, pair.high, pair.ci_level
    if pair.ends_at is not None:
        level = level_of(pair.p_value, p_adjusted, pair.level)
        low, high = interval_at((low, high), pair.ends_at, level)
    return replace(
        pair,
        low=low,
        high=high,
        ci_level=level,
        p_adjusted=p_adjusted,
        adjustment=by,
        verdict=verdict_of(p_adjusted, pair.p_equivalence, pair.level),
    )

"""The arithmetic of a judged score, line by line."""

from collections.abc import Iterator, Sequence
from typing import Any

from benchmaker.record import Score

OVERRULED = "overruled by the next judge"
"""The note of a judgment that another judge of the cascade replaced."""

HALF = 0.5
"""The score of a tie."""


def judgment_lines(score: Score) -> Iterator[str]:
    """Yield the arithmetic of a judged score, one line for each judgment and each step."""
    detail = score.detail
    singles = detail.get("singles", ())
    for one in singles:
        yield _judgment_line(one)
    if any(one.get("order") for one in singles):
        yield from _pair_lines(singles)
    for judge, it in detail.get("judges", {}).items():
        if it["n"] > 1:
            yield f"{judge}: median of {it['n']} judgments = {it['median']:.4g}"
    if score.score is None:
        yield f"no score: {score.notes}"
        return
    if detail.get("weighting") and len(detail.get("judges", ())) > 1:
        yield f"weights of the judges: {detail['weighting']}"
    if summed := _weighted_sum(detail):
        yield f"score = {summed} = {score.score:.4g}"


def _pair_lines(singles: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the results of both orders of each pair."""
    for judge, repeat in dict.fromkeys((one["judge"], one["repeat"]) for one in singles):
        own = [it for it in singles if (it["judge"], it["repeat"]) == (judge, repeat)]
        units = [it.get("unit") for it in own]
        place = f"{judge}, repeat {repeat}, both orders"
        if any(map(_is_overruled, own)):
            yield f"{place}: {OVERRULED}"
        elif None in units:
            yield f"{place}: not counted, one judgment is missing"
        elif len(set(units)) == 1:
            yield f"{place}: they agree, {units[0]:.4g}"
        else:
            yield f"{place}: they disagree, a tie, {HALF:.4g}"


def _weighted_sum(detail: dict[str, Any]) -> str:
    """The medians of several judges by weight; those of a single one by name."""
    judges, weights = detail.get("judges", {}), detail.get("weights", {})
    if len(judges) == 1:
        return "median of the judgments"
    terms = (f"{weights.get(name, 0.0):.4g} × {it['median']:.4g}" for name, it in judges.items())
    return " + ".join(terms)


def _judgment_line(one: dict[str, Any]) -> str:
    place = f"{one['judge']}, repeat {one['repeat']}" + (
        f", order {one['order']}" if one.get("order") else ""
    )
    if one.get("failure"):
        return f"{place}: {one['failure']}"
    said = one.get("verdict") or f"{one.get('raw', 0.0):.4g}"
    why = f" ({one['rationale']})" if one.get("rationale") else ""
    counted = f", {OVERRULED}" if _is_overruled(one) else f" = {one.get('unit', 0.0):.4g}"
    return f"{place}: {said}{counted}{why}"


def _is_overruled(one: dict[str, Any]) -> bool:
    """True if another judge of the cascade replaced its decision."""
    return OVERRULED in one.get("notes", ())

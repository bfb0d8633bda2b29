"""The derivation of a page's score, line by line, from the score alone."""

from collections.abc import Iterator, Mapping
from typing import Any

from benchmaker.record import Score
from benchmaker.scoring.code.criteria import JUDGED, TITLES, WEIGHTS, total

Detail = Mapping[str, Any]  # a part of a score's detail


def explanation_lines(score: Score) -> list[str]:
    """The lines: criteria with their parts and caps, judgments, and the sum computed again."""
    return list(_lines(score))


def _lines(score: Score) -> Iterator[str]:
    detail = score.detail
    if "probe" not in detail:
        yield f"0 of 100: {score.notes}" if score.score is not None else f"no score: {score.notes}"
        return
    criteria = detail.get("criteria", {})
    for name in WEIGHTS:
        if not criteria and name in JUDGED:
            yield f"{TITLES[name]}: not judged"
        else:
            yield from _criterion(name, criteria.get(name) or detail["probe"][name])
    for one in detail.get("singles", ()):
        yield from _judgment(one)
    if cut := detail.get("cut"):
        yield (
            f"the judge was shown the first {cut['shown']:,} characters of the code; "
            f"{cut['left_out']:,} were omitted"
        )
    if checks := detail.get("checks"):
        share = f"by weight {100 * checks['share']:.4g} of 100"
        yield f"checks: {checks['passed']} of {checks['of']} passed, {share}"
    yield from _sum(score, criteria)


def _criterion(name: str, detail: Detail) -> Iterator[str]:
    value = detail["value"]
    if value is None:
        yield f"{TITLES[name]}: unknown"
        return
    yield f"{TITLES[name]}: {value:.4g} of 100, weight {WEIGHTS[name]:g}"
    whole = sum(part[2] for part in detail.get("parts", ()))
    for part, share, weight, why in detail.get("parts", ()):
        yield f"  {part}: {share:.4g} × {weight:g}/{whole:g}{f' ({why})' if why else ''}"
    for why, most in detail.get("caps", ()):
        if detail["before"] > most:
            yield f"  at most {most:g} instead of {detail['before']:.4g}: {why}"


def _judgment(one: Detail) -> Iterator[str]:
    place = f"{one['judge']}, repeat {one['repeat']}"
    if one.get("failure"):
        yield f"{place}: {one['failure']}"
        return
    marks = ", ".join(f"{name} {value:g}" for name, value in one.get("marks", {}).items())
    why = f" ({one['rationale']})" if one.get("rationale") else ""
    yield f"{place}: {marks}{why}"
    for key, said, actual in one.get("lost", ()):
        found = "fact not in the report" if actual is None else f"the report has {actual}"
        yield f"  struck out: {key}={said}; {found}"


def _sum(score: Score, criteria: Detail) -> Iterator[str]:
    if score.score is None:
        yield f"no score: {score.notes}"
        return
    if not criteria:
        yield f"score = checks that pass = {100 * score.score:.4g} of 100; without a judge no total"
        return
    values = {name: criteria[name]["value"] for name in WEIGHTS}
    summed = " + ".join(f"{WEIGHTS[name]:g} × {values[name]:.4g}" for name in WEIGHTS)
    yield f"total = ({summed}) / {sum(WEIGHTS.values()):g} = {total(values):.4g} of 100"

"""The criteria of pages side by side."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmaker.arenas.code.totals import page_totals
from benchmaker.record import Score
from benchmaker.scoring.code.criteria import TITLES, WEIGHTS


class CriterionLine(NamedTuple):
    """One criterion, or a total: its weight, each page's value from 0 to 100, what it rests on."""

    name: str
    weight: str
    values: tuple[float | None, ...]
    source: str


_SOURCES = {
    "visual": "judge",
    "code": "judge",
    "functionality": "checks and clicks",
    "responsiveness": "probe",
}


def criterion_lines(scores: Sequence[Score | None]) -> tuple[CriterionLine, ...]:
    """The four criteria, then the totals with the judge and by the probe alone."""
    told = [_criteria(score) for score in scores]
    is_judged = any(score is not None and "judges" in score.detail for score in scores)
    lines = [
        CriterionLine(
            TITLES[name],
            f"{weight:g}",
            tuple(_value(one, name) for one in told),
            _SOURCES[name] if is_judged else "probe",
        )
        for name, weight in WEIGHTS.items()
    ]
    totals = [page_totals(score, is_judged=is_judged) for score in scores]
    judged = CriterionLine("Total", "100", tuple(it.judge for it in totals), "judge and probe")
    alone = CriterionLine(
        "Total without the judge", "100", tuple(it.probe for it in totals), "probe"
    )
    return (*lines, judged, alone) if is_judged else (*lines, alone)


def _criteria(score: Score | None) -> Mapping[str, Any]:
    if score is None:
        return {}
    found: Mapping[str, Any] = score.detail.get("criteria") or score.detail.get("probe") or {}
    return found


def _value(told: Mapping[str, Any], name: str) -> float | None:
    value = told.get(name, {}).get("value")
    return None if value is None else float(value)

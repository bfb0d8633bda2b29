"""The criteria of pages side by side."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmaker.arenas.code.totals import page_totals, total_of
from benchmaker.record import Score
from benchmaker.report.tables import numbers
from benchmaker.scoring.code.criteria import JUDGED, TITLES, WEIGHTS
from benchmaker.scoring.code.probe_score import NO_BROWSER

NOT_JUDGED = "not judged"
NOT_KNOWN = "unknown"
NO_CHECKS = "no checks"
CHECKS = "Checks passed"


class CriterionLine(NamedTuple):
    """One criterion, the checks, or a total: its weight, each page's value, and its basis.

    Values are from 0 to 100; ``lacking`` is the text for None. ``weight`` is empty if the line is
    not part of the total.
    """

    name: str
    weight: str
    values: tuple[float | None, ...]
    source: str
    lacking: str = NOT_KNOWN

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as displayed."""
        return tuple(self.lacking if it is None else numbers.score(it / 100) for it in self.values)


_SOURCES = {
    "visual": "judge",
    "code": "judge",
    "functionality": "checks and clicks",
    "responsiveness": "probe",
}


def criterion_lines(scores: Sequence[Score | None]) -> tuple[CriterionLine, ...]:
    """The four criteria, the total where a page has one, and the share of checks passed."""
    lines = [_line(name, scores) for name in WEIGHTS]
    totals = tuple(total_of(score) for score in scores)
    if any(it is not None for it in totals):
        lines.append(CriterionLine("Total", "100", totals, "judge and probe", NOT_JUDGED))
    checks = tuple(page_totals(score).checks for score in scores)
    lacking = NO_CHECKS if all(map(_has_no_checks, scores)) else NOT_KNOWN
    return (*lines, CriterionLine(CHECKS, "", checks, "checks of the case", lacking))


def _has_no_checks(score: Score | None) -> bool:
    """True if the case of a page has no checks, rather than a browser being missing."""
    if score is None or "checks" not in score.detail:
        return False
    return score.detail["checks"] is None and NO_BROWSER not in score.flags


def _line(name: str, scores: Sequence[Score | None]) -> CriterionLine:
    values = tuple(_value(score, name) for score in scores)
    lacking = NOT_JUDGED if name in JUDGED else NOT_KNOWN
    return CriterionLine(TITLES[name], f"{WEIGHTS[name]:g}", values, _SOURCES[name], lacking)


def _value(score: Score | None, name: str) -> float | None:
    """A criterion's value; without a judge's word there is none for what takes a judge."""
    detail: Mapping[str, Any] = {} if score is None else score.detail
    is_judged = "singles" in detail
    told = detail.get("criteria") if is_judged else None
    if told is None:
        told = {} if name in JUDGED else detail.get("probe") or {}
    value = told.get(name, {}).get("value")
    return None if value is None else float(value)

"""The numeric scorer of robust/1: the closest reading of the extracted number, on the curve."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from benchmaker.errors import SpecError
from benchmaker.record import Extraction, Score, Trial
from benchmaker.scoring.base import Objection, no_answer_score
from benchmaker.scoring.numbers import Number, stated_number
from benchmaker.scoring.robust_1.extraction import (
    ANCHORS,
    NOTHING,
    Rules,
    answer_number,
    as_rules,
    extract,
    extraction_line,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.text.curve import (
    TOLERANCE,
    Curve,
    Distance,
    ExpectedNumber,
    Measure,
    arithmetic,
    is_whole,
    readings,
)
from benchmaker.spec import Case, Family

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Numeric:
    """Full marks within the tolerance, less with the distance of the extracted number.

    For a whole expected number without a ``tolerance``, the tolerance is 0.
    """

    tolerance: Distance | None = None
    absolute: Distance | None = None
    curve: Curve = "published"
    extract: Rules = "auto"
    extract_expected: Rules = "none"
    family: Family = Family.ROBUST

    id: ClassVar = "numeric"
    version: ClassVar = "1"
    check_needs: ClassVar = ("extract_expected",)

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected")
        steps(self.extract, "numeric")
        steps(self.extract_expected, "numeric")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """By the distance of the number; a pattern is searched in another thread.

        Raises:
            SpecError: the case expects no number.
        """
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score, case, trial)
        return self._score(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report an expected text without a number."""
        try:
            _expectation(case.expected, self.extract_expected)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """The two numbers, the error, the tolerance and the curve, with their figures."""
        lines = [extraction_line(score)]
        if "found" not in score.detail:
            return [*lines, f"{score.notes}: 0"]
        return [*lines, *arithmetic(score)]

    def _score(self, case: Case, trial: Trial) -> Score:
        expected = _expectation(case.expected, self.extract_expected)
        extraction = extract(trial.text, self.extract, kind="numeric")
        if extraction is NOTHING:
            return no_answer_score(extraction, confidence=0.8)
        number = _read_number(extraction)
        pairs = list(readings(number, expected, parts=False)) if number else []
        tolerance = self.tolerance
        if tolerance is None:
            tolerance = 0.0 if is_whole(expected.value) else TOLERANCE
        is_anchored = extraction.rule in ANCHORS or extraction.rule.startswith("/")
        confidence = 1.0 if is_anchored else 0.8
        measure = Measure(tolerance, self.curve, self.absolute)
        return measure.score(pairs, confidence=confidence, extraction=extraction)


@lru_cache(maxsize=512)
def _expectation(text: str | None, rules: Rules) -> ExpectedNumber:
    if text is None or not text.strip():
        raise SpecError("numeric needs an expected number, but the case expects nothing.")
    is_whole = rules == "none"
    number = answer_number(text) if is_whole else _read_number(extract(text, rules, kind="numeric"))
    if number is None or number.value is None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise SpecError(
            f"numeric needs an expected number, but {shown!r} has no readable number.",
            hint="Write it as 18, 1,234.5, 2.5e-3, 3/4 or 50%.",
        )
    return ExpectedNumber(number.value, number.share)


def _read_number(extraction: Extraction) -> Number | None:
    """Return the number in the extracted text; a JSON field is read as a field."""
    return (stated_number if extraction.rule == "json" else answer_number)(extraction.text)

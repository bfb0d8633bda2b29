"""The numeric scorer: the expected number, or the score for its error."""

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection, best_score, no_answer_score
from benchmaker.scoring.extract.reading import NumberReading, figure_at, read_figure
from benchmaker.scoring.extract.rules import (
    ANCHORS,
    NOTHING,
    Rules,
    as_rules,
    extract,
    extraction_line,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.numbers import find_numbers, read_number
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
_BOUND = re.compile(r"""(?<![\w"'/=<>-])(?:[<>]=?|[≤≥])\s*[-+−$€£]*\s*[.]?[0-9]""")
"""A comparison sign before a number, but not the end of a tag."""


@scorer
@dataclass(frozen=True, slots=True)
class Numeric:
    """Full marks for any expected number; robust gives 0 beyond the tolerance.

    With x the number and e the expected one, err = |x − e|/|e| (e = 0: |x|). err ≤ tolerance gives
    1; beyond it, by ``curve``: ``step`` 0; ``published`` max(0, 1 − √(err/0.25)); ``continuous``
    max(0, 1 − √((err − tolerance)/(0.25 − tolerance))), which has no step at the tolerance.
    ``absolute`` also gives 1 for |x − e| ≤ absolute.

    Robust takes the number that ``extract`` finds, on the curve ``step`` unless another is named or
    ``grades: true`` selects the published one. The default tolerance is 0 for a whole expected
    number, else 0.01. Ranges and two candidates are not answers; of one quantity stated twice, "2
    hours (120 minutes)" or "1/4 (25%)", either may be expected. ``extract_expected`` extracts the
    expected number from a longer text.

    Classic takes the number of the whole reply that is closest, with a tolerance of 0.01, on the
    published curve.

    Confidence is 1 if the number was found at an answer mark or by a pattern, else
    .8. A percentage also matches an expected share: 50% is 50 and 0.5. Of several expected numbers
    the best counts.

    Source: the published method, section 4.3. Its "1% = 80" is the published curve's limit from
    above.

    Example:
        ``scorer: {id: numeric, tolerance: 0.02, curve: published}``
    """

    tolerance: Distance | None = None
    absolute: Distance | None = None
    curve: Curve | None = None
    grades: bool = False
    extract: Rules = "auto"
    extract_expected: Rules = "none"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("extract_expected",)
    robust_only: ClassVar = ("grades", "extract", "extract_expected")
    earlier: ClassVar = {"robust/1": "benchmaker.scoring.robust_1.numeric:Numeric"}

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected")
        steps(self.extract, "numeric")
        steps(self.extract_expected, "numeric")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """By the distance of the number; every figure of it in ``detail``.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.

        Raises:
            SpecError: the case expects no number.
        """
        if self.family is Family.CLASSIC:
            return self._score_classic(case, trial)
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score_robust, case, trial)
        return self._score_robust(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report expected texts that hold no number, or a bound instead of one."""
        try:
            self._expected_numbers(case)
        except SpecError as exc:
            return [str(exc)]
        return [_no_bound(text) for text in case.expectations if self._is_bound(text)]

    def _is_bound(self, text: str) -> bool:
        return self.extract_expected == "none" and _BOUND.search(text) is not None

    def explain(self, score: Score) -> list[str]:
        """The two numbers, the error, the tolerance and the curve, with their figures."""
        lines = [extraction_line(score)]
        if "found" not in score.detail:
            return [*lines, f"{score.notes}: 0"]
        return [*lines, *arithmetic(score)]

    def _score_classic(self, case: Case, trial: Trial) -> Score:
        numbers = find_numbers(trial.text.strip())
        scores = []
        for expected in self._expected_numbers(case):
            pairs = [pair for number in numbers for pair in readings(number, expected)]
            scores.append(self._measure(expected).score(pairs, confidence=0.8))
        return best_score(scores, case.expectations)

    def _score_robust(self, case: Case, trial: Trial) -> Score:
        wanted = self._expected_numbers(case)
        figure = self._figure(trial.text)
        if figure.extraction is NOTHING:
            return no_answer_score(figure.extraction, confidence=0.8)
        rule = figure.extraction.rule
        confidence = 1.0 if rule in ANCHORS or rule.startswith("/") else 0.8
        scores = []
        for expected in wanted:
            pairs = [pair for it in figure.numbers for pair in readings(it, expected, parts=False)]
            scores.append(
                self._measure(expected).score(
                    pairs, confidence=confidence, extraction=figure.extraction
                )
            )
        score = best_score(scores, case.expectations)
        return replace(score, notes=figure.why) if figure.why and figure.number is None else score

    def _figure(self, reply: str) -> NumberReading:
        if self.extract == "auto":
            return read_figure(reply)
        extraction = extract(reply, self.extract, kind="numeric")
        amount = figure_at(extraction.rule, extraction.text)
        return NumberReading(amount.number, extraction, amount.why, amount.also)

    def _measure(self, expected: ExpectedNumber) -> Measure:
        """Return the scoring of errors for this expected number."""
        is_classic = self.family is Family.CLASSIC
        tolerance = self.tolerance
        if tolerance is None:
            tolerance = 0.0 if not is_classic and is_whole(expected.value) else TOLERANCE
        default: Curve = "published" if is_classic or self.grades else "step"
        return Measure(tolerance, self.curve or default, self.absolute)

    def _expected_numbers(self, case: Case) -> tuple[ExpectedNumber, ...]:
        rules = self.extract_expected if self.family is Family.ROBUST else "none"
        return tuple([_expectation(text, rules) for text in case.expectations or ("",)])


def _no_bound(text: str) -> str:
    """The problem with an expected text that is a bound."""
    return (
        f"numeric compares answers with one number, and {text[:_SHOWN]!r} is a bound. "
        "Write the number itself, with absolute or tolerance, or use the regex scorer."
    )


@lru_cache(maxsize=512)
def _expectation(text: str, rules: Rules) -> ExpectedNumber:
    if not text.strip():
        raise SpecError("numeric needs an expected number, but the case expects nothing.")
    if rules == "none":
        number = read_number(text)
    else:
        extraction = extract(text, rules, kind="numeric")
        number = figure_at(extraction.rule, extraction.text).number
    if number is None or number.value is None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise SpecError(
            f"numeric needs an expected number, but {shown!r} has no readable number.",
            hint="Write it as 18, 1,234.5, 2.5e-3, 3/4 or 50%.",
        )
    return ExpectedNumber(number.value, number.share)

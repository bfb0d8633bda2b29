"""The numeric scorer: how far is the number off?"""

import asyncio
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, nextafter, sqrt
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Extraction, Score, Trial
from benchmaker.scoring.base import Objection, nothing_extracted
from benchmaker.scoring.extract import (
    ANCHORS,
    NOTHING,
    Rules,
    answer_number,
    as_rules,
    extract,
    has_pattern,
    pattern_faults,
    steps,
    taken_line,
)
from benchmaker.scoring.numbers import (
    Number,
    find_numbers,
    stated_number,
    written,
)
from benchmaker.spec import Case, Family

Curve = Literal["published", "continuous", "step"]
Distance = Annotated[float, Field(ge=0, allow_inf_nan=False)]

_Pair = tuple[float, float]

_REACH = 0.25
_TOLERANCE = 0.01
_ROUNDING = 5e-16
_BELOW_ONE = nextafter(1.0, 0.0)
_EXACT_INT = 2**63
_SHOWN = 200


class _Expected(NamedTuple):
    """The expected number, and its share of one where it is a percentage."""

    value: float
    share: float | None


@scorer
@dataclass(frozen=True, slots=True)
class Numeric:
    """Full marks within the tolerance, then less the farther the number is off; 0 from 25 %.

    With x the number and e the expected one, err = |x − e|/|e| (e = 0: |x|). err ≤ tolerance
    gives 1; beyond it, by ``curve``: ``published`` max(0, 1 − √(err/0.25)); ``continuous``
    max(0, 1 − √((err − tolerance)/(0.25 − tolerance))), which has no step at the tolerance;
    ``step`` 0. ``absolute`` gives 1 for |x − e| ≤ absolute besides.

    Classic takes the number of the whole reply that is closest, with a tolerance of 0.01. Robust
    takes the one that ``extract`` finds, and where the expected number is whole and no
    ``tolerance`` is given, the tolerance is 0. ``extract_expected`` takes the expected number out
    of a longer text. Confidence is 1 where the number stood at an anchor or was named by a
    pattern, else .8. A percentage also meets an expected share: 50% is 50 and 0.5.

    Source: the published method, section 4.3. Its "1 % = 80" is the published curve's limit from
    above.

    Example:
        ``scorer: {id: numeric, tolerance: 0.02, curve: step}``
    """

    tolerance: Distance | None = None
    absolute: Distance | None = None
    curve: Curve = "published"
    extract: Rules = "auto"
    extract_expected: Rules = "none"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("extract_expected",)
    robust_only: ClassVar = ("extract", "extract_expected")

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
        if self.family is Family.ROBUST and has_pattern(self.extract):
            return asyncio.to_thread(self._robust, case, trial)
        return (
            self._classic(case, trial)
            if self.family is Family.CLASSIC
            else self._robust(case, trial)
        )

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Says it when the expected text holds no number."""
        try:
            self._expected(case)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """The two numbers, the error, the tolerance and the curve, with their figures."""
        lines = [taken_line(score)]
        if "found" not in score.detail:
            return [*lines, f"{score.notes}: 0"]
        return [*lines, *_arithmetic(score)]

    def _classic(self, case: Case, trial: Trial) -> Score:
        expected = self._expected(case)
        numbers = find_numbers(trial.text.strip())
        pairs = [pair for number in numbers for pair in _readings(number, expected)]
        return self._scored(pairs, _TOLERANCE, confidence=0.8)

    def _robust(self, case: Case, trial: Trial) -> Score:
        expected = self._expected(case)
        extraction = extract(trial.text, self.extract, kind="numeric")
        if extraction is NOTHING:
            return nothing_extracted(extraction, confidence=0.8)
        number = _read(extraction)
        pairs = list(_readings(number, expected, parts=False)) if number else []
        tolerance = 0.0 if _is_whole(expected.value) else _TOLERANCE
        is_anchored = extraction.rule in ANCHORS or extraction.rule.startswith("/")
        confidence = 1.0 if is_anchored else 0.8
        return self._scored(pairs, tolerance, confidence=confidence, extraction=extraction)

    def _expected(self, case: Case) -> _Expected:
        rules = self.extract_expected if self.family is Family.ROBUST else "none"
        return _expectation(case.expected, rules)

    def _scored(
        self,
        pairs: list[_Pair],
        tolerance: float,
        *,
        confidence: float,
        extraction: Extraction | None = None,
    ) -> Score:
        """The pair with the smallest error, first of equals, on the curve."""
        if not pairs:
            return _no_number(confidence, extraction)
        if self.tolerance is not None:
            tolerance = self.tolerance
        err, (value, target) = _closest(pairs)
        detail: dict[str, Any] = {
            "found": _plain(value),
            "expected": _plain(target),
            "tolerance": tolerance,
            "curve": self.curve,
        }
        if len(pairs) > 1:
            detail["candidates"] = len(pairs)
        if self.absolute is not None:
            detail["absolute"] = self.absolute
            if _difference(value, target) <= self.absolute + _ROUNDING:
                points, notes = 1.0, "within the absolute tolerance"
                return _of(points, notes, detail, confidence, extraction)
        points = on_curve(err, tolerance=tolerance, curve=self.curve)
        return _of(points, _note(points, err), detail, confidence, extraction)


def error(value: float, expected: float) -> float:
    """|value − expected| / |expected|; |value| where 0 is expected. May be infinite.

    >>> error(106.25, 100), error(0.5, 0)
    (0.0625, 0.5)
    """
    try:
        return abs(value - expected) / abs(expected) if expected else float(abs(value))
    except OverflowError:
        return inf


def on_curve(err: float, *, tolerance: float = _TOLERANCE, curve: Curve = "published") -> float:
    """The score for a relative error.

    The tolerance is met up to the rounding of binary fractions: 0.505 for 0.5 is 1 % off, though
    the quotient of the two is 0.010000000000000009. Beyond it, the score is less than 1 even where
    the curve rounds to it, as for whole numbers of 40 digits.

    Source: the published method, section 4.3; ``continuous`` shifts the curve to begin at the
    tolerance.

    >>> on_curve(0.0625), on_curve(0.01), round(on_curve(0.0100001), 4)
    (0.5, 1.0, 0.8)
    """
    if err <= tolerance or (tolerance and err <= tolerance + _ROUNDING):
        return 1.0
    if curve == "step" or err >= _REACH:
        return 0.0
    start = tolerance if curve == "continuous" else 0.0
    points = 1.0 - sqrt((err - start) / (_REACH - start))
    return min(max(0.0, points), _BELOW_ONE)


@lru_cache(maxsize=512)
def _expectation(text: str | None, rules: Rules) -> _Expected:
    if text is None or not text.strip():
        raise SpecError("numeric needs an expected number, and nothing is expected.")
    is_whole = rules == "none"
    number = answer_number(text) if is_whole else _read(extract(text, rules, kind="numeric"))
    if number is None or number.value is None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise SpecError(
            f"numeric needs an expected number, and {shown!r} holds none that can be read.",
            hint="Write it as 18, 1,234.5, 2.5e-3, 3/4 or 50%.",
        )
    return _Expected(number.value, number.share)


def _read(extraction: Extraction) -> Number | None:
    """The number of what was extracted; a JSON field is read as a field."""
    return (stated_number if extraction.rule == "json" else answer_number)(extraction.text)


def _readings(number: Number, expected: _Expected, *, parts: bool = True) -> Iterator[_Pair]:
    """What a number may mean, each time beside what it is held against.

    Percent signs on both sides or on neither compare as they stand. Where one side alone has one,
    its share is held against the other side's number as well: 50% meets 50 and 0.5.
    """
    if number.value is not None:
        yield number.value, expected.value
        if number.share is not None and expected.share is None:
            yield number.share, expected.value
        elif number.share is None and expected.share is not None:
            yield number.value, expected.share
    if parts:
        for part in number.parts:
            yield part, expected.value


def _closest(pairs: list[_Pair]) -> tuple[float, _Pair]:
    """The smallest error and the first pair that has it."""
    least, closest = inf, pairs[0]
    for pair in pairs:
        err = error(*pair)
        if err < least:
            least, closest = err, pair
    return least, closest


def _is_whole(value: float) -> bool:
    return isinstance(value, int) or value.is_integer()


def _difference(value: float, expected: float) -> float:
    try:
        return abs(value - expected)
    except OverflowError:
        return inf


def _plain(value: float) -> float | str:
    """As JSON can hold it: an integer beyond 64 bits is written out."""
    return str(value) if isinstance(value, int) and abs(value) >= _EXACT_INT else value


def _of(
    points: float,
    notes: str,
    detail: dict[str, Any],
    confidence: float,
    extraction: Extraction | None,
) -> Score:
    return Score(
        score=points, confidence=confidence, notes=notes, extraction=extraction, detail=detail
    )


def _no_number(confidence: float, extraction: Extraction | None) -> Score:
    return Score(
        score=0.0,
        confidence=confidence,
        notes="the answer holds no number",
        extraction=extraction,
        detail={"rung": "no_number"},
        flags=("no_number",),
    )


def _note(points: float, err: float) -> str:
    if err == 0:
        return "equal"
    if points == 1:
        return "within the tolerance"
    return "off, on the curve" if points else "too far off"


def _arithmetic(score: Score) -> list[str]:
    detail = score.detail
    value, expected = _number(detail["found"]), _number(detail["expected"])
    err, tolerance = error(value, expected), detail["tolerance"]
    x, e = written(value), written(expected)
    lines = [f"number {x}, expected {e}"]
    if "candidates" in detail:
        lines[0] += f"; the closest of {detail['candidates']} candidates"
    absolute = detail.get("absolute")
    if absolute is not None:
        off = _difference(value, expected)
        sign = "≤" if off <= absolute + _ROUNDING else ">"
        lines.append(f"|{x} − {e}| = {written(off)} {sign} absolute tolerance {written(absolute)}")
        if sign == "≤":
            return [*lines, "score = 1"]
    quotient = f"|{x} − {e}|/|{e}|" if expected else f"|{x}|"
    lines.append(f"err = {quotient} = {written(err)}")
    return [*lines, _curve_line(score, err, tolerance)]


def _curve_line(score: Score, err: float, tolerance: float) -> str:
    points, curve = score.score or 0.0, score.detail["curve"]
    shown, limit = written(err), written(tolerance)
    if points == 1:
        return f"{shown} ≤ tolerance {limit}: 1"
    if curve == "step":
        return f"{shown} > tolerance {limit}, curve step: 0"
    inner = f"{shown}/0.25"
    if curve == "continuous":
        inner = f"({shown} − {limit})/(0.25 − {limit})"
    return f"{shown} > tolerance {limit}: max(0, 1 − √({inner})) = {written(points)}"


def _number(value: float | str) -> float:
    return int(value) if isinstance(value, str) else value

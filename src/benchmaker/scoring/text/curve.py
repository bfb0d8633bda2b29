"""The error of a number, and its score: the published curve and two others."""

from collections.abc import Iterator
from math import inf, nextafter, sqrt
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from benchmaker.record import Extraction, Score
from benchmaker.scoring.numbers import Number, format_number

Curve = Literal["published", "continuous", "step"]
Distance = Annotated[float, Field(ge=0, allow_inf_nan=False)]

Pair = tuple[float, float]
"""A number and its expected value."""

TOLERANCE = 0.01
_REACH = 0.25
_ROUNDING = 5e-16
_BELOW_ONE = nextafter(1.0, 0.0)
_EXACT_INT = 2**63


class ExpectedNumber(NamedTuple):
    """The expected number, and its share of one where it is a percentage."""

    value: float
    share: float | None


class Measure(NamedTuple):
    """The scoring of errors: tolerance, the curve beyond it, and an absolute tolerance if any."""

    tolerance: float
    curve: Curve
    absolute: float | None = None

    def score(
        self, pairs: list[Pair], *, confidence: float, extraction: Extraction | None = None
    ) -> Score:
        """The pair with the smallest error, first of equals, on the curve."""
        if not pairs:
            return no_number(confidence, extraction)
        err, (value, target) = _closest_pair(pairs)
        detail: dict[str, Any] = {
            "found": _to_json_number(value),
            "expected": _to_json_number(target),
            "tolerance": self.tolerance,
            "curve": self.curve,
        }
        if len(pairs) > 1:
            detail["candidates"] = len(pairs)
        if self.absolute is not None:
            detail["absolute"] = self.absolute
            if _is_within(value, target, self.absolute):
                points, notes = 1.0, "within the absolute tolerance"
                return _make_score(points, notes, detail, confidence, extraction)
        points = on_curve(err, tolerance=self.tolerance, curve=self.curve)
        return _make_score(points, _note(points, err), detail, confidence, extraction)


def error(value: float, expected: float) -> float:
    """Return |value − expected| / |expected|; |value| if 0 is expected. May be infinite.

    >>> error(106.25, 100), error(0.5, 0)
    (0.0625, 0.5)
    """
    try:
        return abs(value - expected) / abs(expected) if expected else float(abs(value))
    except OverflowError:
        return inf


def on_curve(err: float, *, tolerance: float = TOLERANCE, curve: Curve = "published") -> float:
    """Return the score for a relative error.

    The tolerance is met up to the rounding of binary fractions: 0.505 for 0.5 is 1% off, though
    the quotient of the two is 0.010000000000000009. Beyond it, the score is less than 1 even if the
    curve rounds to 1, as for whole numbers of 40 digits.

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


def readings(number: Number, expected: ExpectedNumber, *, parts: bool = True) -> Iterator[Pair]:
    """Yield each reading of a number, with the expected number to compare.

    Percent signs on both sides or on neither are compared directly. If only one side has one, its
    share is also compared with the other side's number: 50% matches 50 and 0.5.
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


def _closest_pair(pairs: list[Pair]) -> tuple[float, Pair]:
    """The smallest error and the first pair that has it."""
    least, closest = inf, pairs[0]
    for pair in pairs:
        err = error(*pair)
        if err < least:
            least, closest = err, pair
    return least, closest


def is_whole(value: float) -> bool:
    """True if a number has no fraction."""
    return isinstance(value, int) or value.is_integer()


def _is_within(value: float, expected: float, absolute: float) -> bool:
    """True up to an absolute tolerance, apart from the rounding of the two numbers."""
    off = _difference(value, expected)
    return off <= absolute or off <= absolute + _ROUNDING * max(1.0, abs(value), abs(expected))


def _difference(value: float, expected: float) -> float:
    try:
        return abs(value - expected)
    except OverflowError:
        return inf


def _to_json_number(value: float) -> float | str:
    """As JSON can hold it: an integer beyond 64 bits is written out."""
    return str(value) if isinstance(value, int) and abs(value) >= _EXACT_INT else value


def _make_score(
    points: float,
    notes: str,
    detail: dict[str, Any],
    confidence: float,
    extraction: Extraction | None,
) -> Score:
    return Score(
        score=points, confidence=confidence, notes=notes, extraction=extraction, detail=detail
    )


def no_number(confidence: float, extraction: Extraction | None) -> Score:
    """No marks, because the answer holds no number."""
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


def arithmetic(score: Score) -> list[str]:
    """The lines of a score's arithmetic: the numbers, the error, the curve."""
    detail = score.detail
    value, expected = _number(detail["found"]), _number(detail["expected"])
    err, tolerance = error(value, expected), detail["tolerance"]
    x, e = format_number(value), format_number(expected)
    lines = [f"number {x}, expected {e}"]
    if "candidates" in detail:
        lines[0] += f"; the closest of {detail['candidates']} candidates"
    absolute = detail.get("absolute")
    if absolute is not None:
        off = _difference(value, expected)
        sign = "≤" if _is_within(value, expected, absolute) else ">"
        lines.append(
            f"|{x} − {e}| = {format_number(off)} {sign} absolute tolerance "
            f"{format_number(absolute)}"
        )
        if sign == "≤":
            return [*lines, "score = 1"]
    quotient = f"|{x} − {e}|/|{e}|" if expected else f"|{x}|"
    lines.append(f"err = {quotient} = {format_number(err)}")
    return [*lines, _curve_line(score, err, tolerance)]


def _curve_line(score: Score, err: float, tolerance: float) -> str:
    points, curve = score.score or 0.0, score.detail["curve"]
    shown, limit = format_number(err), format_number(tolerance)
    if points == 1:
        return f"{shown} ≤ tolerance {limit}: 1"
    if curve == "step":
        return f"{shown} > tolerance {limit}, curve step: 0"
    inner = f"{shown}/0.25"
    if curve == "continuous":
        inner = f"({shown} − {limit})/(0.25 − {limit})"
    return f"{shown} > tolerance {limit}: max(0, 1 − √({inner})) = {format_number(points)}"


def _number(value: float | str) -> float:
    return int(value) if isinstance(value, str) else value

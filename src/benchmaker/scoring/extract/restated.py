"""One quantity stated twice: "2 hours (120 minutes)", or a share and its percentage: "1/4 (25%)".

Both numbers are the answer if they agree. If not, "2 hours (90 minutes)", the sentence is read
unchanged.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from benchmaker.scoring.extract.cues import Cue
from benchmaker.scoring.numbers import Number, locate_numbers
from benchmaker.scoring.symbols import to_plain_signs

_SCALES: tuple[dict[str, float], ...] = (
    {
        "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos": 1,
        "min mins minute minutes minuten minuto minutos minuti": 60,
        "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore": 3_600,
        "day days tag tage tagen jour jours día días giorno giorni": 86_400,
        "week weeks woche wochen semaine semaines semana semanas": 604_800,
    },
    {
        "month months monat monate monaten mois mes meses": 1,
        "year years yr yrs jahr jahre jahren an ans año años": 12,
        "decade decades": 120,
        "century centuries": 1_200,
    },
    {
        "mm millimeter millimeters millimetre millimetres": 1,
        "cm centimeter centimeters centimetre centimetres zentimeter": 10,
        "m meter meters metre metres": 1_000,
        "km kilometer kilometers kilometre kilometres": 1_000_000,
    },
    {"inch inches": 1, "ft foot feet": 12, "yd yard yards": 36, "mile miles": 63_360},
    {
        "mg milligram milligrams milligramm": 1,
        "g gram grams gramm": 1_000,
        "kg kilogram kilograms kilogramm kilo kilos": 1_000_000,
        "t tonne tonnes tonnen": 1_000_000_000,
    },
    {"oz ounce ounces": 1, "lb lbs": 16},
    {
        "ml milliliter milliliters millilitre millilitres": 1,
        "cl centiliter centiliters centilitre centilitres": 10,
        "l liter liters litre litres": 1_000,
    },
    {"cup cups": 1, "pint pints": 2, "quart quarts": 4, "gallon gallons": 16},
    {"cent cents ¢ pence centimes céntimos": 1, "$ € £ dollar dollars euro euros": 100},
    {"km/h kph kmh": 1, "m/s": 3.6},
    {"bit bits": 1, "byte bytes": 8},
)
"""Units of one kind with their sizes; units of different systems do not meet."""

_SIZES = {
    name: (kind, size)
    for kind, scale in enumerate(_SCALES)
    for names, size in scale.items()
    for name in names.split()
}
_SHARE = len(_SCALES)
"""The kind of percentages and of the fractions that they restate."""
_UNIT = re.compile(r"[\s\u00a0-]?\s*([^\W\d_]+(?:/[^\W\d_]+)?|¢|[€$£])\.?(?![\w/])")
_AND = re.compile(r"\s*,?\s*(?:(?:and|und|et|y|e)\s+)?")
_MEANS = (
    r"(?:=|≈|or|i\.\s?e\.|that is|that['’]s|which is|which equals|equals|equal to|equivalent to"
    r"|oder|das sind|d\.\s?h\.|also|soit|c['’]est-à-dire|o sea|es decir)"
)
_OPENS = re.compile(rf"\s*[(\[]\s*(?:{_MEANS}[\s,]*)?\s*", re.IGNORECASE)
_CLOSES = re.compile(r"\s*(?:in total|in all|altogether|total)?\s*[)\]]", re.IGNORECASE)
_OF_WHOLE = re.compile(r"\s+of\s+(?:[^\W\d]+\s+){0,3}[^\W\d]+")
"""What a share is a share of: "1/4 of the class (25%)"."""
_OUT_OF = re.compile(
    r"\s+(?:in|out of|of)\s+(?:the\s+|all\s+)?(?P<whole>\d{1,9})(?![\d/%]|[.,]\d)"
    r"(?:(?:\s+[^\W\d]+){1,3}(?=\s*[(\[]))?"
)
"""What a number is a part of: "3 out of 4 (75%)", "45 of 60 students (75%)"."""
_GOES_ON = re.compile(rf"\s*,?\s+{_MEANS}[\s,]+|\s*=\s*", re.IGNORECASE)
_CHANGES = re.compile(
    r"[)\]\s]*(?:less|more|fewer|longer|shorter|per|each|every|earlier|later|ago|mehr|weniger|plus"
    r"|minus|than)\b",
    re.IGNORECASE,
)
_EXACT = 1e-9
_DIGITS = 3
"""As many digits has a number that may be rounded: 1.67 hours for 100 minutes."""


@dataclass(frozen=True, slots=True)
class _Quantity:
    """Numbers with units of one kind, such as "1 hour 30 minutes", or a share; with their places.

    ``size`` is that of the unit; 0 where there are several.
    """

    numbers: tuple[Number, ...]
    start: int
    end: int
    kind: int
    size: float
    whole: float

    def plus(self, other: "_Quantity") -> "_Quantity":
        return _Quantity(
            (*self.numbers, *other.numbers),
            self.start,
            other.end,
            self.kind,
            0,
            self.whole + other.whole,
        )


@dataclass(frozen=True, slots=True)
class ReducedSentence:
    """A sentence without its repetitions, and the numbers that are equal."""

    text: str
    pairs: tuple[tuple[Number, Number], ...] = ()

    def equal_numbers(self, number: Number) -> tuple[Number, ...]:
        """Return the numbers equal to this one in the last restatement of the sentence."""
        return tuple(
            right if left.value == number.value else left
            for left, right in self.pairs[-1:]
            if number.value in {left.value, right.value}
        )


def drop_restatements(text: str) -> ReducedSentence:
    """Return a sentence without its restatements.

    >>> made = drop_restatements("It takes 2 hours (120 minutes).")
    >>> made.text, made.pairs[0][1].value
    ('It takes 2 hours.', 120)
    """
    if not (_MARKED.may_hold(text) and any(map(text.__contains__, _MARKS))):
        return ReducedSentence(text)
    text = to_plain_signs(text)
    pairs: list[tuple[Number, Number]] = []
    kept, at = "", 0
    for left, right in pairwise(_quantities(text)):
        end = _end(text, left, right) if left.start >= at else 0
        if not end:
            continue
        if len(left.numbers) == len(right.numbers) == 1:
            pairs.append((left.numbers[0], right.numbers[0]))
        if text[left.end : right.start].strip() != "=":
            stays = left if len(left.numbers) == 1 else right
            kept += text[at : left.start] + text[stays.start : stays.end]
            at = end
    return ReducedSentence(kept + text[at:], tuple(pairs))


_MARKS = (
    "(", "[", "=", "≈", "or ", "i.", "that", "which", "equal", "oder", "das sind", "d.", "also",
    "soit", "est-à-dire", "o sea", "es decir",
)  # fmt: skip
"""One of them stands in every text that says a quantity twice."""
_MARKED = Cue("|".join(map(re.escape, _MARKS)), _MARKS, flags=0)


def _end(text: str, left: _Quantity, right: _Quantity) -> int:
    """Return the end of a restatement; 0 if the right quantity does not restate the left one."""
    if not _is_same(left, right) or _CHANGES.match(text, right.end):
        return 0
    if _OPENS.fullmatch(text, left.end, right.start):
        closed = _CLOSES.match(text, right.end)
        return closed.end() if closed and not _CHANGES.match(text, closed.end()) else 0
    return right.end if _GOES_ON.fullmatch(text, left.end, right.start) else 0


def _is_same(left: _Quantity, right: _Quantity) -> bool:
    if left.kind != right.kind or left.size == right.size == 0:
        return False
    if math.isclose(left.whole, right.whole, rel_tol=_EXACT):
        return left.size != right.size
    return _is_rounded(left, right) or _is_rounded(right, left)


def _is_rounded(exact: _Quantity, shown: _Quantity) -> bool:
    """True if a number equals the other quantity rounded to the digits shown."""
    digits = re.sub(r"[^\d.]", "", shown.numbers[0].text)
    if len(shown.numbers) > 1 or not shown.size or len(digits.replace(".", "")) < _DIGITS:
        return False
    places = len(digits.partition(".")[2])
    value = shown.numbers[0].value or 0.0
    return places > 0 and math.isclose(round(exact.whole / shown.size, places), value)


def _quantities(text: str) -> Iterator[_Quantity]:
    """The quantities of a text in their order; those that add up are one."""
    made: _Quantity | None = None
    reached = 0
    for number, start, end in locate_numbers(text):
        if start < reached:
            continue
        one = _part(text, number, start, end) or _quantity(text, number, start, end)
        reached = one.end if one else end
        if made and one and _adds_up(text, made, one):
            made = made.plus(one)
            continue
        if made:
            yield made
        made = one
    if made:
        yield made


def _adds_up(text: str, made: _Quantity, one: _Quantity) -> bool:
    is_part = made.kind == one.kind != _SHARE and one.whole < made.whole
    return is_part and _AND.fullmatch(text, made.end, one.start) is not None


def _quantity(text: str, number: Number, start: int, end: int) -> _Quantity | None:
    if number.value is None:
        return None
    if number.share is not None:
        return _Quantity((number,), start, end, _SHARE, _PERCENT, number.share)
    sign = next((it for it in number.text + text[max(start - 1, 0) : start] if it in "$€£"), "")
    unit = None if sign else _UNIT.match(text, end)
    name = sign or (unit[1].lower() if unit else "")
    if name in _SIZES:
        kind, size = _SIZES[name]
        stop = unit.end(1) if unit else end
        return _Quantity((number,), start, stop, kind, size, number.value * size)
    return _share(text, number, start, end)


def _part(text: str, number: Number, start: int, end: int) -> _Quantity | None:
    """Return "N out of M" as a share: the 3 of "3 out of 4 (75%)"."""
    found = _OUT_OF.match(text, end)
    if found is None or number.value is None or number.share is not None:
        return None
    whole = int(found["whole"])
    if not 0 <= number.value <= whole or not whole:
        return None
    return _Quantity((number,), start, found.end(), _SHARE, 1, number.value / whole)


def _share(text: str, number: Number, start: int, end: int) -> _Quantity | None:
    """A fraction that a percentage may restate: the 1/4 of "1/4 of the class (25%)"."""
    if not isinstance(number.value, float) or number.value.is_integer():
        return None
    whole = _OF_WHOLE.match(text, end)
    stop = whole.end() if whole else end
    return _Quantity((number,), start, stop, _SHARE, 1, number.value)


_PERCENT = 0.01

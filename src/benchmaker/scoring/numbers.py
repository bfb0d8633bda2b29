r"""Numbers as written by people and models: found in a text, read, and written back.

One grammar serves both families. It reads

- signs, Unicode minus included; ``3-2`` holds 3 and 2: a sign follows no digit, word or bracket;
- thousands between groups of three: ``1,234`` ``1'234`` ``1_234`` ``1{,}234`` ``1\,234``, thin and
  no-break spaces, and ``1.234.567`` if two groups leave no doubt, or ``1.500 €``, since no
  amount has three decimals; one point alone is a decimal point (``2.000 Liter`` is 2); lakhs and
  crores in groups of two, ``12,34,567``, unless a bracket before makes it a list;
- a decimal comma only if no other reading makes sense: ``1.234,56``, ``0,5``, ``3,50 €``, ``12,5
  %``, or a text that is only ``3,14``;
- ``1.5e-3``, ``1.5×10^{-3}``, ``10⁶``, ``2^{10}``;
- ``3/4``, ``2 1/2``, ``½``, ``2½``, ``\frac{3}{4}``, ``2\frac{1}{2}``; percent signs and
  the word;
- currency before, units and marks around: ``# 18``, ``**$18.00**``, ``\$18``, ``18\text{ eggs}``.

The following are not numbers: ``12:30`` (``2:00`` is 2), ``2024-05-17``, ``1.2.3``, ``GPT-4``,
``x_1``, the 2 of ``cm^2``, ``2π``. Their digits are kept as ``parts``, because the published method
takes any number in the text.

Every pattern consumes the text it scans, so that time is linear in the length of the text.
"""

import math
import re
from collections.abc import Iterator

import msgspec

from benchmaker.scoring.symbols import to_plain_signs

_MAX_DIGITS = 400
_MAX_POWER = 1000

_CORE = re.compile(
    r"""
    (?P<body>[0-9]
    (?:
        (?P<european>[0-9]{0,2}(?:[.][0-9]{3})+,[0-9]+(?![0-9,]))
      | (?P<dotted>
            [0-9]{0,2}(?:[.][0-9]{3}){2,}(?![0-9]|[.,][0-9])
          | (?<=[1-9])[0-9]{0,2}[.][0-9]{3}(?=[ \u00a0]?€(?!\s*(?:/|per\b|pro\b|je\b)))
        )
      | (?P<comma>
            (?<![\[(0-9.,]0)(?<=0),[0-9]+(?![0-9]|[,.][0-9]|[\])])
          | [0-9]*,(?:[0-9]{1,2}|[0-9]{4,8})(?=[ \u00a0]?[%€])
        )
      | (?P<indian>(?<![\[(,.0-9][0-9])[0-9]?(?:,[0-9]{2}){1,4},[0-9]{3}(?![0-9]|,[0-9]))
      | (?P<grouped>[0-9]{0,2}(?P<mark>[,'_\u00a0])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?![0-9]))
      | [0-9]*
    ))
    (?P<decimals>[.][0-9]+)?
    (?P<exponent>[eE][+-]?[0-9]{1,4}(?![0-9A-Za-z_]))?
    (?P<odd>
        (?::[0-9]+)+ | (?:[.][0-9]+)+ | (?:/[0-9]+){2,}
      | (?<=[0-9]{4})-[0-9]{1,2}-[0-9]{1,2}(?![0-9])
      | (?<=0)[xX][0-9A-Fa-f]+
    )?
    (?:
        [ ]?[×*xX][ ]?10(?:\^|\*\*)\(?(?P<ten>[-+]?[0-9]{1,4})(?![0-9])\)?
      | (?:\^|\*\*)\(?(?P<power>[-+]?[0-9]{1,4})(?![0-9.])\)?
      | [ ]?/[ ]?(?P<under>[0-9]+(?:[.][0-9]+)?)(?![0-9/])
      | (?:[ \u00a0]|[ ]and[ ])(?P<over>[0-9]{1,9})/(?P<below>[0-9]{1,9})(?![0-9/])
    )?
    (?P<percent>[ \u00a0]?(?:%|per[ ]?cent\b))?
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"[0-9]+(?:[.][0-9]+)?")
_COMMA_ALONE = re.compile(r"[^\w\[(+-]*[-+]?[0-9]+,(?:[0-9]{1,2}|[0-9]{4,20})[^0-9,\])]*")
_SPACED_ALONE = re.compile(r"[^\w\[(+-]*[-+]?[0-9]{1,3}(?:[ ][0-9]{3})+(?:[.,][0-9]+)?[^0-9,\])]*")
_SPACED = re.compile(r"(?<=[0-9])[ ](?=[0-9])")
_CLAUSE_END = re.compile(r"[,;.]\s|\n")
_THOUSANDS = str.maketrans("", "", ",'_\u00a0")
_CURRENCY = "$€£¥₹"
_CODES = ("USD", "EUR", "GBP", "INR", "CAD", "AUD", "Rs", "RM")
_PLAIN_BEFORE = frozenset("\n\t \"'(*:=[,~<>≈")
_NO_SIGN_AFTER = frozenset(")]}.%°_")
_IRRATIONAL = frozenset("π√")
_INDEX = frozenset("_^√")


class Number(msgspec.Struct, frozen=True):
    """One number in a text.

    ``value`` is None for digits that are not a number (a time, a date, a version). ``share`` is the
    value as a share of one if a percent sign follows: 0.5 for ``50%``, whose ``value`` is 50.
    ``parts`` are the plain numbers that a fraction, a number in groups of two or a non-number is
    written with. ``text`` is the source text, with LaTeX and Unicode spelled out in plain signs.
    """

    text: str
    value: float | None
    share: float | None = None
    parts: tuple[float, ...] = ()


def find_numbers(text: str) -> list[Number]:
    """Every number of the text, in its order, non-numbers with their parts included.

    >>> [n.value for n in find_numbers("1,234 of 2 1/2 at 12:30")]
    [1234, 2.5, None]
    """
    return [number for number, _ in _scan(to_plain_signs(text))]


def locate_numbers(text: str) -> Iterator[tuple[Number, int, int]]:
    """The numbers of a text in plain signs, each with the places where it begins and ends.

    >>> [(number.value, start, end) for number, start, end in locate_numbers("3 of -12")]
    [(3, 0, 1), (-12, 5, 8)]
    """
    for number, end in _scan(text):
        yield number, end - len(number.text), end


def last_number(text: str) -> Number | None:
    """The last number of the text that is one; lines are looked at from the end.

    >>> last_number("16 - 7 = 9 eggs").value
    9
    """
    end = len(text)
    while end >= 0:
        start = text.rfind("\n", 0, end) + 1
        line = to_plain_signs(text[start:end])
        for match in reversed(list(_CORE.finditer(line))):
            number = _number(match, line)
            if number.value is not None:
                return number
        end = start - 1
    return None


def stated_number(text: str) -> Number | None:
    """Return the number in a field that requires one; None for a sum, which is not a number.

    A field with several numbers states its first, as published evaluations of such fields read it
    (ZeroEval on GSM8K). A sum is not computed: they read its first operand, which is right only by
    accident, and never count its result as an answer.

    >>> stated_number("$1,080 a month").value, stated_number("4 * 125 = 500")
    (1080, None)
    """
    first, ready, end = _first_number(text.strip())
    if first is None or "=" not in ready:
        return first
    return None if _result_of_sum(ready, end) else first


def read_number(text: str) -> Number | None:
    """Return the number stated by a short answer.

    The first, unless it opens a sum in the same clause: then the number after the last equals sign,
    so that ``2 * 9 = $18 a day`` means 18 and ``18 (from 2 * 9 = 18)`` its first.

    >>> read_number("3 + 4 = 7 eggs, as 4 is 3 + 1").value
    7
    """
    first, ready, end = _first_number(text.strip())
    if first is None or "=" not in ready:
        return first
    return _result_of_sum(ready, end) or first


def _first_number(text: str) -> tuple[Number | None, str, int]:
    """The first number, the text in plain signs, and where in it the number ends."""
    if text.isdecimal() and text.isascii() and len(text) <= _MAX_DIGITS:
        return Number(text, int(text)), text, len(text)
    ready = _normalise_single(to_plain_signs(text))
    for number, end in _scan(ready):
        if number.value is not None:
            return number, ready, end
    return None, ready, 0


def _normalise_single(text: str) -> str:
    """A text that is nothing but one number loses its doubts: ``3,14`` and ``12 500``."""
    if " " in text and _SPACED_ALONE.fullmatch(text):
        return _SPACED.sub("", text)
    return text.replace(",", ".") if "," in text and _COMMA_ALONE.fullmatch(text) else text


def _result_of_sum(text: str, start: int) -> Number | None:
    """Return the number after the last equals sign of the clause that continues at ``start``."""
    stop = _CLAUSE_END.search(text, start)
    clause = text[start : stop.start() if stop else len(text)]
    head, equals, tail = clause.rpartition("=")
    if not equals or head.count("(") > head.count(")"):
        return None
    return next((number for number, _ in _scan(tail) if number.value is not None), None)


def format_number(value: float) -> str:
    """A figure as arithmetic prints it: whole numbers whole, else up to 12 significant digits.

    >>> format_number(0.95 - 0.35 * 0.8), format_number(1e6), format_number(7)
    ('0.67', '1000000', '7')
    """
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):  # noqa: PLR2004  float64 holds these digits
        return str(int(value))
    return format(value, ".12g")


def _scan(text: str) -> Iterator[tuple[Number, int]]:
    """The numbers of a plain text, each with the place where it ends."""
    for match in _CORE.finditer(text):
        yield _number(match, text), match.end()


def _number(match: re.Match[str], text: str) -> Number:
    """Convert one match of the grammar, with its preceding signs."""
    start, end = match.span()
    before = text[start - 1] if start else ""
    sign, dot = 1, False
    if before and (before not in _PLAIN_BEFORE or text[start - 2] in _CURRENCY):
        dot = before == "." and not _ends_word(text, start - 1)
        sign, start = _sign(text, start - dot)
    if not sign or text[end : end + 1] in _IRRATIONAL:
        return Number(text[start:end], None, parts=_parts(match[0]))
    if match.lastindex == 1 and not dot and end - start <= _MAX_DIGITS and match[0].isdecimal():
        return Number(text[start:end], sign * int(match[0]))
    value, share = _value(match, sign, dot=dot)
    is_split = value is None or match["under"] or match["over"] or match["indian"]
    return Number(text[start:end], value, share, _parts(match[0]) if is_split else ())


def _ends_word(text: str, end: int) -> bool:
    return end > 0 and (text[end - 1].isalnum() or text[end - 1] in _NO_SIGN_AFTER)


def _sign(text: str, start: int) -> tuple[int, int]:
    """The sign before a number and where the number begins; 0 where it belongs to a name."""
    at = start
    if at > 1 and text[at - 1] in " \u00a0" and text[at - 2] in _CURRENCY:
        at -= 1
    if at and text[at - 1] in _CURRENCY:
        at -= 1
    before = text[at - 1] if at else ""
    if before and before in "+-":
        if not _ends_word(text, at - 1):
            return (-1 if before == "-" else 1), at - 1
        goes_on = at == start and len(word := text[max(at - 3, 0) : at - 1]) > 1 and word.isalpha()
        return (0 if goes_on else 1), at
    if at == start and _is_in_name(text, at, before):
        return 0, at
    return 1, at


def _is_in_name(text: str, at: int, before: str) -> bool:
    """True if the digits continue a word (``x1``), an index (``_{12}``) or an exponent (``^2``)."""
    if before == "{":
        return text[max(at - 2, 0) : at - 1] in _INDEX
    if before.isalpha():
        return not text.endswith(_CODES, 0, at)
    return before in _INDEX


def _parts(text: str) -> tuple[float, ...]:
    return tuple(
        float(digits) if "." in digits else int(digits)
        for digits in _DIGITS.findall(text)
        if len(digits) <= _MAX_DIGITS
    )


def _value(match: re.Match[str], sign: int, *, dot: bool) -> tuple[float | None, float | None]:
    """The value of a match and, where a percent sign follows, its share of one."""
    mantissa = _mantissa(match, dot=dot)
    if len(mantissa) > _MAX_DIGITS or not _is_a_number(match["odd"]):
        return None, None
    try:
        value = sign * _calculate(match, int(mantissa) if mantissa.isdecimal() else float(mantissa))
        if not math.isfinite(value):
            return None, None
    except (ArithmeticError, ValueError):
        return None, None
    if not match["percent"]:
        return value, None
    simple = not match["exponent"] and match.end("percent") - len(match["percent"]) == match.end(
        "decimals" if match["decimals"] else "body"
    )
    return value, sign * float(f"{mantissa}e-2") if simple else value / 100


def _mantissa(match: re.Match[str], *, dot: bool) -> str:
    """The digits of a match as Python writes them."""
    body = match["body"]
    if match["european"] or match["comma"]:
        body = body.replace(".", "").replace("\u00a0", "").replace(",", ".")
    elif match["dotted"]:
        body = body.replace(".", "")
    elif match["grouped"] or match["indian"]:
        body = body.translate(_THOUSANDS)
    exponent = match["exponent"] or (f"e{match['ten']}" if match["ten"] else "")
    return f"{'0.' if dot else ''}{body}{match['decimals'] or ''}{exponent}"


def _is_a_number(odd: str | None) -> bool:
    """True if it is a number despite a colon or dots: only the full hour is, 2:00 being 2."""
    return odd is None or (odd.count(":") > 0 and not odd.strip(":0"))


def _calculate(match: re.Match[str], value: float) -> float:
    """The value with its power, its fraction or the fraction after it."""
    if match["power"]:
        power = int(match["power"])
        return (
            value**power
            if 0 <= power <= _MAX_POWER and value <= _MAX_POWER
            else float(value) ** power
        )
    if match["under"]:
        return (
            value / float(match["under"]) if "." in match["under"] else value / int(match["under"])
        )
    if match["over"] and int(match["over"]) < int(match["below"]):
        return value + int(match["over"]) / int(match["below"])
    return value

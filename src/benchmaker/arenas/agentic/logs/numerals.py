"""Numbers written as texts: plain decimal numbers are read, other spellings are explained."""

import re
import unicodedata
from contextlib import suppress
from typing import Final

_WHOLE: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE
)
_CURRENCY: Final = " \u00a0$€£¥"
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:[,'_ \u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?")
_UNDERSCORED: Final = re.compile(r"[0-9]+(?:_[0-9]+)+(?:\.[0-9]+)?")
_WITH_COMMA: Final = re.compile(r"[0-9]+,[0-9]+")
_MOST: Final = 40


def number_in(text: str) -> int | float | None:
    """Return the number in a text: ASCII digits without separators; None for others.

    >>> number_in(" 7 "), number_in("1.5e3"), number_in("1_000"), number_in("26,000")
    (7, 1500.0, None, None)
    """
    bare = text.strip()
    if _WHOLE.fullmatch(bare):
        with suppress(ValueError):  # more digits than int reads
            return int(bare)
    return float(bare) if _DECIMAL.fullmatch(bare) else None


def rewritten(text: str) -> str:
    """Return the plain form of a number with separators, currency or other digits; else empty.

    >>> rewritten("26,000"), rewritten("$0.2"), rewritten("0,3"), rewritten("many")
    ('26000 without separators', '0.2', '0.3', '')
    """
    if len(text) > _MOST or number_in(text) is not None:
        return ""
    bare = "".join(map(_ascii, text.strip(_CURRENCY)))
    if _GROUPED.fullmatch(bare) or _UNDERSCORED.fullmatch(bare):
        return f"{re.sub(r'[^0-9.]', '', bare)} without separators"
    if _WITH_COMMA.fullmatch(bare):
        return bare.replace(",", ".")
    return bare if number_in(bare) is not None else ""


def _ascii(sign: str) -> str:
    """A digit of any script as an ASCII digit."""
    return str(unicodedata.decimal(sign, sign))

# ruff: noqa: RUF001  the letters of other scripts
"""Numbers that are written in words, and scale words after figures, spelled out in figures."""

import re

from benchmaker.scoring.extract.cues import Cue, CueGroup
from benchmaker.scoring.extract.phrases import ARROW

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen":
    14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty":
    20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_LARGE = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_UNIT = "|".join(name for name, value in _SMALL.items())
_WORD = rf"(?:{_UNIT}|{'|'.join(_LARGE)})"
_ENGLISH = Cue(
    (
        rf"\b(?:(?P<a>an?)[ ](?=(?:hundred|thousand|million|billion|trillion)\b))?(?:{_WORD})"
        rf"(?:(?:[ -]|,?[ ]and[ ]|,[ ])(?:{_WORD})\b)*(?!\w)"
    ),
    (
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twel",
        "teen",
        "twent",
        "thirt",
        "fort",
        "fourt",
        "fift",
        "zero",
        "eight",
        "hundred",
        "thousand",
        "illion",
        "half",
        "halves",
        "third",
        "quarter",
        "dozen",
    ),
)
_NINE = frozenset(name for name, value in _SMALL.items() if value <= 10 and name != "zero")  # noqa: PLR2004
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "hundredth": 100,
}  # fmt: skip
_FRACTION = Cue(
    (
        rf"\b(?:(?P<whole>\d+|{_UNIT})[ ]and[ ])?(?P<over>an?|\d+|{_UNIT})[ -](?P<below>half"
        rf"|halves|thirds?|quarters?|fourths?"
        r"|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|twelfths?|hundredths?)\b"
    ),
    (
        "hal",
        "third",
        "quarter",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "twelfth",
        "hundredth",
    ),
)
_POINT = Cue(
    rf"\b(?P<head>{_UNIT}|\d+)[ ]point(?P<tail>(?:[ ](?:{_UNIT}))+)\b",
    (" point",),
)
_DOZEN = Cue(
    rf"\b(?P<n>an?|\d+|{_UNIT})?[ ]?dozen\b",
    ("dozen",),
)
_MINUS = Cue(
    r"\b(?:minus|negative|moins|menos|meno)[ ](?=[\d.$€£])",
    ("minus", "negative", "moins", "meno"),
)
_SCALES = {
    "thousand": 3, "million": 6, "millions": 6, "billion": 9, "billions": 9, "trillion": 12,
    "trillions": 12, "thousands": 3, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7, "mn": 6,
    "bn": 9, "mio": 6, "mrd": 9, "tausend": 3, "millionen": 6, "milliarde": 9, "milliarden": 9,
    "mille": 3, "milliard": 9, "milliards": 9, "mil": 3, "millón": 6, "millones": 6, "milione":
    6, "milioni": 6, "miliardi": 9, "miliardo": 9, "milhão": 6, "milhões": 6, "bilhão": 9,
    "bilhões": 9, "miljoen": 6, "miljard": 9, "тысяч": 3, "тысячи": 3, "миллион": 6, "миллиона":
    6, "миллионов": 6, "миллиард": 9, "миллиарда": 9, "миллиардов": 9, "hundred": 2, "ألف": 3,
    "مليون": 6,
}  # fmt: skip
_SCALED = re.compile(
    r"(?P<n>\d(?<![\d.,'_]\d)[\d,'_\u00a0]*+(?:[.]\d++)?)(?:[ \u00a0-]?"
    rf"(?=[{''.join(sorted({word[0] for word in _SCALES}))}])"
    rf"(?P<word>{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b\.?"
    r"|(?P<letter>[kKMB])(?![\w/])|(?P<cjk>[万萬億亿千百]))",
    re.IGNORECASE,
)
_LETTERS = {"k": 3, "m": 6, "b": 9}
_CJK_SCALES = {"百": 2, "千": 3, "万": 4, "萬": 4, "億": 8, "亿": 8}
_CJK_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_CJK_RUN = re.compile("[零〇一二两兩三四五六七八九十百千万萬億亿]+")
_CJK_BEFORE = re.compile(r"([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0600-\u065f])(?=[-+]?\d)")
_SPACED_ALONE = re.compile(r"\D*\d{1,3}(?:[ ]\d{3})+(?:[.,]\d+)?\D*")
_SPACED = re.compile(r"(?<=\d)[ ](?=\d)")
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin"
    r"|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio"
    r"|julio|agosto|septiembre|octubre|noviembre|diciembre)\b"
)
_DATED = Cue(
    (rf"({_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?(?=\s+\d{{4}}\b)|\b\d{{1,2}}(?:st|nd|rd|th"
        rf"|\.)?\s+(?:of\s+|de\s+)?(?={_MONTHS}\.?,?\s+(?:de\s+)?\d{{4}}\b)"),
    (
        "jan", "feb", "fév", "mar", "mär", "apr", "avr", "abr", "may", "mai", "jun", "jui", "jul",
        "aug", "aoû", "ago", "sep", "oct", "okt", "nov", "dec", "dez", "déc", "dic", "ener",
    ),
)  # fmt: skip
_COMMA = re.compile(r"(?<![\d,.\[(])(\d+),(\d{1,2})(?![\d]|,\d|[\])])")
_OTHERS = {
    "null": 0, "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7,
    "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "deux": 2, "trois": 3, "quatre":
    4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "onze": 11, "douze": 12, "quinze":
    15, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "cent": 100,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
    "once": 11, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40,
    "cincuenta": 50, "sesenta": 60, "cien": 100,
}  # fmt: skip
_GERMAN_TENS = {
    "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
    "achtzig": 80, "neunzig": 90,
}  # fmt: skip
_GERMAN = Cue(
    (
        rf"\b(?:(?P<hundreds>ein|zwei|drei|vier|fünf|sechs|sieben|acht"
        rf"|neun)?hundert(?:und)?)?(?:(?P<unit>ein|zwei|drei|vier|fünf|sechs|sieben|acht"
        rf"|neun)und)?(?P<tens>{'|'.join(_GERMAN_TENS)})\b"
    ),
    ("zig", "ßig"),
)
_ROMANCE = Cue(
    (
        r"\b(?P<tens>vingt|trente|quarante|cinquante|soixante|treinta|cuarenta|cincuenta|sesenta"
        r"|setenta|ochenta|noventa)"
        r"(?:-|[ ](?:y|et)[ ]|[ ])(?P<unit>un|deux|trois|quatre|cinq|six|sept|huit|neuf|uno|dos"
        r"|tres|cuatro|cinco|seis|siete|ocho|nueve)\b"
    ),
    (
        "vingt",
        "trent",
        "quarant",
        "cinqu",
        "cincu",
        "soix",
        "treint",
        "cuarent",
        "sesent",
        "setent",
        "ochent",
        "novent",
    ),
)
_ROMANCE_TENS = {
    "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "treinta": 30,
    "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90,
}  # fmt: skip
_ONES = {"un": 1, "uno": 1, "six": 6, "seis": 6, **_OTHERS}


def to_figures(text: str, *, small: bool = False) -> str:
    """Return a text in plain signs with number words and scale words as digits.

    ``small`` includes the words up to ten, which are otherwise converted only at the end of a
    sentence as its result: "14 - 6 → eight".

    >>> to_figures("forty-two of 1.5 million, minus 5")
    '42 of 1500000, -5'
    """
    text = _without_separators(text)
    if not text.isascii() or _WORDS.may_hold(text):
        text = _spell_words(text, small=small)
    text = _SCALED.sub(_scaled_to_figures, text)
    if small:
        text = _OTHER_WORD.sub(lambda it: str(_OTHERS[it[0].lower()]), text)
    return _MINUS.sub("-", text)


def _spell_words(text: str, *, small: bool) -> str:
    """The text with number words in figures; scale words after figures stay."""
    text = _STATED.sub(_word_to_figure, text)
    if not text.isascii():
        text = _CJK_BEFORE.sub(r"\1 ", text)
        text = _CJK_RUN.sub(_cjk_to_figures, text)
    text = _GERMAN.sub(_german_to_figures, text)
    text = _ROMANCE.sub(_romance_to_figures, text)
    if _ENGLISH.may_hold(text):
        text = _AND_A_HALF.sub(lambda it: f"{_digits(it[1])}.5 ", text)
        text = _POINT.sub(_decimal_to_figures, text)
        text = _FRACTION.sub(lambda it: _fraction(it, small=small), text)
        text = _ENGLISH.sub(lambda it: _words_to_figures(it, small=small), text)
        text = _DOZEN.sub(_dozen, text)
    return text


def _without_separators(text: str) -> str:
    """A number alone without spaces in it, decimal commas as points, dates as years."""
    if " " in text and _SPACED_ALONE.fullmatch(text):
        text = _SPACED.sub("", text)
    if "," in text:
        text = _COMMA.sub(r"\1.\2", text)
    return _DATED.sub(r"\1", text) if _DATED.may_hold(text) and _YEAR.search(text) else text


_YEAR = re.compile(r"\d{4}")
_AND_A_HALF = Cue(
    rf"\b(\d+|{_UNIT}) and a half (?=(?:{'|'.join(_LARGE)})\b)",
    ("and a half",),
)
_OTHER_WORD = Cue(rf"\b(?:{'|'.join(_OTHERS)})\b", tuple(_OTHERS))
_SMALL_WORDS = {name: _SMALL[name] for name in ("zero", *sorted(_NINE))} | {
    name: value for name, value in _OTHERS.items() if name not in {"cent", "null", "once"}
}
_COUNT = (
    rf"(?:{'|'.join(_SMALL_WORDS)})\b(?![ -](?:{'|'.join(_PARTS)}|thirds|hundred|thousand|million"
    r"|billion|point|of|more|less|fewer|or|to|and)\b)"
)
"""A small number word that is a number by itself: not the one of "one half" or "one of them"."""
_STATED = Cue(
    (
        rf"(?P<arrow>(?:{ARROW}|[=≈≃])[\s*_$€£]*)(?P<result>{_COUNT})"
        r"|(?P<verb>\b(?:is|are|leaves?|gives?|makes?|equals?|ist|sind|ergibt|font|es|son)[\s*_]+)"
        rf"(?P<last>{_COUNT})(?=(?:[ ][^\W\d]+)?[\s*_]*[.!]*\Z)"
        rf"|\b(?P<rest>{_COUNT})(?=(?:[ ][^\W\d]+)?"
        r"[ ](?:(?:are|is|were|was)[ ](?:left|over|remaining)|remain(?:s|ed)?)\b[\s*_]*[.!]*\Z)"
    ),
    tuple(_SMALL_WORDS),
)
_WORDS = CueGroup(_STATED, _GERMAN, _ROMANCE, _ENGLISH)


def _word_to_figure(found: re.Match[str]) -> str:
    """Convert a small number word used as a result: after an arrow, or as a remainder."""
    word = found["result"] or found["last"] or found["rest"]
    return f"{found['arrow'] or found['verb'] or ''}{_SMALL_WORDS[word.lower()]}"


def _romance_to_figures(found: re.Match[str]) -> str:
    return str(_ROMANCE_TENS[found["tens"].lower()] + _ONES[found["unit"].lower()])


def _words_to_figures(found: re.Match[str], *, small: bool) -> str:
    words = re.split(r"[ ,-]+", found[0].lower())
    if len(words) == 1 and (words[0] in _NINE or words[0] == "zero") and not small:
        return found[0]
    if all(word in _LARGE for word in words) and not small:
        return found[0]
    value = _value(words)
    return found[0] if value is None else str(value)


def _value(words: list[str]) -> int | None:
    """The value of number words; None where they are no one number, as in "two three"."""
    total, part, last = 0, 0, 0
    for word in words:
        if word in {"and", "a", "an"}:
            continue
        if word == "hundred":
            part = max(part, 1) * 100
        elif word in _LARGE:
            total, part = total + max(part, 1) * _LARGE[word], 0
        else:
            value = _SMALL[word]
            if part % 100 and not (part % 100 >= 20 and part % 10 == 0 and 0 < value < 10):  # noqa: PLR2004  tens before ones
                return None
            part += value
        last = part
    return total + part if words and last >= 0 else None


def _fraction(found: re.Match[str], *, small: bool) -> str:
    """The fraction in figures; one that may be an ordinal or a part of something stays in words."""
    is_part = found.string.startswith(" of ", found.end())
    is_plain = "-" in found[0] or found["whole"] or found["below"].endswith("s")
    if not small and (is_part or not is_plain):
        return found[0]
    below = _PARTS.get(found["below"].lower(), 0) or _PARTS[found["below"].lower().rstrip("s")]
    over, whole = _digits(found["over"]), found["whole"]
    return f"{_digits(whole)} {over}/{below}" if whole else f"{over}/{below}"


def _digits(word: str) -> str:
    lower = word.lower()
    return "1" if lower in {"a", "an"} else str(_SMALL[lower]) if lower in _SMALL else word


def _decimal_to_figures(found: re.Match[str]) -> str:
    tail = "".join(_digits(word) for word in found["tail"].split())
    return f"{_digits(found['head'])}.{tail}"


def _dozen(found: re.Match[str]) -> str:
    return str(12 * int(_digits(found["n"] or "a")))


def _scaled_to_figures(found: re.Match[str]) -> str:
    digits = found["n"]
    if re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    digits = re.sub(r"[,'_\u00a0]", "", digits)
    if found["word"]:
        power = _SCALES[found["word"].lower()]
    elif found["letter"]:
        if found["letter"] == "b" or (found["letter"] == "m"):
            return found[0]
        power = _LETTERS[found["letter"].lower()]
    else:
        power = _CJK_SCALES[found["cjk"]]
    head, _, tail = digits.partition(".")
    value = int(head + tail.ljust(power, "0")[:power]) if len(tail) <= power else None
    return found[0] if value is None else str(value)


def _cjk_to_figures(found: re.Match[str]) -> str:
    run = found[0]
    if run in _CJK_SCALES or (
        len(run) == 1 and found.string[found.start() - 1 : found.start()].isdigit()
    ):
        return run
    if run in {"一", "千", "万", "百"}:
        return run
    total, section, digit = 0, 0, 0
    for sign in run:
        if sign in _CJK_DIGITS:
            digit = _CJK_DIGITS[sign]
        elif sign in "十百千":
            section += max(digit, 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
        else:
            total, section, digit = total + (section + digit) * 10 ** _CJK_SCALES[sign], 0, 0
    return str(total + section + digit)


def _german_to_figures(found: re.Match[str]) -> str:
    hundreds = 0
    if "hundert" in found[0].lower():
        hundreds = 100 * ({"ein": 1} | _OTHERS).get((found["hundreds"] or "ein").lower(), 1)
    unit = ({"ein": 1} | _OTHERS)[found["unit"].lower()] if found["unit"] else 0
    return str(hundreds + unit + _GERMAN_TENS[found["tens"].lower()])

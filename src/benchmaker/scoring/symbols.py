# ruff: noqa: RUF001  the marks themselves
r"""Numbers in LaTeX and Unicode, spelled out in the plain signs that the number grammar reads.

``\frac{3}{4}`` becomes ``3/4``, ``2½`` ``2 1/2``, ``10⁶`` ``10^6``, ``−3`` ``-3``, ``\$18``
``$18``, ``1{,}234`` ``1,234``; digits of other scripts become ours. A factor sign becomes ``×``,
a narrow or LaTeX space a no-break space, which may stand between thousands.
"""

import re

_FOLD = {
    **{ord(mark): "-" for mark in "\u2212\u2013\u2010\u2011\ufe63\uff0d"},
    **{ord(mark): "\u00a0" for mark in "\u2007\u2009\u202f"},
    **{ord(mark): "×" for mark in "·⋅∙✕✖∗＊"},
    **{ord(mark): "/" for mark in "\u2044\u2215\uff0f"},
    **{zero + digit: str(digit) for zero in (0xFF10, 0x660, 0x6F0, 0x966) for digit in range(10)},
    **{ord(old): new for old, new in zip("％＋，．’＄：٫٬", "%+,.'$:.,", strict=True)},
}
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8",
    "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_VULGAR_SIGN = re.compile(f"[{''.join(_VULGAR)}]")
_VULGAR_RUN = re.compile(rf"([0-9])?(\u00a0| )?([{''.join(_VULGAR)}])")
_SUPERSCRIPT_RUN = re.compile("[⁰¹²³⁴-⁹⁻⁺]+")

_ARGUMENT = r"(?:\{[ ]?(-?[0-9][0-9.,]*)[ ]?\}|([0-9]))"
_LATEX_FRACTION = re.compile(rf"(?:([0-9])[ ]?)?\\[dtc]?frac[ ]?{_ARGUMENT}[ ]?{_ARGUMENT}")
_LATEX_GROUP = re.compile(r"\^[ ]?\{[ ]?([-+]?[0-9]{1,9})[ ]?\}")
_LATEX_MARK = re.compile(
    r"\\(?:([%$#&_])|([,;:! ])|(times|cdot|ast)(?![a-z])|(pi|sqrt)(?![a-z])"
    r"|(?:text|mathrm|mathbf|textbf|boldsymbol|mbox|operatorname)\{([^{}\\]{0,200})\}"
    r"|(?:left|right)(?![a-z])|([()\[\]]))"
)


def to_plain_signs(text: str) -> str:
    r"""The text with LaTeX and Unicode ways of writing numbers spelled out in plain signs.

    >>> to_plain_signs("−2½ or \\frac{3}{4}")
    '-2 1/2 or 3/4'
    """
    if not text.isascii():
        text = text.translate(_FOLD)
        if _VULGAR_SIGN.search(text):
            text = _VULGAR_RUN.sub(_spell_vulgar, text)
        text = _SUPERSCRIPT_RUN.sub(lambda run: "^" + run[0].translate(_SUPERSCRIPT), text)
    if "\\" in text:
        if "frac" in text:
            text = _LATEX_FRACTION.sub(_spell_fraction, text)
        text = _LATEX_MARK.sub(_spell_mark, text)
    if "{,}" in text:
        text = text.replace("{,}", ",")
    return _LATEX_GROUP.sub(r"^\1", text) if "^" in text and "{" in text else text


def _spell_vulgar(match: re.Match[str]) -> str:
    lead, gap, sign = match.groups()
    return f"{lead} {_VULGAR[sign]}" if lead else f"{gap or ''}{_VULGAR[sign]}"


def _spell_fraction(match: re.Match[str]) -> str:
    lead, over, over_digit, below, below_digit = match.groups()
    fraction = f"{over or over_digit}/{below or below_digit}"
    return f"{lead} {fraction}" if lead else fraction


def _spell_mark(match: re.Match[str]) -> str:
    sign, space, times, name, inner, bracket = match.groups()
    if space:
        return "" if space == "!" else "\u00a0"
    if name:
        return "π" if name == "pi" else "√"
    return sign or inner or ("×" if times else " " if bracket else "")

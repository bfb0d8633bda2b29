"""Word boundaries, and the search for whole words.

There is a boundary between two characters unless both belong to one word: letters, digits, marks
and the underscore join. So do digits around a point or comma, so that 5 is not found in 3.5.
Scripts that are written without spaces have a boundary at every character. Source: Unicode Standard
Annex 29, rules WB4 to WB13b, except that an apostrophe ends a word (Paris is found in "Paris's").
"""

import re
import unicodedata

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u309f\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def contains_words(text: str, part: str) -> bool:
    """True if ``text`` contains ``part`` with a word boundary at each end.

    >>> contains_words("none of the three", "no"), contains_words("no, thanks", "no")
    (False, True)
    """
    if not part:
        return False
    start = text.find(part)
    while start >= 0:
        if is_boundary(text, start) and is_boundary(text, start + len(part)):
            return True
        start = text.find(part, start + 1)
    return False


def is_boundary(text: str, at: int) -> bool:
    """True if there is a word boundary before the character ``at``, or at the ends of the text."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if _joins(before) and _joins(after):
        return bool(_UNSPACED.match(before) or _UNSPACED.match(after))
    if before in ".,":
        return not (after.isdigit() and at > 1 and text[at - 2].isdigit())
    if after in ".,":
        return not (before.isdigit() and text[at + 1 : at + 2].isdigit())
    return True


def _joins(character: str) -> bool:
    """True if it is part of a word."""
    if character.isalnum() or character == "_":
        return True
    return character > "\u02ff" and unicodedata.category(character)[0] == "M"

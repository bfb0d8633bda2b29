"""Characters that a reader does not see and a model may obey.

Zero-width characters, direction marks, tags, fillers and private variation selectors. Joiners
between letters outside ASCII, as Persian, Indic scripts and emoji need them, are left alone, and
so are the selectors of emoji.
"""

import re
from collections.abc import Iterator

_JOINERS = "\u200c\u200d"
_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\U0001d173-\U0001d17a"
)
_SIGNS = re.compile(f"[{_HIDDEN}]|(?<![^\x00-\x7f])[{_JOINERS}]|[{_JOINERS}](?![^\x00-\x7f])")
_ANY = re.compile(f"[{_HIDDEN}{_JOINERS}]+")


def find_invisible(text: str) -> Iterator[re.Match[str]]:
    """Find invisible characters."""
    return iter(()) if text.isascii() else _SIGNS.finditer(text)


def show_invisible(text: str) -> tuple[str, int]:
    r"""Return the text with each invisible character written out, and their number.

    >>> show_invisible("Par\u200bis")
    ('Par⟨U+200B⟩is', 1)
    """
    if text.isascii():
        return text, 0
    return _SIGNS.subn(lambda sign: f"⟨U+{ord(sign[0]):04X}⟩", text)


def without_invisible(text: str) -> str:
    """The text without any of them, joiners included."""
    return _ANY.sub("", text)

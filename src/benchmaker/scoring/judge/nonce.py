# ruff: noqa: RUF001  the signs that look like markers
"""Answers as data: between markers that nobody else can forge.

A marker contains the nonce of its call, so that no earlier text can contain one. Look-alikes are
still replaced, to avoid confusing the judge, and invisible characters are written out.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmaker.scoring.judge.invisible import show_invisible

LABELS = ("QUESTION", "CONTEXT", "REFERENCE", "ANSWER", "ANSWER A", "ANSWER B", "REPORT")
"""The labels that markers may have."""

LIMIT = 60_000
"""Default number of characters of a text shown to a judge."""

_REPLACEMENT = "[marker removed]"
LOOK_ALIKE = re.compile(
    r"[<＜‹«〈《]{2,12}[ \t]{0,8}/?[ \t]{0,8}(?:(?:END|BEGIN|START)[ \t_]{1,8}(?:OF[ \t_]{1,8})?)?"
    r"(?:QUESTION|CONTEXT|REFERENCE|ANSWER|REPORT|RESPONSE|OUTPUT|SUBMISSION)\b[^<>＜＞\n]{0,80}[>＞›»〉》]{2,12}",
    re.IGNORECASE,
)
"""Strings that look like a marker."""


@dataclass(frozen=True, slots=True)
class FencedText:
    """A text between its markers.

    ``text`` is the whole, ``inner`` the content between the markers. The counts cover its changes:
    look-alike markers replaced, invisible characters written out, characters removed from the
    middle for length.
    """

    text: str
    inner: str
    markers_replaced: int = 0
    invisible_shown: int = 0
    left_out: int = 0

    def notes(self, name: str) -> tuple[str, ...]:
        """Return the changes in words, each prefixed with the name."""
        done = {
            "look-alike markers replaced": self.markers_replaced,
            "invisible characters written out": self.invisible_shown,
            "characters left out": self.left_out,
        }
        return tuple(f"{name}: {count:,} {what}" for what, count in done.items() if count)


def fresh_nonce(generator: Random | None = None, *, avoid: Sequence[str] = ()) -> str:
    """Return 16 hexadecimal digits that occur in none of the texts.

    The source is the system's randomness, or the generator if given.

    >>> len(fresh_nonce())
    16
    """
    while True:
        bits = generator.getrandbits(64) if generator else secrets.randbits(64)
        nonce = f"{bits:016x}"
        if not any(nonce in text for text in avoid):
            return nonce


def fence(text: str, nonce: str, *, label: str = "ANSWER", limit: int = LIMIT) -> FencedText:
    """Return the text between markers with the nonce, with look-alike markers replaced.

    A text longer than ``limit`` characters is cut to its first part (two thirds of the limit) and
    its last (one third), with the number of missing characters in between.

    Raises:
        ValueError: the text contains the nonce, which is then not secret, or the limit is not above
            0.

    >>> print(fence("Paris", "5f0c").text)
    <<<ANSWER 5f0c>>>
    Paris
    <<<END ANSWER 5f0c>>>
    """
    if limit <= 0:
        raise ValueError(f"a limit is above 0, not {limit}")
    if nonce in text:
        raise ValueError("the text holds the nonce; take a fresh one")
    shown, left_out = _shorten(text, limit)
    shown, invisible = show_invisible(shown)
    shown, markers = LOOK_ALIKE.subn(_REPLACEMENT, shown)
    whole = f"<<<{label} {nonce}>>>\n{shown}\n<<<END {label} {nonce}>>>"
    return FencedText(whole, shown, markers, invisible, left_out)


def _shorten(text: str, limit: int) -> tuple[str, int]:
    left_out = len(text) - limit
    if left_out <= 0:
        return text, 0
    head = limit - limit // 3
    tail = text[len(text) - limit // 3 :]
    return f"{text[:head]}\n[{left_out:,} characters left out here]\n{tail}", left_out

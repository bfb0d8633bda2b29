"""The result of a criterion, with its evidence."""

from dataclasses import dataclass
from typing import Literal

State = Literal["pass", "fail", "error", "skipped"]
EVIDENCE_CHARACTERS = 2000
"""Number of characters kept from the end of a text as evidence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A state and its evidence: ``error_with`` is caused by infrastructure and never a failure."""

    state: State
    evidence: str = ""

    @classmethod
    def of(cls, *, is_met: bool, evidence: str) -> "Finding":
        """Pass or fail."""
        return cls("pass" if is_met else "fail", evidence)


def fail_with(evidence: str) -> Finding:
    """Return a failure: the submission does not meet the criterion."""
    return Finding("fail", evidence)


def pass_with(evidence: str) -> Finding:
    """Return a pass: the submission meets the criterion."""
    return Finding("pass", evidence)


def error_with(evidence: str) -> Finding:
    """Return an error: not decidable, for reasons outside the submission."""
    return Finding("error", evidence)


def skip_with(evidence: str) -> Finding:
    """Return a skip: nobody has reviewed it yet."""
    return Finding("skipped", evidence)


def tail(text: str | bytes, characters: int = EVIDENCE_CHARACTERS) -> str:
    r"""Return the end of an untrusted text, without terminal control characters.

    >>> tail("abc\x1b[2J", 5)
    '…\\x1b[2J'
    """
    given = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    given = given.strip()
    kept = given if len(given) <= characters else given[1 - characters :].lstrip()
    shown = "".join(map(_make_printable, kept))
    return shown if len(given) <= characters else f"…{shown}"


def clip(text: str, characters: int = EVIDENCE_CHARACTERS) -> str:
    """Return the beginning and the end of an untrusted text, without the middle."""
    plain = tail(text, max(len(text), 1))
    half = characters // 2
    return plain if len(plain) <= characters else f"{plain[:half]}\n…\n{plain[-half + 3 :]}"


def one_line(text: str | bytes, characters: int = 200) -> str:
    """The beginning of a text on one line."""
    given = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    flat = "".join(map(_make_printable, " ".join(given[: characters * 4].split())))
    return flat if len(flat) <= characters else flat[: characters - 1] + "…"


def _make_printable(sign: str) -> str:
    return sign if sign.isprintable() or sign in "\n\t" else ascii(sign)[1:-1]


def join_some(names: list[str], most: int = 8) -> str:
    """Return some names, and the number of others.

    >>> join_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = ", ".join(one_line(name, 120) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"

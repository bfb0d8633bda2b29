"""Checks a judge's citations of the report against the report."""

import re
from contextlib import suppress
from typing import NamedTuple

from benchmaker.scoring.code.evidence import Evidence

_CITED = re.compile(r"\[\s{0,3}([a-z_][a-z0-9_.]{0,80})\s{0,3}[=:]\s{0,3}([^\]\n]{1,300})\]")
_MOST = 50
_MARKS = " \t\"'`“”‘’…."  # noqa: RUF001  quotation marks as judges write them


class CitedFact(NamedTuple):
    """A fact cited by a judge; ``actual`` is the report's value, None if the key is missing."""

    key: str
    said: str
    actual: str | None

    @property
    def holds(self) -> bool:
        """True if the report agrees."""
        return self.actual is not None and _same(self.said, self.actual)


class CitedFacts(NamedTuple):
    """The facts cited: those that hold, those that contradict the report, those not in it."""

    held: tuple[CitedFact, ...]
    contradicting: tuple[CitedFact, ...]
    unknown: tuple[CitedFact, ...]

    @property
    def rests_on_nothing(self) -> bool:
        """True if facts are cited and none of them holds."""
        return bool(self.contradicting or self.unknown) and not self.held

    @property
    def rejected_facts(self) -> tuple[CitedFact, ...]:
        """Those that do not count."""
        return (*self.contradicting, *self.unknown)


def cited_facts(words: str, evidence: Evidence) -> CitedFacts:
    """The citations ``[key=value]`` in a judge's words; the first fifty of them are looked at.

    >>> found = cited_facts("It fits [overflow.375=false], see [click.dead=0].",
    ...                   {"overflow.375": "true", "click.dead": "0"})
    >>> [it.key for it in found.contradicting], [it.key for it in found.held]
    (['overflow.375'], ['click.dead'])
    """
    cited = [
        CitedFact(key.rstrip("."), said.strip(), evidence.get(key.rstrip(".")))
        for key, said in _CITED.findall(words)[:_MOST]
    ]
    cited = list(dict.fromkeys(cited))
    return CitedFacts(
        tuple(it for it in cited if it.holds),
        tuple(it for it in cited if it.actual is not None and not it.holds),
        tuple(it for it in cited if it.actual is None),
    )


def _same(said: str, actual: str) -> bool:
    """True if two values are equal: numbers by value, texts if one is a prefix of the other."""
    a, b = _normalise(said), _normalise(actual)
    with suppress(ValueError):  # words are compared below
        return float(a) == float(b)
    if a in {"true", "false", "unknown"} or b in {"true", "false", "unknown"}:
        return a == b
    return bool(a) and (b.startswith(a) or a.startswith(b))


def _normalise(words: str) -> str:
    plain = " ".join(words.split()).strip(_MARKS).casefold()
    return {"yes": "true", "no": "false", "none": "0", "null": "unknown"}.get(plain, plain)

# ruff: noqa: RUF001  the marks of other scripts
"""The clauses of a sentence that contain the expected text, marked by a slot."""

import re
from dataclasses import dataclass

from benchmaker.scoring.extract.phrases import ARTICLE, TURN
from benchmaker.scoring.extract.slots import SLOT, Shape

QUOTES = " \t\"'“”‘’*_`"
"""Characters allowed around a name in prose: spaces, quotation marks, emphasis."""

CLAUSE = re.compile(
    rf"(?:\s-\s)?{TURN}|;"
    r"|(?<=,)\s*(?=(?:it|that|this|he|she|they|es|das|c['’]est|il|elle)\b)|而是|(?<=ではなく)、?"
    r"|(?<=じゃなく)、?|，"
    r"|,\s*(?=(?:but\s+)?(?:today|now|nowadays|currently|these days|heute|jetzt|heutzutage"
    r"|inzwischen|mittlerweile|aujourd['’]hui|maintenant|hoy|ahora|oggi|adesso|hoje|agora)\b)"
    rf"|\s*[—–]\s*(?=(?:{ARTICLE}\s+)?{SLOT})|、(?=.*です)|；",
    re.IGNORECASE,
)
"""The separator between two clauses."""

_MOST_SLOTS = 6


@dataclass(frozen=True, slots=True)
class ClauseSlot:
    """A slot in a sentence: the sentence, the slot's place, and the clause around it."""

    text: str
    at: int
    start: int
    end: int
    shape: Shape
    is_marked: bool = False

    @property
    def clause_before(self) -> str:
        """The clause before the slot."""
        return self.text[self.start : self.at]

    @property
    def clause_after(self) -> str:
        """The clause behind the slot."""
        return self.text[self.at + 1 : self.end]

    @property
    def text_after_clause(self) -> str:
        """The sentence behind the clause."""
        return self.text[self.end :]


def find_slots(text: str, shape: Shape, *, is_marked: bool) -> list[ClauseSlot]:
    """The slots of a sentence, each with its clause; of very many the first and the last.

    >>> found = find_slots(f"Not {SLOT}, but {SLOT}", Shape.NAME, is_marked=False)
    >>> [it.clause_before for it in found]
    ['Not ', ' ']
    """
    slots = [at for at, it in enumerate(text) if it == SLOT]
    if len(slots) > _MOST_SLOTS:
        slots = [*slots[: _MOST_SLOTS // 2], *slots[-_MOST_SLOTS // 2 :]]
    clauses = [(it.start(), it.end()) for it in CLAUSE.finditer(text)]
    return [
        ClauseSlot(
            text,
            at,
            max((end for _, end in clauses if end <= at), default=0),
            min((start for start, _ in clauses if start >= at), default=len(text)),
            shape,
            is_marked,
        )
        for at in slots
    ]

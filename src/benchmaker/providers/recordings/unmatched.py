"""The note on recorded answers whose ids are not in the suite."""

from collections.abc import Collection, Sequence
from typing import Final

from benchmaker.record.counts import count
from benchmaker.spec.documents.suggestions import did_you_mean

MOST_IDS: Final = 3
"""Maximum number of ids in the note."""

_WORDS: Final = "no case of the suite"


def unmatched_note(number: int, ids: Sequence[str], case_ids: Collection[str]) -> str:
    """Return the note on answers to no case, with some of their ids and the nearest known ones.

    >>> unmatched_note(1, ["refnd"], ["refund", "tax"])
    "1 recorded answer matches no case of the suite: 'refnd'. Did you mean 'refund'?"
    >>> unmatched_note(9, ["x", "y", "z"], ["refund"])
    "9 recorded answers match no case of the suite: for example 'x', 'y', 'z'"
    """
    example = "for example " if number > len(ids) >= MOST_IDS else ""
    named = f"{example}{', '.join(map(repr, ids))}"
    verb = "matches" if number == 1 else "match"
    text = f"{count(number, 'recorded answer')} {verb} {_WORDS}: {named}"
    meant = did_you_mean(ids[0], case_ids) if len(ids) == 1 else ""
    return f"{text}. {meant}" if meant else text


def is_unmatched_note(note: str) -> bool:
    """True for a note of :func:`unmatched_note`."""
    return f" {_WORDS}: " in note

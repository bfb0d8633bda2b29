"""Scores and notes of people on answers."""

import hashlib
from typing import Literal

import msgspec

LabelSource = Literal["random", "targeted", "trap"]
"""The source of a labelled answer: a random draw from all scored answers; a choice for a reason,
such as disagreeing judges; or a planted answer with a known score.
"""

_DIGITS = 12
LONGEST_NOTE = 4_000
"""Maximum number of characters of a note."""


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One person's score of one answer, from 0 to 1; a correction is a further version.

    ``blind_id`` identifies the answer while its author is hidden; it changes with the answer's
    text. ``raw_score`` is the entered score, on ``scale`` (lowest, highest). ``score`` is None if
    the label was withdrawn. For a trap ``case_id`` names the question and ``model`` is
    empty; ``known`` is its known score, None elsewhere. ``submission_id`` names a labelled
    submission of a coding tool. ``created_at`` is UTC, ISO 8601.
    """

    run_id: str
    case_id: str
    blind_id: str
    source: LabelSource
    score: float | None
    model: str = ""
    submission_id: str | None = None
    raw_score: float | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    known: float | None = None
    actor: str = "local"
    version: int = 1
    created_at: str = ""
    note: str = ""

    @property
    def is_withdrawn(self) -> bool:
        """True if the person withdrew it."""
        return self.score is None

    @property
    def missed_by(self) -> float | None:
        """The distance from a trap's known score; None if no score is known."""
        return None if self.score is None or self.known is None else abs(self.score - self.known)

    def says_as(self, other: "Label") -> bool:
        """True if both give the same score to the same answer, regardless of version and time."""
        own, theirs = (
            msgspec.structs.replace(it, version=1, created_at="") for it in (self, other)
        )
        return own == theirs


class TrialNote(msgspec.Struct, frozen=True, kw_only=True):
    """A remark on the answer of one model to one case.

    ``author`` is the name of the person, empty without accounts. ``number`` identifies the note in
    its store; 0 before it is stored. ``created_at`` is UTC, ISO 8601.
    """

    run_id: str
    case_id: str
    model: str
    text: str
    author: str = ""
    created_at: str = ""
    number: int = 0


def blind_id(run_id: str, model: str, case_id: str, text: str) -> str:
    """Return the identifier of an answer with a hidden author; 12 hex digits.

    >>> blind_id("run", "model", "case", "42")
    '62e4765b58e3'
    """
    parts = [part.encode("utf-8", "surrogatepass") for part in (run_id, model, case_id, text)]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()[:_DIGITS]

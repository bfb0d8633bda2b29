"""A person's remark on a trial."""

import msgspec

LONGEST_NOTE = 4_000
"""Maximum number of characters of a note."""


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

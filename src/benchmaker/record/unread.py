"""Figures that could not be read where a table states them, such as a text in a column of numbers.

They are missing. A submission keeps what is wrong with each in its further fields.
"""

from typing import Final

from benchmaker.record.submissions.submission import Submission
from benchmaker.record.submissions.zeros import is_known, zero_reasons

UNREAD: Final = "unread_figures"
"""The further field that says what is wrong with each figure, by its path."""


def missing_reasons(submission: Submission) -> dict[str, str]:
    """Why figures are missing that the log states, by their path: they are 0, or no numbers."""
    return _unread_reasons(submission) | zero_reasons(submission)


def _unread_reasons(submission: Submission) -> dict[str, str]:
    kept = submission.extra.get(UNREAD)
    if not isinstance(kept, dict):
        return {}
    return {path: str(why) for path, why in kept.items() if not is_known(submission, path)}

"""Unreadable figures of a table, such as text in a column of numbers.

They count as missing. A submission keeps the fault of each in its extra fields.
"""

from typing import Final

from benchmaker.record.submissions.one_sided import missing_total
from benchmaker.record.submissions.submission import Submission
from benchmaker.record.submissions.zeros import is_known, zero_reasons

UNREAD: Final = "unread_figures"
"""The additional field with the problem of each figure, by its path."""


def missing_reasons(submission: Submission) -> dict[str, str]:
    """Return the reasons why figures in the log are missing, by path.

    They are zero, no number, or a total of which only some kinds are reported.
    """
    unread = _unread_reasons(submission)
    return missing_total(submission) | unread | zero_reasons(submission)


def _unread_reasons(submission: Submission) -> dict[str, str]:
    kept = submission.extra.get(UNREAD)
    if not isinstance(kept, dict):
        return {}
    return {path: str(why) for path, why in kept.items() if not is_known(submission, path)}

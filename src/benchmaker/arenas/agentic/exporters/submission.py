"""Submissions as we write them: ``{"submissions": [...]}``, which ``import`` reads back."""

from typing import Any

import msgspec

from benchmaker.record.submissions.submission import Submission


def row(submission: Submission) -> dict[str, Any]:
    """The submission as plain data."""
    made: dict[str, Any] = msgspec.to_builtins(submission)
    return made

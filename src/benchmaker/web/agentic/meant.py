"""The submission that an address names: by its row number, or by its id."""

from typing import Annotated

from fastapi import Path

from benchmaker.store.submission_pages import SubmissionRow, submission_row, submission_row_of
from benchmaker.web.faults import Missing
from benchmaker.web.rendering import Crumb
from benchmaker.web.workbench import Workbench

LONGEST_NUMBER = 18

Name = Annotated[str, Path(max_length=300)]
"""A row number or an id, as a part of an address."""

CRUMBS = (Crumb("Agentic", "/agentic"), Crumb("Submissions", "/agentic/submissions"))


def meant(bench: Workbench, name: str) -> SubmissionRow:
    """The newest revision of the submission that is meant.

    Raises:
        Missing: there is none.
    """
    is_number = name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER
    found = submission_row(bench.store.database, int(name)) if is_number else None
    found = found or submission_row_of(bench.store.database, name)
    if found is None:
        raise Missing("there is no such submission.", hint="Find it under Agentic, Submissions.")
    return found


def crumbs_to(bench: Workbench, row: SubmissionRow, last: str = "") -> tuple[Crumb, ...]:
    """The pages above a submission's page, or above one below it."""
    hide = bench.redactor.text
    own = hide(row.submission.id)
    if not last:
        return (*CRUMBS, Crumb(own))
    return (*CRUMBS, Crumb(own, f"/agentic/submissions/{row.number}"), Crumb(last))


def titled(bench: Workbench, row: SubmissionRow) -> str:
    """Who worked on what."""
    it = row.submission
    task = f" on {it.task.id}" if it.task else ""
    return bench.redactor.text(f"{it.system.name}{task}")

"""The submission that an address names: by its row number, or by its id."""

from typing import Annotated

from fastapi import Path

from benchmaker.record.account import Actor
from benchmaker.store.agentic.submission_pages import SubmissionRow
from benchmaker.web.faults import Missing
from benchmaker.web.rendering import Crumb
from benchmaker.web.workbench import Workbench

LONGEST_NUMBER = 18

Name = Annotated[str, Path(max_length=300)]
"""A row number or id as a path parameter."""

CRUMBS = (Crumb("Agentic", "/agentic"), Crumb("Submissions", "/agentic/submissions"))


def evidence_level(row: SubmissionRow) -> str:
    """The level of evidence that counts now."""
    held = row.metrics or row.submission
    return str(held.evidence_level)


def lookup_submission(bench: Workbench, name: str) -> SubmissionRow:
    """Return the latest revision of the named submission.

    A number takes precedence over an id, and that over the id of a row in its own table.

    Raises:
        Missing: unknown submission.
        SpecError: several rows have that id; the message lists their own ids.
    """
    pages = bench.store.submission_pages
    is_number = name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER
    found = pages.row_at(int(name)) if is_number else None
    found = found or pages.row_of(name)
    if found is None and bench.store.agentic.has_row(name):
        found = pages.row_of(bench.store.find_submission(name))
    if found is None:
        raise Missing("there is no such submission.", hint="Find it under Agentic, Submissions.")
    return found


def is_of_team(actor: Actor | None) -> bool:
    """True if the requester is a member of the team, not a visitor of public boards.

    >>> is_of_team(None)
    True
    """
    return actor is None or bool(actor.user_id)


def lookup_submission_for(who: Actor | None, bench: Workbench, name: str) -> SubmissionRow:
    """Return the submission; team members also find those waiting for or rejected by a moderator.

    A row number selects the waiting submission of that row, an id the one that counts, if any.

    Raises:
        Missing: unknown submission.
    """
    is_number = name.isascii() and name.isdecimal() and len(name) <= LONGEST_NUMBER
    try:
        found = lookup_submission(bench, name)
    except Missing:
        found = None
    if is_of_team(who) and (found is None or (is_number and found.number != int(name))):
        rooms = bench.store.agentic
        waiting = rooms.find_pending(number=int(name)) if is_number else rooms.find_pending(name)
        if waiting is not None:
            return SubmissionRow(waiting.step.number, waiting.submission)
    return found or lookup_submission(bench, name)


def crumbs_to(bench: Workbench, row: SubmissionRow, last: str = "") -> tuple[Crumb, ...]:
    """The pages above a submission's page, or above one below it."""
    hide = bench.redactor.text
    own = hide(row.submission.id)
    if not last:
        return (*CRUMBS, Crumb(own))
    return (*CRUMBS, Crumb(own, f"/agentic/submissions/{row.number}"), Crumb(last))


def submission_title(bench: Workbench, row: SubmissionRow) -> str:
    """Return the system and the task of a submission."""
    it = row.submission
    task = f" on {it.task.id}" if it.task else ""
    return bench.redactor.text(f"{it.system.name}{task}")

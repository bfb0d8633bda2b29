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
"""A row number or an id, as a part of an address."""

CRUMBS = (Crumb("Agentic", "/agentic"), Crumb("Submissions", "/agentic/submissions"))


def evidence_level(row: SubmissionRow) -> str:
    """The level of evidence that counts now."""
    held = row.metrics or row.submission
    return str(held.evidence_level)


def lookup_submission(bench: Workbench, name: str) -> SubmissionRow:
    """The newest revision of the submission that is meant.

    A number takes precedence over an id, and that over the id of a row in its own table.

    Raises:
        Missing: there is none.
        SpecError: several are rows of that id; the message lists their own ids.
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
    """True if somebody of the team asks, not anybody who reads public boards.

    >>> is_of_team(None)
    True
    """
    return actor is None or bool(actor.user_id)


def lookup_submission_for(who: Actor | None, bench: Workbench, name: str) -> SubmissionRow:
    """The same; the team also finds what waits for a moderator, or was rejected.

    A row number names what waits as that row, an id what counts where there is any.

    Raises:
        Missing: there is none.
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
    """Who worked on what."""
    it = row.submission
    task = f" on {it.task.id}" if it.task else ""
    return bench.redactor.text(f"{it.system.name}{task}")

"""Submitted logs of coding tools: as a file, or as text in JSON."""

from typing import Annotated, Any

from fastapi import Header
from pydantic import ConfigDict, Field

from benchmaker.arenas.agentic.sessions.importing import Imported, import_logs
from benchmaker.arenas.agentic.verify.results import Graded
from benchmaker.errors import BenchmakerError, SpecError
from benchmaker.spec.tasks.agentic_profile import OPENING
from benchmaker.store.agentic.submissions import PutStatus
from benchmaker.web.accounts.guests import Guest
from benchmaker.web.agentic.board_view import named_profile
from benchmaker.web.agentic.staging import Staging
from benchmaker.web.agentic.uploads import intake_queue_of, sent_file
from benchmaker.web.api.paging import BodyModel
from benchmaker.web.api.routes import FORM, Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.form_body import Uploaded
from benchmaker.web.pages.agentic.submit import refuse_odd, why_none
from benchmaker.web.workbench import Bench, Workbench

api = Api("agentic")
router = api.router

_SKIPPED = 50
_FIELDS = ("task", "submitter", "profile", "attempt")
_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}}
                    | {name: {"type": "string", "maxLength": 200} for name in _FIELDS},
                }
            }
        },
    }
}


class LogIn(BodyModel):
    """A log, rows or submissions as text; the name's suffix determines the format."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(min_length=1, max_length=200, examples=["session.jsonl"])]
    text: str
    task: Annotated[str, Field(max_length=200)] = ""
    submitter: Annotated[str, Field(max_length=200)] = ""
    profile: Annotated[str, Field(max_length=200)] = OPENING
    attempt: Annotated[str, Field(max_length=200)] = ""


Preference = Annotated[
    str,
    Header(
        max_length=200,
        description="`respond-async` responds once the upload is stored, before evaluation.",
    ),
]
"""The header Prefer of RFC 7240."""


@api.post("/agentic/submissions", shapes.Submitted, status=201)
def submit(bench: Bench, guest: Guest, log: LogIn, prefer: Preference = "") -> Any:  # noqa: ANN401  its shape
    """Store the sessions in a text, and evaluate their tasks.

    Everything in the response is stored. Repeated requests change nothing, so a request may be
    retried if there was no response. Under load `evaluations` is empty: they are computed later in
    a batch. Submissions in `waiting` await a moderator and count nowhere until an admin of the team
    accepts them; those in `rejected` were sent before and rejected.
    """
    return _submit_log(bench, guest, log, log.text.encode("utf-8", "replace"), prefer)


@api.post("/agentic/submissions/upload", shapes.Submitted, status=201, openapi_extra=_UPLOAD)
def upload(bench: Bench, guest: Guest, upload: Uploaded, prefer: Preference = "") -> Any:  # noqa: ANN401  its shape
    """The same with a file."""
    given = {name: upload.fields[name].strip()[:200] for name in _FIELDS if upload.fields[name]}
    log = LogIn(name=upload.name[-200:], text="", **given)
    return _submit_log(bench, guest, log, upload.body, prefer)


@api.post("/agentic/submissions/preview", shapes.Preview)
def preview(bench: Bench, log: LogIn) -> Any:  # noqa: ANN401  its shape
    """Return the content of a text; nothing is stored."""
    refuse_odd(log.task)
    staging = Staging(bench.home)
    token = staging.put(log.name, log.text.encode("utf-8", "replace"))
    try:
        found = _read(bench, staging, token, log)
    finally:
        staging.drop(token)
    return {"submissions": found.submissions, "skipped": _skipped_lines(found)}


def _submit_log(
    bench: Workbench, guest: str | None, log: LogIn, body: bytes, prefer: str
) -> dict[str, Any]:
    refuse_odd(log.task)
    document = named_profile(bench.store, log.profile or OPENING)
    with sent_file(bench, log.name, body) as path:
        handed = intake_queue_of(bench).submit(
            path,
            profile=document,
            task=log.task or None,
            submitter=log.submitter or None,
            guest=guest,
            attempt=log.attempt or None,
            waits="respond-async" not in prefer.lower(),
        )
    found = handed.found
    if not found.submissions:
        raise _no_session_error(log, found)
    return {
        "scale": "0-100",
        "profile": document.id,
        "submissions": sorted({it.id for it in found.submissions}),
        "evaluations": [row.to_dict() for row in handed.rows()],
        **_graded_criteria(bench, found).to_dict(),
        **_moderation_states(bench, guest, found),
        "skipped": _skipped_lines(found),
    }


def _moderation_states(
    bench: Workbench, guest: str | None, found: Imported
) -> dict[str, list[str]]:
    """Return the submissions waiting for a moderator, and those rejected earlier."""
    by_state: dict[str, list[str]] = {"waiting": [], "rejected": []}
    for one in found.submissions if guest is not None else ():
        waiting = bench.store.agentic.find_pending(one.id)
        if waiting is not None:
            by_state[str(waiting.step.state)].append(one.id)
    return by_state


def _no_session_error(log: LogIn, found: Imported) -> SpecError:
    return SpecError("no session is in it.", where=log.name, hint=why_none(found))


def _graded_criteria(bench: Workbench, found: Imported) -> Graded:
    """Return the criteria of a single submission; new ones are unverified."""
    alone = found.submissions[0] if len(found.submissions) == 1 else None
    if alone is None:
        return Graded()
    if found.kept.get(alone.id) == PutStatus.NEW:
        return Graded.of(alone, None)
    return Graded.from_store(bench.store, alone)


def _read(bench: Workbench, staging: Staging, token: str, log: LogIn) -> Imported:
    """Return the content; SpecError if it is not a session."""
    try:
        found = import_logs(
            staging.path(token),
            task=log.task or None,
            task_is_chosen=True,
            dry_run=True,
            home=bench.home,
            store=bench.settings.store_url,
            clock=bench.settings.clock,
        )
    except BenchmakerError as error:
        error.where = (error.where or "").replace(str(bench.home), "")
        raise
    if not found.submissions:
        raise _no_session_error(log, found)
    return found


def _skipped_lines(found: Imported) -> list[dict[str, Any]]:
    return [{"line": it.line, "reason": it.reason} for it in found.skipped_lines[:_SKIPPED]]

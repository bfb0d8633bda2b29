"""Names of sessions whose logs state no id: such a session is named for its file.

A copy of a stored log under another file name is the same session, and keeps the name under which
it was first imported.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from benchmaker.arenas.agentic.sessions.assembling import UNKNOWN_TOOL
from benchmaker.arenas.agentic.sessions.scan import FoundSession
from benchmaker.arenas.agentic.sessions.session_intake import Intake, SessionReading
from benchmaker.record.submissions.submission import LOCAL, Submission
from benchmaker.store import Store


def keep_stored_names(store: Store | None, intake: Intake) -> None:
    """Name copies of stored sessions as these, if only their file's name differs."""
    unnamed = [it for it in intake.readings if _is_named_by_its_file(intake, it)]
    if store is None or not unnamed:
        return
    by_content = {(it.found.importer.id, it.source): it for it in unnamed}
    stored: dict[tuple[str, str], list[Submission]] = {}
    for one in _with_the_content(store, unnamed):
        if (one.importer, one.source_sha256) in by_content and _is_copy(intake, one):
            stored.setdefault((one.importer, one.source_sha256), []).append(one)
    for key, copies in stored.items():
        if by_content[key].session_id not in {it.session_id for it in copies}:
            _rename(by_content[key], copies[0])


def stated_task_of(submission: Submission) -> str | None:
    """The task of a stored submission; None if only its file's name suggests one."""
    task = submission.task.id if submission.task else None
    return None if task == submission.session_id else task


def _is_named_by_its_file(intake: Intake, reading: SessionReading) -> bool:
    is_session = reading.row is None and reading.tally.given is None and not reading.found.ref.part
    return is_session and intake.stated_task(reading) is None


def _with_the_content(store: Store, readings: Iterable[SessionReading]) -> Iterator[Submission]:
    """The stored submissions of the same tool whose log has the content of one of these."""
    sources: dict[str, list[str]] = {}
    for it in readings:
        tool = it.tally.facts.get("harness") or UNKNOWN_TOOL
        sources.setdefault(tool, []).append(it.source)
    for tool, of_tool in sources.items():
        yield from store.agentic.submissions_with_content(of_tool, harness=tool)


def _is_copy(intake: Intake, stored: Submission) -> bool:
    is_own = stored.submitter == (intake.submitter or LOCAL)
    return is_own and stored.row_id is None and stated_task_of(stored) is None


def _rename(reading: SessionReading, stored: Submission) -> None:
    task = stored.task.id if stored.task else None
    reading.found = FoundSession(replace(reading.found.ref, task_id=task), reading.found.importer)
    reading.tally.facts.told["session_id"] = stored.session_id

"""What a session log says, one event at a time: the vocabulary of all importers.

``at`` is in seconds since 1970, None where the log gives no time. ``agent`` is empty for the main
agent, else the subagent's id. ``line`` is the line of the file, from 1, 0 where it has none;
``file`` says which of the session's files that is, from 0.
Text is hostile and may be absent: a reader that drops content leaves it None.
"""

from typing import Any, Final, Literal, TypeAlias

import msgspec

from benchmaker.record.submissions.submission import (
    COUNTED_ROWS,
    CountName,
    CriterionResult,
    Provenance,
    Status,
    Submission,
    TokenUsage,
)

Metric: TypeAlias = CountName | Literal["file_changes"]
"""What a log may record one by one."""

PROJECT_HASH: Final = "project_hash"
"""The key of :attr:`Session.extra` under which a log that does not name its folder has the SHA-256
of the folder's absolute path."""


class _Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    at: float | None = None
    agent: str = ""
    line: int = 0
    file: int = 0


class Session(_Event, frozen=True):
    """Facts about the session; a later one fills in what earlier ones left open.

    ``records`` names what this log would show if there were any of it: where none is seen, the
    count is 0 and not unknown. ``provenance`` says where the log has its figures from.
    ``extra`` is kept with the submission.
    """

    session_id: str = ""
    harness: str | None = None
    harness_version: str | None = None
    model: str | None = None
    provider: str | None = None
    effort: str | None = None
    mode: str | None = None
    cwd: str | None = None
    parent_id: str | None = None
    task_id: str | None = None
    records: frozenset[Metric] = frozenset()
    provenance: Provenance = Provenance.IMPORTED
    extra: dict[str, Any] = {}


class LlmCall(_Event, frozen=True):
    """One answer of a model.

    ``id`` is the provider's id of the message. Of several with one id the one with the largest
    total counts, wherever they stand, so that streamed rows and copied histories count once.
    Without an id every event counts: an importer whose log has none makes one that a copy of the
    log would have, too. ``requests`` is how many requests the event stands for, None where that
    is not known. ``reasoning`` is what the model thought before it answered, where the log
    shows it.
    """

    id: str | None = None
    model: str | None = None
    usage: TokenUsage | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    requests: int | None = 1
    text: str | None = None
    reasoning: str | None = None


class ToolCall(_Event, frozen=True):
    """A tool was called; one id counts once."""

    id: str
    name: str
    arguments: str | None = None
    digest: str = ""
    """Of name and arguments, so that repetitions show when content is dropped."""


class ToolResult(_Event, frozen=True):
    """What the tool gave back; several for one call count once, as an error if one is."""

    call_id: str
    is_error: bool = False
    text: str | None = None


class UserTurn(_Event, frozen=True):
    """A person asked for something; one id counts once."""

    id: str | None = None
    text: str | None = None


class Compaction(_Event, frozen=True):
    """The history was summed up to make room; one id counts once."""

    id: str | None = None


class SubagentStart(_Event, frozen=True):
    """The main agent, or a subagent, started another."""

    id: str
    name: str | None = None
    call_id: str | None = None


class SubagentEnd(_Event, frozen=True):
    """A subagent is done."""

    id: str


class Interruption(_Event, frozen=True):
    """A person stopped the agent, or refused it a permission; one id counts once."""

    id: str | None = None


class Occurrence(_Event, frozen=True):
    """Something happened that ``figure`` counts and no other event tells; one id counts once."""

    figure: CountName
    id: str | None = None


class Failure(_Event, frozen=True):
    """Something went wrong that is neither a tool's nor a model's answer."""

    message: str = ""


class FileChange(_Event, frozen=True):
    """A file was changed by a tool that says so; what a shell does is not seen.

    Several of one ``call_id`` and path count once.
    """

    path: str
    call_id: str | None = None
    change: Literal["created", "modified", "deleted"] = "modified"
    added: int | None = None
    removed: int | None = None
    failed: bool = False


class Totals(_Event, frozen=True):
    """Final figures of the log itself.

    Each figure replaces the sum over the events; of several the last counts. With ``run`` they are
    the figures of one of several runs of the tool in a session: runs add up, and their tokens count
    unless the events add up to more, each run's at the time at which it ``began``.
    ``total_tokens`` is the total that the log states: it is compared with the sum of the kinds, and
    replaces it where no kind is known.
    """

    run: str = ""
    began: float | None = None
    usage: TokenUsage | None = None
    total_tokens: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    iterations: int | None = None
    cost_usd: float | None = None
    wall_s: float | None = None
    active_s: float | None = None
    llm_s: float | None = None
    tool_s: float | None = None
    setup_s: float | None = None
    verify_s: float | None = None


STATED_COUNTS: Final = tuple(name for name in COUNTED_ROWS if name in Totals.__struct_fields__)
"""The counted figures that a log may state itself."""


class RowIdentity(msgspec.Struct, frozen=True, omit_defaults=True):
    """What identifies a row of a table: its id there, else a digest of its content.

    Neither depends on the file's name or format, nor on the position of the row. ``number`` is its
    place in a document, where one line may hold several rows; 0 where its line names it.
    """

    id: str = ""
    digest: str = ""
    number: int = 0


class SessionPart(_Event, frozen=True, tag="Part"):
    """What follows is another session of the same file, the one of that id.

    Logs that hold many sessions (a line each, a trial each) are read in one go this way; the id
    stays the same when the file is read again. What comes before the first is a session, too, if
    there is any of it. ``row`` is given where the session is a row of a table.
    """

    id: str
    task_id: str | None = None
    row: RowIdentity | None = None


class WholeSubmission(_Event, frozen=True, tag="Given"):
    """The file holds a submission as we write them: it is taken as it stands."""

    submission: Submission


class Activity(_Event, frozen=True, tag="Moment"):
    """Something happened that is none of the others: it counts for the time alone."""


class SessionEnd(_Event, frozen=True, tag="Ended"):
    """How the session ended, and the verdict that the log carries."""

    status: Status = Status.UNKNOWN
    exit_status: str | None = None
    failure_cause: str | None = None
    success: bool | None = None
    reward: float | None = None
    criteria: tuple[CriterionResult, ...] = ()
    patch: str | None = None


Event: TypeAlias = (
    Session
    | LlmCall
    | ToolCall
    | ToolResult
    | UserTurn
    | Compaction
    | SubagentStart
    | SubagentEnd
    | Interruption
    | Occurrence
    | Failure
    | FileChange
    | Totals
    | Activity
    | SessionPart
    | WholeSubmission
    | SessionEnd
)
"""Any of them."""

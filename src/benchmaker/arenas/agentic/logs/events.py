"""The events of session logs: the vocabulary of all importers.

``at`` is in seconds since 1970, None if the log has no time. ``agent`` is empty for the main agent,
otherwise the subagent's id. ``line`` is the line of the file, from 1, 0 without one; ``file`` is
the index of the session's file, from 0. Text is hostile and may be absent: a reader that drops
content leaves it None.
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
"""A metric whose events a log may record one by one."""

PROJECT_HASH: Final = "project_hash"
"""The key of :attr:`Session.extra` under which a log that does not name its folder has the SHA-256
of the folder's absolute path."""


class _Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    at: float | None = None
    agent: str = ""
    line: int = 0
    file: int = 0


class Session(_Event, frozen=True):
    """Facts about the session; later events fill gaps of earlier ones.

    ``records`` names the events that this log would show: if none is seen, the count is 0 rather
    than unknown. ``provenance`` is the source of the log's figures. ``extra`` is stored with the
    submission.
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
    total counts, regardless of position, so that streamed rows and copied histories count once.
    Without an id every event counts: an importer of a log without ids derives one that is stable
    across copies of the log. ``requests`` is the number of requests the event represents, None if
    unknown. ``reasoning`` is the model's reasoning before its answer, if the log shows it.
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
    """Hash of name and arguments; shows repetitions if content is dropped."""


class ToolResult(_Event, frozen=True):
    """The result of a tool; several for one call count once, as an error if one is."""

    call_id: str
    is_error: bool = False
    text: str | None = None


class UserTurn(_Event, frozen=True):
    """A user request; one id counts once."""

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
    """An occurrence counted by ``figure`` and by no other event; one id counts once."""

    figure: CountName
    id: str | None = None


class Failure(_Event, frozen=True):
    """Something went wrong that is neither a tool's nor a model's answer."""

    message: str = ""


class FileChange(_Event, frozen=True):
    """A file change reported by a tool; changes by a shell are not visible.

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
    unless the events add up to more, each run's at its start ``began``. ``total_tokens`` is the
    total in the log: it is compared with the sum of the kinds, and replaces it if no kind is known.
    ``is_usage_partial`` says that the kinds are not all of the tokens, so their sum is no total.
    ``counts`` are counted figures by name, those with a field of their own included.
    """

    run: str = ""
    began: float | None = None
    usage: TokenUsage | None = None
    total_tokens: int | None = None
    is_usage_partial: bool | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    iterations: int | None = None
    counts: dict[str, int] = {}
    cost_usd: float | None = None
    wall_s: float | None = None
    active_s: float | None = None
    llm_s: float | None = None
    tool_s: float | None = None
    setup_s: float | None = None
    verify_s: float | None = None


STATED_COUNTS: Final = tuple(name for name in COUNTED_ROWS if name in Totals.__struct_fields__)
"""The counted figures that have a field of :class:`Totals`."""


class RowIdentity(msgspec.Struct, frozen=True, omit_defaults=True):
    """The identity of a table's row: its id there, or else a digest of its content.

    Neither depends on the file's name or format, nor on the position of the row. ``number`` is its
    position in a document in which a line may hold several rows; 0 if its line identifies it.
    """

    id: str = ""
    digest: str = ""
    number: int = 0


class SessionPart(_Event, frozen=True, tag="Part"):
    """Start of another session in the same file, with that id.

    Logs with many sessions (one per line or trial) are read in one pass this way; the id is stable
    across reads. Events before the first are a session, too. ``row`` is set if the session is a row
    of a table.
    """

    id: str
    task_id: str | None = None
    row: RowIdentity | None = None


class WholeSubmission(_Event, frozen=True, tag="Given"):
    """A submission in our own format, taken unchanged."""

    submission: Submission


class Activity(_Event, frozen=True, tag="Moment"):
    """Any other activity, which counts only for the time."""


class SessionEnd(_Event, frozen=True, tag="Ended"):
    """The session's end, and the verdict in the log."""

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
"""Any event."""

"""A coding tool's session on one task: ``benchmaker.submission/1``.

Every metric is optional; unrecorded ones are None, never 0. ``provenance`` holds the source of each
figure. Unknown fields of a file are kept in ``extra``.
"""

from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from benchmaker.record.submissions.figure_rows import FigureRow, count_of, figure_rows

SCHEMA = "benchmaker.submission/1"

LOCAL: Final = "local"
"""The default submitter."""


class Provenance(StrEnum):
    """The source of a figure."""

    MEASURED = "measured"
    IMPORTED = "imported"
    COMPUTED = "computed"
    ESTIMATED = "estimated"
    SELF_REPORTED = "self_reported"


class EvidenceLevel(StrEnum):
    """The evidence for the correctness; assigned by Benchmaker, never by a file."""

    VERIFIED = "verified"
    ATTESTED = "attested"
    IMPORTED = "imported"
    SELF_REPORTED = "self_reported"


class Scope(StrEnum):
    """The scope of usage: the main agent, or including its subagents."""

    MAIN = "main"
    WITH_SUBAGENTS = "with_subagents"


class Status(StrEnum):
    """The session's end; ``infra_error`` is never ranked."""

    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    REFUSED = "refused"
    CANCELLED = "cancelled"
    INFRA_ERROR = "infra_error"
    UNKNOWN = "unknown"


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


class TokenUsage(_Part, frozen=True):
    """Tokens in five disjoint kinds; ``reasoning`` lies inside ``output``.

    ``other`` holds tokens that were reported and are of none of these kinds.
    """

    input_uncached: Annotated[int | None, FigureRow("tokens", "Input, uncached")] = None
    cache_read: Annotated[int | None, FigureRow("tokens", "Cache read")] = None
    cache_write_5m: Annotated[int | None, FigureRow("tokens", "Cache write, 5 min")] = None
    cache_write_1h: Annotated[int | None, FigureRow("tokens", "Cache write, 1 h")] = None
    output: Annotated[int | None, FigureRow("tokens", "Output")] = None
    reasoning: Annotated[int | None, FigureRow("tokens", "of output, reasoning")] = None
    other: Annotated[int | None, FigureRow("tokens", "Of no known kind")] = None

    @property
    def total(self) -> int | None:
        """The sum of the kinds that are known; None where none is."""
        known = [n for n in self._kinds if n is not None]
        return sum(known) if known else None

    @property
    def fresh_tokens(self) -> int | None:
        """The total without cache reads; None if unknown."""
        kinds = (self.input_uncached, self.cache_write_5m, self.cache_write_1h, self.output)
        known = [n for n in (*kinds, self.other) if n is not None]
        return sum(known) if known else None

    @property
    def _kinds(self) -> tuple[int | None, ...]:
        return (
            self.input_uncached,
            self.cache_read,
            self.cache_write_5m,
            self.cache_write_1h,
            self.output,
            self.other,
        )

    def __add__(self, more: "TokenUsage") -> "TokenUsage":
        """Add kind by kind; a kind unknown in both stays unknown."""
        return TokenUsage(
            **{
                name: _sum(getattr(self, name), getattr(more, name))
                for name in self.__struct_fields__
            }
        )


class TaskRef(_Part, frozen=True):
    """The task of the session, as far as known."""

    id: str
    version: str | None = None
    digest: str | None = None
    category: str | None = None
    difficulty: str | None = None


JOINT = " · "
"""The separator of tool, model and effort in a system's name."""


class System(_Part, frozen=True):
    """The ranked unit: harness × model × effort."""

    harness: str
    harness_version: str | None = None
    model: str | None = None
    provider: str | None = None
    effort: str | None = None
    config_digest: str | None = None
    prompt_digest: str | None = None
    tools: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    mode: str | None = None
    hardware: str | None = None

    @property
    def name(self) -> str:
        """The unit that is ranked, as one line."""
        return JOINT.join(part for part in (self.harness, self.model, self.effort) if part)


class AttemptOf(_Part, frozen=True):
    """Attempt ``index`` of ``of``; with ``best_of_n`` the cost counts every attempt."""

    index: int = 1
    of: int = 1
    group_id: str | None = None
    selection: str = "single"
    seed: int | None = None


class ModelUsage(_Part, frozen=True):
    """The usage of one model within a session, with reported and computed values."""

    model: str | None
    usage: TokenUsage
    llm_calls: int
    cost_usd: float | None = None
    computed_usd: float | None = None


class Counts(_Part, frozen=True):
    """Counts of the main agent alone, under the same names as those of a submission."""

    usage: TokenUsage = TokenUsage()
    total_tokens: int | None = None
    llm_calls: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    tools_by_name: dict[str, int] = {}
    iterations: int | None = None
    turns: int | None = None
    compactions: int | None = None
    usage_by_model: tuple[ModelUsage, ...] = ()
    cost_reported_usd: float | None = None
    cost_computed_usd: float | None = None


class TimeSpent(_Part, frozen=True):
    """Seconds; ``active_s`` leaves out gaps longer than ``gap_limit_s``.

    Of an agent trial ``queue_s`` is the time in which the gateway held requests, which ``active_s``
    leaves out instead.
    """

    wall_s: Annotated[float | None, FigureRow("seconds", "Wall time", is_computed=True)] = None
    active_s: Annotated[float | None, FigureRow("seconds", "Active time", is_computed=True)] = None
    gap_limit_s: float | None = None
    llm_s: Annotated[float | None, FigureRow("seconds", "Model time")] = None
    tool_s: Annotated[float | None, FigureRow("seconds", "Tool time")] = None
    queue_s: Annotated[float | None, FigureRow("seconds", "Queue time")] = None
    setup_s: Annotated[float | None, FigureRow("seconds", "Setup time")] = None
    verify_s: Annotated[float | None, FigureRow("seconds", "Verifier time")] = None


UNKNOWN_MODEL: Final = "unknown"
"""The name in ``unpriced`` for requests whose model the log does not name."""


class Cost(_Part, frozen=True):
    """Dollars: reported and computed, separately.

    ``unpriced`` names the models with unknown prices; the computed cost is then None. Requests
    without a model are in it as :data:`UNKNOWN_MODEL`. ``rate_card`` names the prices, ``as_of``
    the day whose prices they are; without one each request is priced by its own day.
    ``earlier_tries`` counts the earlier tries of an agent trial, whose requests are left out.
    """

    reported_usd: Annotated[float | None, FigureRow("dollars", "Cost, reported")] = None
    computed_usd: Annotated[
        float | None, FigureRow("dollars", "Cost, computed", is_computed=True)
    ] = None
    method: str | None = None
    rate_card: str | None = None
    as_of: str | None = None
    unpriced: tuple[str, ...] = ()
    earlier_tries: int = 0

    @property
    def usd(self) -> float | None:
        """The reported cost, or else the computed one."""
        return self.computed_usd if self.reported_usd is None else self.reported_usd

    @property
    def gap_usd(self) -> float | None:
        """Computed less reported; None unless both are known."""
        if self.computed_usd is None or self.reported_usd is None:
            return None
        return self.computed_usd - self.reported_usd


class CriterionResult(_Part, frozen=True):
    """One success criterion: ``pass``, ``fail``, ``error`` (infrastructure) or ``skipped``.

    ``evidence`` is its proof, truncated; a ``hidden`` criterion is not shown to the solver.
    """

    id: str
    result: str
    weight: float = 1.0
    required: bool = False
    evidence: str = ""
    type: str = ""
    hidden: bool = False
    wall_s: float | None = None
    isolation: str | None = None


class OutcomeOf(_Part, frozen=True):
    """The outcome. ``success`` and ``reward`` are the record's own verdict, if any."""

    status: Status = Status.UNKNOWN
    exit_status: str | None = None
    failure_cause: str | None = None
    success: bool | None = None
    reward: float | None = None
    criteria: tuple[CriterionResult, ...] = ()


class Patch(_Part, frozen=True):
    """The changes as a patch."""

    sha256: str
    bytes: int
    files: int | None = None
    added: int | None = None
    removed: int | None = None


class Artifacts(_Part, frozen=True):
    """The remaining files; ``completeness`` is ``lower_bound`` if a shell may have made more."""

    files_created: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    patch: Patch | None = None
    completeness: str = "unknown"


class SourceFile(_Part, frozen=True):
    """One file that was read, by content."""

    path: str
    sha256: str
    bytes: int
    skipped_lines: int = 0


class Behaviour(_Part, frozen=True):
    """Behaviour of the tool, shares from 0 to 1: separate metrics besides the scored ones."""

    cache_hit_share: Annotated[float | None, FigureRow("share", "Cache hits", is_computed=True)] = (
        None
    )
    tool_error_rate: Annotated[
        float | None, FigureRow("share", "Tool error rate", is_computed=True)
    ] = None
    repeated_calls: Annotated[
        int | None, FigureRow("count", "Repeated identical calls", is_computed=True)
    ] = None
    failed_edits: Annotated[int | None, FigureRow("count", "Failed edits", is_computed=True)] = None
    lines_per_1k_output: Annotated[
        float | None, FigureRow("lines", "Lines per 1,000 output tokens", is_computed=True)
    ] = None
    first_edit_s: Annotated[
        float | None, FigureRow("seconds", "Time to first edit", is_computed=True)
    ] = None
    interruptions: Annotated[
        int | None,
        count_of(
            "Interruption", "Interruptions", "interruption", is_behaviour=True, is_computed=True
        ),
    ] = None


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """One session of one system, with all known figures.

    Usage and counts are those of ``usage_scope``, subagents included by default; ``main`` holds
    those of the main agent alone if there are others. ``iterations`` are human prompts, ``turns``
    answers of the model that ended a turn. ``provenance`` maps each metric's dotted path to its
    source. ``revision`` counts from 1: a newer importer of the same files creates a new one, and so
    does a corrected row of a table. ``row_id`` is the id of a row in its source table, ``source``
    the name under which that table was imported.
    """

    id: str
    system: System
    schema_version: str = SCHEMA
    created_at: str = ""
    submitter: str = LOCAL
    row_id: str | None = None
    source: str = ""
    task: TaskRef | None = None
    attempt: AttemptOf = AttemptOf()
    session_id: str = ""
    project: str | None = None
    started_at: str | None = None
    finished_at: str | None = None
    usage: TokenUsage = TokenUsage()
    usage_scope: Scope = Scope.WITH_SUBAGENTS
    usage_by_model: tuple[ModelUsage, ...] = ()
    total_tokens: Annotated[int | None, FigureRow("tokens", "All tokens", is_computed=True)] = None
    llm_calls: Annotated[int | None, count_of("LlmCall", "Requests", "request")] = None
    tool_calls: Annotated[int | None, count_of("ToolCall", "Tool calls", "tool call")] = None
    tool_errors: Annotated[
        int | None, count_of("ToolResult", "Failed tool calls", "failed tool call")
    ] = None
    tools_by_name: dict[str, int] = {}
    iterations: Annotated[
        int | None, count_of("UserTurn", "Prompts", "prompt", is_never_zero=True)
    ] = None
    turns: Annotated[int | None, count_of("LlmCall", "Turns", is_never_zero=True)] = None
    compactions: Annotated[
        int | None, count_of("Compaction", "Compactions", "compaction", is_behaviour=True)
    ] = None
    subagents: Annotated[int | None, count_of("SubagentStart", "Subagents", "subagent")] = None
    main: Counts | None = None
    completeness: str = "unknown"
    time: TimeSpent = TimeSpent()
    cost: Cost = Cost()
    outcome: OutcomeOf = OutcomeOf()
    artifacts: Artifacts = Artifacts()
    behaviour: Behaviour = Behaviour()
    provenance: dict[str, Provenance] = {}
    evidence_level: EvidenceLevel = EvidenceLevel.IMPORTED
    importer: str = ""
    importer_version: str = ""
    source_sha256: str = ""
    sources: tuple[SourceFile, ...] = ()
    revision: int = 1
    redactions: dict[str, int] = {}
    flags: tuple[str, ...] = ()
    extra: dict[str, Any] = {}


FIGURE_ROWS: Final = dict(figure_rows(Submission))
"""Every figure of a submission, by its dotted path."""

COUNTED_PATHS: Final = {
    path.rpartition(".")[2]: path for path, row in FIGURE_ROWS.items() if row.event
}
"""The dotted paths of figures that are counted from events, by the name of their field."""

COUNTED_ROWS: Final = {name: FIGURE_ROWS[path] for name, path in COUNTED_PATHS.items()}
"""The figures that are counted from events, by the name of their field."""

CountName: TypeAlias = Literal[
    "llm_calls",
    "tool_calls",
    "tool_errors",
    "iterations",
    "turns",
    "compactions",
    "subagents",
    "interruptions",
]
"""The names of ``COUNTED_ROWS``."""


def _sum(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else a + b

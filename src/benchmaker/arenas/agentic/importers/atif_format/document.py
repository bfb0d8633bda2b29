"""The fields read from an ATIF trajectory."""

from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose
from benchmaker.record.submissions.submission import COUNTED_ROWS, TokenUsage

_Counts: Any = msgspec.defstruct(
    "_Counts", [(name, Count | None, None) for name in COUNTED_ROWS], module=__name__
)


class Kinds(msgspec.Struct):
    """Our own kinds of tokens, of a usage without a total."""

    input_uncached: Count | None = None
    cache_read: Count | None = None
    cache_write_5m: Count | None = None
    cache_write_1h: Count | None = None
    output: Count | None = None
    reasoning: Count | None = None
    other: Count | None = None


class Extra(_Counts):  # type: ignore[misc]  # a struct with a field for each counted figure
    """Kinds of tokens without a field in the format, by the names in use; and counted figures.

    ``usage`` has the known kinds if there is no total, which ``is_usage_partial`` says.
    """

    cache_creation_input_tokens: Count | None = None
    total_cache_creation_input_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    reasoning_output_tokens: Count | None = None
    total_reasoning_tokens: Count | None = None
    total_reasoning_output_tokens: Count | None = None
    ephemeral_1h_input_tokens: Count | None = None
    total_ephemeral_1h_input_tokens: Count | None = None
    other_tokens: Count | None = None
    total_other_tokens: Count | None = None
    total_tokens: Count | None = None
    is_usage_partial: bool | None = None
    usage: Kinds | None = None


class ResultExtra(msgspec.Struct):
    """Our additions to a result, besides the format's own fields."""

    is_error: bool | None = None


class StepExtra(msgspec.Struct):
    """Our additions to a step, besides the format's own fields."""

    llm_calls_unknown: bool | None = None


class Metrics(msgspec.Struct):
    """Tokens and dollars of one step; the prompt includes the cache."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cached_tokens: Count | None = None
    cost_usd: Amount | None = None
    extra: Extra | None = None


class FinalMetrics(msgspec.Struct):
    """Tokens and dollars of the whole run, subagents included."""

    total_prompt_tokens: Count | None = None
    total_completion_tokens: Count | None = None
    total_cached_tokens: Count | None = None
    total_cost_usd: Amount | None = None
    extra: Extra | None = None


class Ref(msgspec.Struct):
    """Another trajectory, in a file or in the same document."""

    session_id: str | None = None
    trajectory_id: str | None = None
    trajectory_path: str | None = None


class Result(msgspec.Struct):
    """The result of a tool."""

    source_call_id: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    subagent_trajectory_ref: list[Ref] | Ref | None = None
    extra: ResultExtra | None = None

    @property
    def refs(self) -> list[Ref]:
        """The trajectories that are named; older files name one without a list."""
        named = self.subagent_trajectory_ref
        return [named] if isinstance(named, Ref) else named or []


class Observation(msgspec.Struct):
    """The result of a step."""

    results: list[Result] | None = None


class Call(msgspec.Struct):
    """A call of a tool."""

    tool_call_id: str | None = None
    function_name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"")


class Step(msgspec.Struct):
    """One step of the user, the agent or the system."""

    source: str | None = None
    timestamp: Any = None  # a text, or a number in some
    model_name: str | None = None
    reasoning_effort: Any = None  # a text or a number
    message: msgspec.Raw = msgspec.Raw(b"")
    tool_calls: list[Call] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: Count | None = None
    extra: StepExtra | None = None

    @property
    def requests(self) -> int | None:
        """The number of model requests it represents; one by default."""
        if self.extra is not None and self.extra.llm_calls_unknown:
            return None
        return self.llm_call_count or 1


class Agent(msgspec.Struct):
    """The agent."""

    name: str | None = None
    version: str | None = None
    model_name: str | None = None


class Document(msgspec.Struct):
    """A trajectory; its steps are decoded one by one."""

    schema_version: str | None = None
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent | None = None
    steps: list[msgspec.Raw] | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    subagent_trajectories: list[msgspec.Raw] | None = None


DOCUMENTS = Loose(Document)
STEPS = Loose(Step)


def usage_of(metrics: Metrics) -> TokenUsage:
    """The tokens of a step."""
    extra = metrics.extra or Extra()
    written, hour = _cache_writes(
        extra.cache_creation_input_tokens, extra.ephemeral_1h_input_tokens
    )
    return _disjoint_usage(
        metrics.prompt_tokens,
        metrics.completion_tokens,
        other=extra.other_tokens,
        cache_read=metrics.cached_tokens,
        cache_write=written,
        cache_write_1h=hour,
        reasoning=_first_known(extra.reasoning_tokens, extra.reasoning_output_tokens),
    )


def total_of(final: FinalMetrics) -> TokenUsage:
    """The tokens of the run."""
    extra = final.extra or Extra()
    if extra.is_usage_partial and extra.usage is not None:
        return TokenUsage(**msgspec.structs.asdict(extra.usage))
    written, hour = _cache_writes(
        extra.total_cache_creation_input_tokens, extra.total_ephemeral_1h_input_tokens
    )
    return _disjoint_usage(
        final.total_prompt_tokens,
        final.total_completion_tokens,
        other=extra.total_other_tokens,
        cache_read=final.total_cached_tokens,
        cache_write=written,
        cache_write_1h=hour,
        reasoning=_first_known(extra.total_reasoning_tokens, extra.total_reasoning_output_tokens),
    )


def _disjoint_usage(
    prompt: int | None, output: int | None, *, other: int | None, **kinds: int | None
) -> TokenUsage:
    usage = disjoint_usage(prompt, output, **kinds)
    return usage if other is None else msgspec.structs.replace(usage, other=other)


def _cache_writes(total: int | None, hour: int | None) -> tuple[int | None, int | None]:
    """Cache writes for five minutes and for an hour; the total includes the latter."""
    if hour is None:
        return total, None
    kept = hour if total is None else min(hour, total)
    return (total or 0) - kept or None, kept


def _first_known(*counts: int | None) -> int | None:
    return next((n for n in counts if n is not None), None)

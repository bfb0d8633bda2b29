"""From one sample of a log to events."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.importers.inspect_format.conversation import (
    conversation_events,
    count_unnamed_calls,
)
from benchmaker.arenas.agentic.importers.inspect_format.rows import (
    EVENTS,
    MESSAGES,
    PARTS,
    TURNS,
    Eval,
    Log,
    Message,
    Output,
    Sample,
    Usage,
    name_of,
)
from benchmaker.arenas.agentic.importers.inspect_format.rows import Event as Row
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.skips import CALLS_BY_RESULTS
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.record.submissions.submission import CriterionResult, Status, TokenUsage


class SampleReader:
    """Reads one sample; ``mark`` identifies it where its log has no name."""

    def __init__(self, path: Path, log: Log, sample: Sample, mark: str, options: Options) -> None:
        self._path = path
        self._log = log
        self._eval = log.eval or Eval()
        self._sample = sample
        self._options = options
        name = name_of(self._eval) or mark
        self._id = sample.uuid or f"{name}:{sample.id}:{sample.epoch}"

    def events(self) -> Iterator[Event]:
        """Facts, events, totals, the end."""
        run, sample = self._eval, self._sample
        packages = run.packages or {}
        yield Session(
            session_id=self._id,
            harness=run.solver or "inspect",
            harness_version=packages.get("inspect_ai"),
            model=run.model or self._options.model,
            mode="headless",
            task_id=f"{run.task}/{sample.id}" if run.task else str(sample.id),
            records=frozenset({"tool_calls", "tool_errors"}),
            extra=self._extra(),
        )
        if sample.input:
            yield self._prompt_turn()
        rows = _rows_of(sample)
        has_calls = has_times = False
        for number, raw in enumerate(rows):
            for event in self._event(raw, number):
                has_calls |= isinstance(event, LlmCall)
                has_times |= event.at is not None
                yield event
        if not has_calls:
            yield from self._usage_events()
        if not rows:
            yield from conversation_events(self._messages(), f"inspect:{self._id}", self._options)
        if not has_times:
            yield Activity(at=seconds(run.created))
        yield self._totals()
        yield self._end()

    def _extra(self) -> dict[str, int]:
        """The epoch, and the number of calls that only their results show."""
        by_results = 0 if _rows_of(self._sample) else count_unnamed_calls(self._messages())
        epoch = self._sample.epoch
        return {
            **({} if epoch is None else {"epoch": epoch}),
            **({CALLS_BY_RESULTS: by_results} if by_results else {}),
        }

    def _event(self, raw: msgspec.Raw, number: int) -> Iterator[Event]:
        try:
            event, left_out = EVENTS.decode(raw)
        except DecodingError as refused:
            self._options.skip(Skipped(self._path, 0, f"event {number + 1}: {refused}"))
            return
        self._options.pass_on(left_out, path=self._path)
        place = EventPlace(at=seconds(event.timestamp), agent="", line=0, file=0)
        key = f"inspect:{self._id}:{event.uuid or number}"
        if event.event == "model" and event.cache != "read":
            output = event.output or Output()
            yield LlmCall(
                **place,
                id=key,
                model=event.model or output.model,
                usage=_disjoint_usage(output.usage) if output.usage else None,
                cost_usd=output.usage.total_cost if output.usage else None,
                latency_s=output.time,
                text=self._words(output.content),
                reasoning=self._thoughts(output.content),
            )
        elif event.event == "tool":
            yield from self._tool(event, place, f"{key}:{event.id}")
        else:
            yield Activity(**place)

    def _prompt_turn(self) -> UserTurn:
        """The prompt of the sample: a text, or the user's turns of a conversation."""
        text = self._words(self._sample.input)
        with suppress(DecodingError):
            turns, _ = TURNS.decode(self._sample.input)
            people = [self._words(it.content) for it in turns if it.role == "user"]
            text = "\n\n".join(filter(None, people)) or None
        return UserTurn(id=f"inspect:{self._id}:input", text=text)

    def _words(self, content: msgspec.Raw) -> str | None:
        """The text of a message, without the reasoning."""
        text = result_text(content, self._options)
        return text.strip("\n") or None if text else None

    def _thoughts(self, content: msgspec.Raw) -> str | None:
        """The reasoning, where the provider shows it."""
        with suppress(DecodingError):
            parts, _ = PARTS.decode(content)
            shown = (it.reasoning for it in parts if not it.redacted)
            return self._options.text("\n\n".join(filter(None, shown)) or None)
        return None

    def _tool(self, event: Row, place: EventPlace, key: str) -> Iterator[Event]:
        name = event.function or "unknown"
        yield ToolCall(
            **place,
            id=key,
            name=name,
            arguments=raw_text(event.arguments, self._options),
            digest=call_digest(name, bytes(event.arguments)),
        )
        text = result_text(event.result, self._options)
        yield ToolResult(**place, call_id=key, is_error=event.error is not None, text=text)

    def _usage_events(self) -> Iterator[Event]:
        """Without recorded events: the tokens of each model, of an unknown number of calls.

        Older logs count the last answer only, which is everything if there was just one.
        """
        output = self._sample.output
        if not self._sample.model_usage and output is not None and output.usage is not None:
            is_only = sum(it.role == "assistant" for it in self._messages()) <= 1
            yield LlmCall(
                id=f"inspect:{self._id}:{output.model}",
                model=self._eval.model or output.model,
                usage=_disjoint_usage(output.usage) if is_only else None,
                requests=1 if is_only else None,
                text=self._words(output.content),
                reasoning=self._thoughts(output.content),
            )
        for model, usage in (self._sample.model_usage or {}).items():
            yield LlmCall(
                id=f"inspect:{self._id}:{model}",
                model=model,
                usage=_disjoint_usage(usage),
                cost_usd=usage.total_cost,
                requests=None,
            )

    def _messages(self) -> Iterator[Message]:
        for raw in self._sample.messages or ():
            with suppress(DecodingError):
                yield MESSAGES.decode(raw)[0]

    def _totals(self) -> Totals:
        usages = list((self._sample.model_usage or {}).values())
        usage = sum((_disjoint_usage(it) for it in usages), TokenUsage())
        costs = [it.total_cost for it in usages if it.total_cost is not None]
        sample = self._sample
        return Totals(
            usage=usage if usage.total else None,
            cost_usd=sum(costs) if costs else None,
            wall_s=sample.total_time,
            active_s=sample.total_time if sample.working_time is None else sample.working_time,
        )

    def _end(self) -> SessionEnd:
        criteria = tuple(
            CriterionResult(id=name, result=_result(score.value), evidence=str(score.value)[:200])
            for name, score in (self._sample.scores or {}).items()
        )
        only = next(iter((self._sample.scores or {}).values())) if len(criteria) == 1 else None
        return SessionEnd(
            status=self._status(),
            exit_status=self._log.status,
            failure_cause=self._sample.limit.type if self._sample.limit else None,
            success=_SUCCESS.get(criteria[0].result) if only else None,
            reward=_reward(only.value) if only else None,
            criteria=criteria,
        )

    def _status(self) -> Status:
        sample = self._sample
        if sample.limit is not None:
            is_time = sample.limit.type in ("time", "working")
            return Status.TIMEOUT if is_time else Status.BUDGET
        if sample.error is not None:
            return Status.FAILED
        if not sample.scores and self._log.status == "cancelled":
            return Status.CANCELLED
        return Status.COMPLETED


def _rows_of(sample: Sample) -> Sequence[msgspec.Raw]:
    """The recorded events; empty in logs that have messages alone."""
    return sample.events or (sample.transcript and sample.transcript.events) or ()


_SUCCESS = {"pass": True, "fail": False}
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _reward(value: object) -> float | None:
    if isinstance(value, str):
        return _LETTERS.get(value)
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _result(value: object) -> str:
    reward = _reward(value)
    return "skipped" if reward is None else "pass" if reward == 1 else "fail"


def _disjoint_usage(usage: Usage) -> TokenUsage:
    """Five kinds; the total shows whether input includes the cache."""
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    given = usage.input_tokens
    both = (given or 0) + (usage.output_tokens or 0)
    is_inside = usage.total_tokens == both and cached and (given or 0) >= cached
    return TokenUsage(
        input_uncached=given - cached if is_inside and given is not None else given,
        cache_read=usage.input_tokens_cache_read,
        cache_write_5m=usage.input_tokens_cache_write,
        output=usage.output_tokens,
        reasoning=usage.reasoning_tokens,
    )

"""From messages and their parts to events."""

from collections.abc import Iterable, Iterator
from typing import Any

from benchmaker.arenas.agentic.importers.opencode_format.rows import (
    ARGUMENTS,
    Cache,
    Head,
    Info,
    Message,
    Metadata,
    Model,
    Part,
    Problem,
    Span,
    State,
    Tokens,
)
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Event,
    Failure,
    FileChange,
    Interruption,
    LlmCall,
    Metric,
    Session,
    SessionEnd,
    SubagentStart,
    ToolCall,
    ToolResult,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text
from benchmaker.record.submissions.submission import Status, TokenUsage

RECORDS: frozenset[Metric] = frozenset(
    {"llm_calls", "tool_calls", "tool_errors", "compactions", "file_changes"}
)
_WRITING = {"write", "edit", "multiedit"}
_DONE = {"completed", "error"}
_STOPPED = "MessageAbortedError"
_ANSWERED = {"stop", "end_turn"}


class Conversation:
    """Reads one agent's messages; each step of an answer is a request."""

    def __init__(self, harness: str, options: Options, *, agent: str = "") -> None:
        self._harness = harness
        self._options = options
        self._agent = agent
        self._said: list[str] = []
        self._thoughts: list[str] = []
        self._status = Status.UNKNOWN

    def begin(self, head: Head, *, mode: str | None = None) -> Session:
        """The event with the facts of the session."""
        model = head.model or Model()
        return Session(
            session_id=head.id or "",
            harness=self._harness,
            harness_version=head.version,
            model=model.id or self._options.model,
            provider=model.provider_id,
            mode=mode,
            cwd=head.directory,
            records=RECORDS,
        )

    def finish(self) -> Iterator[Event]:
        """Yield the end of the last answer, if it ended."""
        if not self._agent and self._status is not Status.UNKNOWN:
            yield SessionEnd(status=self._status)

    def messages(self, messages: Iterable[Message]) -> Iterator[Event]:
        """The events of whole messages."""
        for message in messages:
            is_person = message.info.role == "user"
            yield from self._prompt_events(message) if is_person else self._answer(message)

    def place(self, at: object, line: int = 0) -> EventPlace:
        """The place of an event, from a time in milliseconds."""
        return EventPlace(at=seconds(at), agent=self._agent, line=line, file=0)

    def _prompt_events(self, message: Message) -> Iterator[Event]:
        place = self.place((message.info.time or Span()).created)
        texts = [it.text for it in message.parts if it.type == "text" and not it.synthetic]
        for part in message.parts:
            if part.type == "compaction":
                yield Compaction(**place, id=part.id)
        text = "\n".join(filter(None, texts))
        if text:
            yield UserTurn(**place, id=message.info.id, text=self._options.text(text))

    def _answer(self, message: Message) -> Iterator[Event]:
        info = message.info
        times = info.time or Span()
        place = self.place(times.completed or times.created)
        self._status = Status.UNKNOWN
        for part in message.parts:
            yield from self.part(part, place, info)
        is_counted = any(part.type == "step-finish" for part in message.parts)
        usage = _usage(info.tokens)
        if not is_counted and usage.total:
            yield self._request(info.id, usage, info.cost, place, info.model_id)
        self._said, self._thoughts = [], []
        if info.error is not None:
            yield from self.failure_events(info.error, place, info.id)

    def part(self, part: Part, place: EventPlace, info: Info) -> Iterator[Event]:
        """Yield the events of one part, which belongs to the next step to finish."""
        if part.type == "text" and part.text:
            self._said.append(part.text)
        elif part.type == "reasoning" and part.text:
            self._thoughts.append(part.text)
        elif part.type == "tool" and part.state is not None:
            yield from self._tool(part, part.state, place)
        elif part.type == "step-finish":
            if part.reason in _ANSWERED:
                self._status = Status.COMPLETED
            usage = _usage(part.tokens)
            yield self._request(part.id, usage, part.cost, place, info.model_id)

    def failure_events(
        self, problem: Problem, place: EventPlace, name: str | None
    ) -> Iterator[Event]:
        """Yield the reason for an interrupted answer: a person, or an error."""
        if problem.name == _STOPPED:
            self._status = Status.CANCELLED
            yield Interruption(**place, id=name)
            return
        self._status = Status.FAILED
        said = problem.data.get("message") if isinstance(problem.data, dict) else None
        text = f"{problem.name or 'error'}: {said}" if isinstance(said, str) else problem.name
        yield Failure(**place, message=self._options.text(text) or "")

    def _request(
        self,
        name: str | None,
        usage: TokenUsage,
        cost: float | None,
        place: EventPlace,
        model: str | None,
    ) -> LlmCall:
        words, self._said = "\n".join(self._said), []
        thoughts, self._thoughts = "\n\n".join(self._thoughts), []
        return LlmCall(
            **place,
            id=name,
            model=model or self._options.model,
            usage=usage,
            cost_usd=cost or None,
            text=self._options.text(words) or None,
            reasoning=self._options.text(thoughts) or None,
        )

    def _tool(self, part: Part, state: State, place: EventPlace) -> Iterator[Event]:
        name, call_id = part.tool or "unknown", part.call_id or part.id or ""
        times = state.time or Span()
        begun = place | {"at": seconds(times.start) or place["at"]}
        yield ToolCall(
            **_as_place(begun),
            id=call_id,
            name=name,
            arguments=raw_text(state.input, self._options),
            digest=call_digest(name, bytes(state.input)),
        )
        about = state.metadata or Metadata()
        if about.session_id:
            yield SubagentStart(**_as_place(begun), id=about.session_id, call_id=call_id, name=name)
        if state.status not in _DONE:
            return
        done = _as_place(place | {"at": seconds(times.end) or place["at"]})
        failed = state.status == "error" or bool(about.exit)
        text = self._options.text(state.error or state.output)
        yield ToolResult(**done, call_id=call_id, is_error=failed, text=text)
        yield from _file_changes(name, state, call_id, done)


def _as_place(place: Any) -> EventPlace:  # noqa: ANN401  a place whose time was replaced
    placed: EventPlace = place
    return placed


def _file_changes(name: str, state: State, call_id: str, place: EventPlace) -> Iterator[FileChange]:
    if name not in _WRITING:
        return
    try:
        arguments, _ = ARGUMENTS.decode(state.input)
    except DecodingError:
        return
    about = state.metadata or Metadata()
    is_new = name == "write" and about.exists is False
    if arguments.file_path:
        yield FileChange(
            **place,
            path=arguments.file_path,
            call_id=call_id,
            change="created" if is_new else "modified",
            failed=state.status == "error",
        )


def _usage(tokens: Tokens | None) -> TokenUsage:
    """OpenCode's tokens in our kinds; it counts reasoning separately, which is paid as output."""
    counted = tokens or Tokens()
    cache = counted.cache or Cache()
    made = counted.output
    return TokenUsage(
        input_uncached=counted.input,
        cache_read=cache.read,
        cache_write_5m=cache.write,
        output=None if made is None else made + (counted.reasoning or 0),
        reasoning=counted.reasoning,
    )

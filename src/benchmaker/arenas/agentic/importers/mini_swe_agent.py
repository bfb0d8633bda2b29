"""mini-swe-agent: ``.traj.json`` files of every version, also bare lists of messages."""

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import beginnings, call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Event,
    LlmCall,
    Session,
    SessionEnd,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.exits import status_of
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import (
    Amount,
    Count,
    Loose,
    loose_document,
    quiet_options,
)
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage

_BLOCK = re.compile(r"```\w*\s*\n(.*?)\n```", re.DOTALL)
_RETURNED = re.compile(r"<returncode>(-?\d+)</returncode>")
_NAME = ".traj.json"
_HANDING_IN = (b"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", b"MINI_SWE_AGENT_FINAL_OUTPUT")
_NOT_DONE = "action was not executed"
"""What version 2 reports for the submitting command and those after it; none of them failed."""
_MESSAGES_ALONE = {"[].role", "[].content"}
_STATISTICS = {"info.model_stats.api_calls", "messages[].role"}
_PROMPT_WORDS = (b"bash code block", b"THOUGHT")
_OWN = (*_HANDING_IN, b"```mswea_bash_command", b"<returncode>")
"""Texts that only the tool's own messages contain: its instructions and its results."""
_FORMAT = re.compile(rb'"trajectory_format"\s*:\s*"mini-swe-agent-')


class _Details(msgspec.Struct):
    cached_tokens: Count | None = None
    cache_creation_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None
    cache_read_input_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None


class _Response(msgspec.Struct):
    id: str | None = None
    created: Any = None  # seconds, or a text
    model: str | None = None
    usage: _Usage | None = None


class _Extra(msgspec.Struct):
    response: _Response | None = None
    actions: list[msgspec.Raw] | None = None
    cost: Amount | None = None
    timestamp: Any = None  # seconds, or a text
    returncode: int | None = None
    exception_info: str | None = None


class _Call(msgspec.Struct):
    id: str | None = None


class _Message(msgspec.Struct):
    role: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"")
    reasoning_content: str | None = None
    extra: _Extra | None = None
    tool_calls: list[_Call] | None = None
    timestamp: Any = None  # seconds, or a text


class _Role(msgspec.Struct):
    role: str | None = None


class _Stats(msgspec.Struct):
    instance_cost: Amount | None = None
    api_calls: Count | None = None


class _Model(msgspec.Struct):
    model_name: str | None = None


class _Config(msgspec.Struct):
    model: _Model | None = None


class _Info(msgspec.Struct):
    exit_status: str | None = None
    submission: str | None = None
    model_stats: _Stats | None = None
    mini_version: str | None = None
    config: _Config | None = None


class _Document(msgspec.Struct):
    info: _Info | None = None
    messages: list[msgspec.Raw] | None = None
    instance_id: str | None = None


_DOCUMENTS: Loose[Any] = Loose(_Document | list[msgspec.Raw])  # type: ignore[arg-type]  # a union of types is no type to mypy
_MESSAGES = Loose(_Message)
_ROLES = msgspec.json.Decoder(_Role)


@importer(id="mini_swe_agent", version="3")
class MiniSweAgent:
    """Trajectories of mini-swe-agent; only the recorded responses have tokens."""

    id: ClassVar[str] = "mini_swe_agent"
    version: ClassVar[str] = "3"
    title: ClassVar[str] = "mini-swe-agent trajectory"

    def sniff(self, head: FileHead) -> float:
        """By the named format or the statistics; a bare list by the tool's own wording."""
        fields = outline(head.start)
        is_named = "trajectory_format" in fields and _FORMAT.search(head.start)
        if is_named or "info.mini_version" in fields or fields >= _STATISTICS:
            return 0.95
        has_prompt = all(words in head.start for words in _PROMPT_WORDS)
        is_own = has_prompt or any(words in head.start for words in _OWN)
        return 0.9 if is_own and fields >= _MESSAGES_ALONE else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one attempt of the file."""
        name = root.name.removesuffix(".gz").removesuffix(_NAME)
        yield SessionRef(importer=self.id, id=name, files=(root,), task_id=name)

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of the list of messages."""
        document = _document(ref, quiet_options(options)) or _Document()
        messages = [bytes(raw) for raw in document.messages or ()]
        start = list(takewhile(_is_no_answer, messages))
        return beginnings(start, messages[len(start) :])

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """The messages, then the totals and the end."""
        document = _document(ref, options)
        if document is None:
            return
        info = document.info or _Info()
        model = info.config.model if info.config else None
        yield Session(
            session_id=ref.id,
            harness="mini-swe-agent",
            harness_version=info.mini_version,
            model=(model.model_name if model else None) or options.model,
            mode="headless",
            task_id=document.instance_id,
            records=frozenset({"llm_calls", "tool_calls", "tool_errors"}),
        )
        yield from _Messages(ref, options).events(document.messages or [])
        stats = info.model_stats or _Stats()
        yield Totals(llm_calls=stats.api_calls or None, cost_usd=stats.instance_cost or None)
        yield SessionEnd(
            status=status_of(info.exit_status),
            exit_status=info.exit_status,
            patch=info.submission or None,
        )


def _document(ref: SessionRef, options: Options) -> _Document | None:
    found = loose_document(ref.files[0], options, _DOCUMENTS)
    return _Document(messages=found) if isinstance(found, list) else found


def _is_no_answer(raw: bytes) -> bool:
    try:
        return _ROLES.decode(raw).role != "assistant"
    except msgspec.MsgspecError:
        return True


class _Messages:
    """Reads messages in order; an answer asks for commands, the next messages have the results."""

    def __init__(self, ref: SessionRef, options: Options) -> None:
        self._ref = ref
        self._options = options
        self._mark = ""
        self._called: list[str] = []
        self._is_set = False

    def events(self, messages: list[msgspec.Raw]) -> Iterator[Event]:
        """The events of the messages; ids are those that a copy of the file has, too."""
        self._mark = call_digest("mini", b"".join(bytes(raw) for raw in messages))
        for number, raw in enumerate(messages, start=1):
            message = self._message(raw, number)
            if message is None:
                continue
            extra = message.extra or _Extra()
            at = seconds(extra.timestamp or message.timestamp)
            if at is None and extra.response:
                at = seconds(extra.response.created)
            place = EventPlace(at=at, agent="", line=0, file=0)
            name = f"{self._mark}:{number}:{call_digest('', bytes(raw))}"
            if message.role == "assistant":
                yield from self._answer(message, extra, place, name)
            elif message.role in ("user", "tool"):
                yield from self._user_message(message, extra, place, name)

    def _message(self, raw: msgspec.Raw, number: int) -> _Message | None:
        path = self._ref.files[0]
        try:
            message, left_out = _MESSAGES.decode(raw)
        except DecodingError as refused:
            self._options.skip(Skipped(path, 0, f"message {number}: {refused}"))
            return None
        for complaint in left_out:
            self._options.skip(Skipped(path, 0, f"message {number}: skipped {complaint}"))
        return message

    def _answer(
        self, message: _Message, extra: _Extra, place: EventPlace, name: str
    ) -> Iterator[Event]:
        response = extra.response or _Response()
        yield LlmCall(
            **place,
            id=response.id or name,
            model=response.model,
            usage=_usage(response.usage) if response.usage else None,
            cost_usd=extra.cost or None,
            text=result_text(message.content, self._options),
            reasoning=self._options.text(message.reasoning_content),
        )
        commands = _commands(message, extra)
        self._called = [f"{name}:{at}" for at in range(len(commands))]
        for call_id, command in zip(self._called, commands, strict=True):
            yield ToolCall(
                **place,
                id=call_id,
                name="bash",
                arguments=self._options.text(command),
                digest=call_digest("bash", command),
            )

    def _user_message(
        self, message: _Message, extra: _Extra, place: EventPlace, name: str
    ) -> Iterator[Event]:
        text = result_text(message.content, self._options)
        if not self._is_set:
            self._is_set = True
            yield UserTurn(**place, id=name, text=text)
        elif self._called:
            code = _RETURNED.search(bytes(message.content).decode("utf-8", "replace"))
            returned = extra.returncode if code is None else int(code[1])
            failed = bool(returned) and extra.exception_info != _NOT_DONE
            yield ToolResult(**place, call_id=self._called.pop(0), is_error=failed, text=text)


def _commands(message: _Message, extra: _Extra) -> list[str]:
    """The commands that an answer asks for."""
    if extra.actions is not None:
        return [bytes(raw).decode("utf-8", "replace") for raw in extra.actions]
    if message.tool_calls is not None:
        return [call.id or str(at) for at, call in enumerate(message.tool_calls)]
    whole = Options(skip=lambda _: None, max_text_bytes=2**30)
    return _BLOCK.findall(result_text(message.content, whole) or "")


def _usage(usage: _Usage) -> TokenUsage:
    given = usage.prompt_tokens_details or _Details()
    made = usage.completion_tokens_details or _Details()
    read, written = usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    return disjoint_usage(
        usage.prompt_tokens,
        usage.completion_tokens,
        cache_read=given.cached_tokens if read is None else read,
        cache_write=given.cache_creation_tokens if written is None else written,
        reasoning=made.reasoning_tokens,
    )

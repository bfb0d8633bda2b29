"""Amp: threads, one file each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, Session, UserTurn
from benchmaker.arenas.agentic.logs.lenient_json import Count, Loose, loose_document, quiet_options
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import result_text
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage

_SIGNS = (
    {"id", "usageLedger", "usageLedger.events"},
    {"id", "messages", "messages[].usage", "messages[].usage.cacheCreationInputTokens"},
)
_NO_MESSAGE = -1
"""The place of requests whose message is not in the thread."""


class _Usage(msgspec.Struct, rename="camel"):
    model: str | None = None
    timestamp: Any = None  # a text, or a number in some
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None


class _Message(msgspec.Struct, rename="camel"):
    role: str | None = None
    message_id: Any = None  # a number, or a text
    content: msgspec.Raw = msgspec.Raw(b"")
    usage: _Usage | None = None


class _Tokens(msgspec.Struct):
    input: Count | None = None
    output: Count | None = None


class _Entry(msgspec.Struct, rename="camel"):
    id: str | None = None
    timestamp: Any = None  # a text, or a number in some
    model: str | None = None
    tokens: _Tokens | None = None
    to_message_id: Any = None  # a number, or a text


class _Ledger(msgspec.Struct):
    events: list[_Entry] | None = None


class _Thread(msgspec.Struct, rename="camel"):
    id: str | None = None
    messages: list[_Message] | None = None
    usage_ledger: _Ledger | None = None


_THREADS = Loose(_Thread)


@importer(id="amp", version="1")
class Amp:
    """Threads of Amp: requests and prompts; tool calls are not read.

    Based on ccusage's open-source reader (June 2026). Credits are not dollars and are ignored.
    """

    id: ClassVar[str] = "amp"
    version: ClassVar[str] = "1"
    title: ClassVar[str] = "Amp"

    def sniff(self, head: FileHead) -> float:
        """By the ledger, or the counts in messages."""
        fields = outline(head.start)
        is_thread = any(fields >= signs for signs in _SIGNS)
        return 0.9 if is_thread and "messages[].modelInfo" not in fields else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one thread of the file."""
        thread = loose_document(root, quiet_options(Options(skip=lambda _: None)), _THREADS)
        name = (thread and thread.id) or root.stem
        yield SessionRef(importer=self.id, id=name, files=(root,), session=name)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Message by message; requests are those of the ledger, else those of the messages."""
        thread = loose_document(ref.files[0], options, _THREADS) or _Thread()
        yield Session(
            session_id=ref.id,
            harness="amp",
            model=options.model,
            records=frozenset({"llm_calls"}),
        )
        messages = thread.messages or []
        ledger = thread.usage_ledger.events if thread.usage_ledger else None
        requests = (
            _of_ledger(ledger, messages, ref.id, options)
            if ledger
            else _of_messages(messages, ref.id, options)
        )
        for number, message in enumerate(messages):
            text = result_text(message.content, options)
            if message.role == "user" and b'"tool_result"' not in bytes(message.content):
                yield UserTurn(id=f"{ref.id}:{number}", text=text)
            yield from requests.pop(number, ())
        yield from requests.get(_NO_MESSAGE, ())


def _of_ledger(
    entries: list[_Entry], messages: list[_Message], name: str, options: Options
) -> dict[int, list[LlmCall]]:
    """The requests of the ledger by message; cache tokens are counted in the message alone."""
    places = {
        str(it.message_id): number
        for number, it in enumerate(messages)
        if it.message_id is not None and it.usage is not None
    }
    found: dict[int, list[LlmCall]] = {}
    for number, entry in enumerate(entries):
        at = places.get(str(entry.to_message_id), _NO_MESSAGE)
        beside = (None if at == _NO_MESSAGE else messages[at].usage) or _Usage()
        tokens = entry.tokens or _Tokens()
        call = LlmCall(
            **EventPlace(at=seconds(entry.timestamp), agent="", line=0, file=0),
            id=entry.id or f"{name}:{number}",
            model=entry.model or options.model,
            usage=TokenUsage(
                input_uncached=tokens.input,
                cache_read=beside.cache_read_input_tokens,
                cache_write_5m=beside.cache_creation_input_tokens,
                output=tokens.output,
            ),
        )
        found.setdefault(at, []).append(call)
    return found


def _of_messages(messages: list[_Message], name: str, options: Options) -> dict[int, list[LlmCall]]:
    """The request of each message that was answered."""
    found: dict[int, list[LlmCall]] = {}
    for number, message in enumerate(messages):
        used = message.usage
        if message.role == "assistant" and used is not None:
            call = LlmCall(
                **EventPlace(at=seconds(used.timestamp), agent="", line=0, file=0),
                id=f"{name}:request {number}",
                model=used.model or options.model,
                usage=TokenUsage(
                    input_uncached=used.input_tokens,
                    cache_read=used.cache_read_input_tokens,
                    cache_write_5m=used.cache_creation_input_tokens,
                    output=used.output_tokens,
                ),
                text=result_text(message.content, options) or None,
            )
            found[number] = [call]
    return found

"""Aider: the analytics log, and the chat history with its rounded figures."""

import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest, finished_beginnings
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
    Event,
    FileChange,
    LlmCall,
    Session,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count, Loose, quiet_options
from benchmaker.arenas.agentic.logs.lines import text_lines, unfinished_line
from benchmaker.arenas.agentic.logs.shared_file import FileCache, FileLines
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import Provenance

_EVENTS = re.compile(rb'"event": ?"(launched|message_send|cli session|auto_commits|repo)"')
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_OF_A_CHAT = re.compile(
    rb"^(# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
    rb"|> Tokens: [\d.,]+[kM]? sent,[^\n]* received\.)",
    re.MULTILINE,
)
_PROMPT, _NOTICES = "#### ", (">", "# aider chat started at ")
_MODEL = re.compile(r"> (?:Main model|Models?): (\S+)")
_VERSION = re.compile(r"> Aider v?(\S+)")
_EDITED = re.compile(r"> Applied edit to (.+?)\s*$")
_NUMBER = r"([\d.,]+)([kM]?)"
_TOKENS = re.compile(
    rf"> Tokens: {_NUMBER} sent,(?: {_NUMBER} cache write,)?(?: {_NUMBER} cache hit,)?"
    rf" {_NUMBER} received\.(?: Cost: \$([\d.,]+) (?:request|message),)?"
)
_UNITS = {"": 1, "k": 1_000, "M": 1_000_000}
_END = "end"


class _Properties(msgspec.Struct):
    main_model: str | None = None
    edit_format: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cost: Amount | None = None


class _Row(msgspec.Struct):
    event: str | None = None
    properties: _Properties | None = None
    user_id: str | None = None
    time: Any = None  # seconds, or a text


_ROWS = Loose(_Row)


@importer(id="aider", version="2")
class Aider:
    """Sessions of Aider, from ``--analytics-log`` or ``.aider.chat.history.md``.

    Tokens and costs of a chat history are rounded: they are labelled as estimated.
    """

    id: ClassVar[str] = "aider"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Aider"

    def __init__(self) -> None:
        self._lines = FileLines()
        self._unfinished = FileCache(unfinished_line)

    def sniff(self, head: FileHead) -> float:
        """By a chat's header or its lines of tokens, or by the events of the analytics log."""
        if _is_chat(head.start):
            return 0.95
        first = head.start.split(b"\n", 1)[0]
        is_event = b'"properties"' in first and b'"user_id"' in first and b'"time"' in first
        return 0.9 if is_event and _EVENTS.search(head.start) else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each launch that sent a message, or each chat."""
        is_chat = _is_chat(file_start(root))
        for start, end, name in _chats(root) if is_chat else _launches(root):
            yield SessionRef(
                importer=self.id,
                id=name,
                files=(root,),
                part=f"{start:09}",
                hints={_END: str(end)},
            )

    def beginnings(self, ref: SessionRef, options: Options) -> tuple[bytes, ...]:
        """The beginnings of a chat's or a launch's lines."""
        quiet = quiet_options(options)
        unfinished = self._unfinished.get(ref.files[0], quiet)
        return finished_beginnings(self._lines_of(ref, quiet), unfinished=unfinished)

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Line by line."""
        lines = self._lines_of(ref, options)
        if _is_chat(file_start(ref.files[0])):
            yield from _Chat(ref, options).events(lines)
        else:
            yield from _analytics(lines, ref, options)

    def _lines_of(self, ref: SessionRef, options: Options) -> Iterator[tuple[int, bytes]]:
        """The numbered lines of a session."""
        first, last = int(ref.part), int(ref.hints[_END])
        return self._lines.between(ref.files[0], options, first, last)


def _is_chat(start: bytes) -> bool:
    return _OF_A_CHAT.search(start) is not None


def _unreported_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    return text_lines(path, Options(skip=lambda _: None))


def _chats(path: Path) -> Iterator[tuple[int, int, str]]:
    """First and last line of each chat, and a name that a copy has, too.

    Lines before the first header are a chat whose beginning is lost, if they hold a prompt or an
    answer. A header has a time in seconds only, so the lines up to the first answer are part of the
    name: several chats may start in one second.
    """
    start, last, is_opening = 0, 0, False
    opening = blake2b(digest_size=8)
    for number, raw in _unreported_lines(path):
        line = raw.decode("utf-8", "replace")
        is_answered = _TOKENS.match(line) is not None
        is_first = not start and (line.startswith(_PROMPT) or is_answered)
        if is_first or _STARTED.match(line):
            if start:
                yield start, last, f"aider:{opening.hexdigest()}"
            start, is_opening, opening = number, True, blake2b(digest_size=8)
        if is_opening:
            opening.update(raw + b"\n")
            is_opening = not is_answered
        last = number
    if start:
        yield start, last, f"aider:{opening.hexdigest()}"


def _launches(path: Path) -> Iterator[tuple[int, int, str]]:
    """First and last line of each launch that sent a message."""
    start, last, name, has_sent = 1, 0, "", False
    for number, raw in _unreported_lines(path):
        if b'"launched"' in raw and last:
            if has_sent:
                yield start, last, name
            start, name, has_sent = number, "", False
        name = name or f"aider:{call_digest('', raw)}:{number}"
        has_sent |= b'"message_send"' in raw
        last = number
    if has_sent:
        yield start, last, name


def _analytics(
    lines: Iterator[tuple[int, bytes]], ref: SessionRef, options: Options
) -> Iterator[Event]:
    yield Session(
        session_id=ref.id,
        harness="aider",
        model=options.model,
        records=frozenset({"llm_calls"}),
    )
    for number, raw in lines:
        try:
            row, left_out = _ROWS.decode(raw)
        except DecodingError as refused:
            options.skip(Skipped(ref.files[0], number, str(refused)))
            continue
        for complaint in left_out:
            options.skip(Skipped(ref.files[0], number, f"skipped {complaint}"))
        place = EventPlace(at=seconds(row.time), agent="", line=number, file=0)
        properties = row.properties or _Properties()
        if row.event != "message_send":
            yield Activity(**place)
            continue
        usage = disjoint_usage(properties.prompt_tokens, properties.completion_tokens)
        yield LlmCall(
            **place,
            id=f"aider:{row.user_id}:{call_digest('', raw)}",
            model=properties.main_model,
            usage=usage,
            cost_usd=properties.cost or None,
        )


class _Chat:
    """Reads one chat of a history; it has no times but that of its beginning."""

    def __init__(self, ref: SessionRef, options: Options) -> None:
        self._ref = ref
        self._options = options
        self._model = options.model
        self._requests = 0
        self._prompt: list[str] = []
        self._answer: list[str] = []

    def events(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[Event]:
        """Yield the events of the lines."""
        before = int(self._ref.part)
        yield Session(
            line=before,
            session_id=self._ref.id,
            harness="aider",
            mode="interactive",
            provenance=Provenance.ESTIMATED,
            records=frozenset({"llm_calls", "file_changes"}),
        )
        for number, raw in lines:
            line = raw.decode("utf-8", "replace")
            is_prompt, is_next = f"{line} ".startswith(_PROMPT), number == before + 1
            if not (is_prompt and is_next):
                yield from self._prompt_turn(before)
            if is_prompt:
                self._prompt.append(line.removeprefix(_PROMPT.rstrip()).strip())
            else:
                self._answer += [] if is_next else [""]
                yield from self._line(line, number)
            before = number
        yield from self._prompt_turn(before)

    def _prompt_turn(self, last: int) -> Iterator[Event]:
        """The prompt that ends in this line, if there is one."""
        if not self._prompt:
            return
        line = last + 1 - len(self._prompt)
        text = "\n".join(self._prompt)
        yield UserTurn(line=line, id=f"{self._ref.id}:turn {line}", text=self._options.text(text))
        self._prompt, self._answer = [], []

    def _line(self, line: str, number: int) -> Iterator[Event]:
        if found := _STARTED.match(line):
            yield Session(at=seconds(found[1]), line=number, provenance=Provenance.ESTIMATED)
        elif found := _VERSION.match(line):
            yield Session(line=number, harness_version=found[1], provenance=Provenance.ESTIMATED)
        elif found := _MODEL.match(line):
            self._model = found[1]
            yield Session(line=number, model=found[1], provenance=Provenance.ESTIMATED)
        elif found := _EDITED.match(line):
            yield FileChange(line=number, path=found[1], call_id=f"{self._ref.id}:{number}")
        elif found := _TOKENS.match(line):
            yield self._request(found, line, number)
        elif not line.startswith(_NOTICES):
            self._answer.append(line)

    def _request(self, found: "re.Match[str]", line: str, number: int) -> LlmCall:
        self._requests += 1
        sent, written, read, received = (_count(found[at], found[at + 1]) for at in (1, 3, 5, 7))
        cost, said = found[9], "\n".join(self._answer).strip()
        self._answer = []
        return LlmCall(
            line=number,
            id=f"{self._ref.id}:{self._requests}:{call_digest('', line)}",
            model=self._model,
            usage=disjoint_usage(sent, received, cache_read=read, cache_write=written),
            cost_usd=_decimal(cost) if cost else None,
            text=self._options.text(said) if said else None,
        )


def _count(text: str | None, unit: str | None) -> int | None:
    if not text:
        return None
    value = _decimal(text)
    return None if value is None else round(value * _UNITS[unit or ""])


def _decimal(text: str) -> float | None:
    """The number in ``5,244`` or ``5.2``.

    >>> _decimal("5,244")
    5244.0
    """
    try:
        return float(text.replace(",", "").rstrip("."))
    except ValueError:
        return None

"""From the rows of one Codex rollout file to events."""

import re
from collections.abc import Callable, Iterator

import msgspec

from benchmaker.arenas.agentic.importers.codex_cli.patches import (
    Patched,
    applied_files,
    patch_in,
    patched_files,
)
from benchmaker.arenas.agentic.importers.codex_cli.rows import Change, Item, Payload, Row, TokenInfo
from benchmaker.arenas.agentic.importers.codex_cli.threads import Thread
from benchmaker.arenas.agentic.importers.codex_cli.usage import Meter, usage_of
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Activity,
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
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.record.submissions.submission import Status

_CODE_AT_START = re.compile(rb"(?:[Pp]rocess exited with code|[Ee]xit code:) (-?\d+)")
_CODE_AT_END = re.compile(rb'\\?"exit_code\\?": ?(-?\d+)')
_REFUSED = re.compile(rb'"success": ?false')
_OUTPUTS_FAILED = (
    b'"failed',
    b'"execution error',
    b'"apply_patch verification failed',
    b'"aborted',
    b'"unsupported call',
    b'"Error',
    b'"error',
)
_START, _END = 400, 200


def is_failure(output: msgspec.Raw) -> bool:
    """By the exit code of a command, or the words that an error begins with."""
    raw = bytes(output)
    code = _CODE_AT_START.search(raw[:_START]) or _CODE_AT_END.search(raw[-_END:])
    if code is not None:
        return int(code[1]) != 0
    return raw.startswith(_OUTPUTS_FAILED) or _REFUSED.search(raw[-_END:]) is not None


HARNESS = "codex"

_RECORDS: frozenset[Metric] = frozenset(
    {"llm_calls", "tool_calls", "tool_errors", "compactions", "interruptions", "file_changes"}
)
_NAMES = {
    "local_shell_call": "local_shell",
    "web_search_call": "web_search",
    "tool_search_call": "tool_search",
    "image_generation_call": "image_generation",
}
_CALLS = {"function_call", "custom_tool_call", *_NAMES}
_PROMPTS = {None, "plain"}
_FAILED = {"failed", "declined"}


class Rollout:
    """Reads one file; ``inherited`` is the last line copied from another thread.

    If the beginning of a file was split off, its first ``token_count`` may repeat a request of the
    missing part: releases that number their rows write one for each request.
    """

    def __init__(
        self, thread: Thread, options: Options, *, file: int, inherited: int, is_main: bool
    ) -> None:
        self._thread = thread
        self._options = options
        self._file = file
        self._inherited = inherited
        self._agent = "" if is_main else thread.id or f"thread-{file}"
        self._is_person = is_main and thread.parent is None
        self._meter = Meter()
        self._model = options.model
        self._turn: str | None = None
        self._said: list[str] = []
        self._prompt: tuple[str | None, str | None] = (None, None)
        self._thoughts: dict[str, None] = {}
        self._context_facts: dict[str, str] = {}
        self._repeats = False
        self._called: set[str | None] = set()
        self._patches: dict[str, tuple[Patched, ...]] = {}
        self._is_compacting = False
        self._end = Status.UNKNOWN

    def events(self, row: Row, line: int) -> Iterator[Event]:
        """Yield the events of one row; copied rows only update the running sum of tokens."""
        payload = row.payload
        if payload is None:
            return
        if line <= self._inherited:
            self._inherit(row, payload)
            return
        self._repeats |= line == 1 and bool(row.ordinal)
        at = seconds(row.timestamp)
        place = EventPlace(at=at, agent=self._agent, line=line, file=self._file)
        said = list(self._body(row.type, payload, place))
        yield from said or (Activity(**place),)

    def begin(self, meta: Payload) -> Iterator[Event]:
        """Yield the session, and the start of a subagent."""
        place = EventPlace(at=None, agent=self._agent, line=1, file=self._file)
        if self._agent:
            yield SubagentStart(**place, id=self._agent, name=self._thread.name)
            return
        yield Session(
            **place,
            session_id=self._thread.id,
            harness=HARNESS,
            harness_version=meta.cli_version,
            provider=meta.model_provider,
            mode=_mode(meta),
            cwd=meta.cwd,
            parent_id=self._thread.parent or self._thread.origin,
            model=self._options.model,
            records=_RECORDS,
        )

    def finish(self) -> Iterator[Event]:
        """Yield the end of the last turn."""
        if not self._agent and self._end is not Status.UNKNOWN:
            yield SessionEnd(status=self._end, file=self._file)

    def _inherit(self, row: Row, payload: Payload) -> None:
        if row.type == "turn_context":
            self._model = payload.model or self._model
        elif payload.type == "token_count" and payload.info:
            self._meter.inherit(payload.info)

    def _body(self, kind: str | None, payload: Payload, place: EventPlace) -> Iterator[Event]:
        self._turn = payload.turn_id or self._turn
        if kind == "event_msg":
            read = _EVENTS.get(payload.type or "")
            if read is not None:
                yield from read(self, payload, place)
        elif kind == "response_item":
            yield from self._item(payload, place)
        elif kind == "turn_context":
            yield from self._context(payload, place)
        elif kind == "token_usage_record":
            self._repeats = False
            sums = TokenInfo(payload.thread_token_usage, payload.usage)
            yield from self._request(sums, payload, place)
        elif kind == "compacted":
            self._is_compacting = True
            yield Compaction(**place, id=self._line_id(place))

    def _line_id(self, place: EventPlace) -> str:
        """An id that a copy of the file has, too."""
        return f"{self._thread.id}:{place['line']}"

    def _context(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        self._model = payload.model or self._model
        facts = {"model": payload.model, "effort": payload.effort}
        known = self._context_facts.get
        new = {name: value for name, value in facts.items() if value and value != known(name)}
        self._context_facts |= new
        if new and not self._agent:
            yield Session(**place, model=new.get("model"), effort=new.get("effort"))

    def _item(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        kind = payload.type or ""
        if kind in _CALLS:
            yield from self._call(kind, payload, place)
        elif kind == "reasoning":
            self._think(*_summaries(payload))
        elif kind.endswith("_output") and payload.call_id:
            failed = is_failure(payload.output)
            yield ToolResult(
                **place,
                call_id=payload.call_id,
                is_error=failed,
                text=result_text(payload.output, self._options),
            )
            yield from self._file_changes(payload.call_id, place, failed=failed)

    def _call(self, kind: str, payload: Payload, place: EventPlace) -> Iterator[Event]:
        call_id = payload.call_id or payload.id or self._line_id(place)
        name = payload.name or _NAMES.get(kind, kind)
        self._called.add(call_id)
        arguments = bytes(payload.arguments or payload.input or payload.action)
        if files := tuple(patched_files(patch_in(arguments))):
            self._patches[call_id] = files
        yield ToolCall(
            **place,
            id=call_id,
            name=name,
            arguments=raw_text(arguments, self._options),
            digest=call_digest(name, arguments),
        )

    def _file_changes(self, call_id: str, place: EventPlace, *, failed: bool) -> Iterator[Event]:
        for file in self._patches.pop(call_id, ()):
            yield FileChange(**place, call_id=call_id, **file._asdict(), failed=failed)

    def tokens(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """A count of tokens: the request that it adds."""
        if payload.info is not None and self._repeats:
            self._meter.inherit(payload.info)
        elif payload.info is not None:
            yield from self._request(payload.info, payload, place)
        self._repeats = False

    def _request(self, info: TokenInfo, payload: Payload, place: EventPlace) -> Iterator[Event]:
        request = self._meter.request(info)
        if request is None:
            return
        yield LlmCall(
            **place,
            id=payload.response_id or f"{self._turn or self._thread.id}:{_sums(info)}",
            model=payload.model or self._model,
            usage=usage_of(request),
            text="\n\n".join(self._said) or None,
            reasoning=self._options.text("\n\n".join(self._thoughts)) or None,
        )
        self._said = []
        self._thoughts.clear()

    def answer(self, payload: Payload, _place: EventPlace) -> Iterator[Event]:
        """Store the model's text for its request."""
        self._say(payload.message)
        return iter(())

    def _say(self, words: str | None) -> None:
        """Keep words, once where a version writes them both as an item and as an event."""
        text = self._options.text(words)
        if text and text not in self._said:
            self._said.append(text)

    def on_reasoning(self, payload: Payload, _place: EventPlace) -> Iterator[Event]:
        """A summary of the reasoning, which is also written as an item of the answer."""
        self._think(payload.text)
        return iter(())

    def _think(self, *texts: str | None) -> None:
        """Keep texts for the request that they belong to, without repetitions."""
        if not self._options.drop_content:
            self._thoughts |= dict.fromkeys(filter(None, texts))

    def prompt(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """A person's prompt, unless another agent started this one."""
        if payload.kind in _PROMPTS:
            yield from self._prompt_turn(payload.type, payload.message, self._line_id(place), place)

    def _prompt_turn(
        self, kind: str | None, words: str | None, name: str, place: EventPlace
    ) -> Iterator[Event]:
        """A prompt, once where it is written both as an item and as an event."""
        before, self._prompt = self._prompt, (kind, words)
        is_again = before[0] not in (None, kind) and before[1] == words
        if is_again:
            self._prompt = (None, None)
        elif self._is_person:
            yield UserTurn(**place, id=name, text=self._options.text(words))

    def item(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """Yield the events of an item; versions from 0.169 on write items instead of events."""
        item = payload.item or Item()
        match item.type:
            case "UserMessage":
                yield from self._prompt_turn(
                    payload.type, item.text, item.id or self._line_id(place), place
                )
            case "AgentMessage":
                self._say(item.text)
            case "CommandExecution" if item.id in self._called:
                failed = bool(item.exit_code) or item.status in _FAILED
                text = self._options.text(item.aggregated_output)
                yield ToolResult(**place, call_id=item.id or "", is_error=failed, text=text)
            case "FileChange":
                failed = item.status in _FAILED
                yield from self._patch_events(item.id, item.changes, place, failed=failed)
            case "ContextCompaction":
                yield from self.on_compaction(payload, place)
            case _:
                pass

    def on_turn_end(self, _payload: Payload, _place: EventPlace) -> Iterator[Event]:
        """The end of a turn."""
        self._end = Status.COMPLETED
        return iter(())

    def on_turn_aborted(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """A turn that was broken off."""
        is_budget = payload.reason == "budget_limited"
        self._end = Status.BUDGET if is_budget else Status.CANCELLED
        if payload.reason in (None, "interrupted"):
            yield Interruption(**place, id=self._line_id(place))

    def on_compaction(self, _payload: Payload, place: EventPlace) -> Iterator[Event]:
        """Yield a compaction; if it also has its own row, this repeats it."""
        if not self._is_compacting:
            yield Compaction(**place, id=self._line_id(place))
        self._is_compacting = False

    def on_patch(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """A patch that was applied, or failed."""
        failed = payload.success is False
        yield from self._patch_events(payload.call_id, payload.changes, place, failed=failed)

    def _patch_events(
        self,
        call_id: str | None,
        changes: dict[str, Change] | None,
        place: EventPlace,
        *,
        failed: bool,
    ) -> Iterator[Event]:
        name = call_id or self._line_id(place)
        if name not in self._patches:
            self._patches[name] = tuple(applied_files(changes or {}))
        yield from self._file_changes(name, place, failed=failed)

    def on_error(self, payload: Payload, place: EventPlace) -> Iterator[Event]:
        """Yield an error of the provider or of Codex itself."""
        yield Failure(**place, message=self._options.text(payload.message) or "")


_EVENTS: dict[str, Callable[[Rollout, Payload, EventPlace], Iterator[Event]]] = {
    "token_count": Rollout.tokens,
    "item_completed": Rollout.item,
    "agent_message": Rollout.answer,
    "agent_reasoning": Rollout.on_reasoning,
    "user_message": Rollout.prompt,
    "task_complete": Rollout.on_turn_end,
    "turn_complete": Rollout.on_turn_end,
    "turn_aborted": Rollout.on_turn_aborted,
    "context_compacted": Rollout.on_compaction,
    "patch_apply_end": Rollout.on_patch,
    "error": Rollout.on_error,
    "stream_error": Rollout.on_error,
}


def _summaries(payload: Payload) -> Iterator[str | None]:
    """The texts of a reasoning item; the rest of it is encrypted."""
    if isinstance(payload.summary, list):
        for piece in payload.summary:
            yield piece.text


def _sums(info: TokenInfo) -> str:
    counted = info.total_token_usage or info.last_token_usage
    names = counted.__struct_fields__ if counted else ()
    return "/".join(str(getattr(counted, name)) for name in names)


def _mode(meta: Payload) -> str:
    """Return the mode: interactive use or not."""
    is_exec = meta.source == "exec" or "exec" in (meta.originator or "")
    return "headless" if is_exec else "interactive"

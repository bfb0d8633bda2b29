"""The output of ``qwen -o stream-json``: a dialect of Claude Code's, without times."""

from collections.abc import Callable, Iterator

from benchmaker.arenas.agentic.importers.claude.rows import Block, Message, Usage
from benchmaker.arenas.agentic.importers.qwen.chat import HARNESS, RECORDS
from benchmaker.arenas.agentic.importers.qwen.rows import Line
from benchmaker.arenas.agentic.logs.digests import call_digest
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
from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.record.submissions.submission import Status


class Stream:
    """Reads the lines of one run, which don't include its prompt."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._said: list[str] = []
        self._thought: list[str] = []
        self._awaits_answer = False

    def session(self, name: str) -> Session:
        """The session, which a file without the first line of a run only names."""
        model = self._options.model
        return Session(
            session_id=name, harness=HARNESS, model=model, mode="headless", records=RECORDS
        )

    def events(self, line: Line, number: int) -> Iterator[Event]:
        """The events of one line."""
        agent = line.parent_tool_use_id or ""
        place = EventPlace(at=None, agent=agent, line=number, file=0)
        read = _READERS.get(line.type or "")
        if read is not None:
            yield from read(self, line, place)

    def _system(self, line: Line, place: EventPlace) -> Iterator[Event]:
        if line.subtype != "init":
            return
        self._awaits_answer = True
        yield Session(
            **place,
            session_id=line.session_id or "",
            harness=HARNESS,
            harness_version=line.qwen_code_version,
            model=line.model or self._options.model,
            mode="headless",
            cwd=line.cwd,
            records=RECORDS,
        )

    def _answer(self, line: Line, place: EventPlace) -> Iterator[Event]:
        """An answer; if it is printed in pieces, the last one has the tokens."""
        message = line.message or Message()
        if self._awaits_answer and not place["agent"]:
            self._awaits_answer = False
            yield UserTurn(**place, id=f"prompt before {line.uuid}")
        self._said += [block.text for block in _blocks(message, "text") if block.text]
        self._thought += [it.thinking for it in _blocks(message, "thinking") if it.thinking]
        used = message.usage or Usage()
        if used.input_tokens or used.output_tokens:
            yield LlmCall(
                **place,
                id=message.id or line.uuid,
                model=message.model or self._options.model,
                usage=disjoint_usage(
                    used.input_tokens,
                    used.output_tokens,
                    cache_read=used.cache_read_input_tokens,
                ),
                text=self._options.text("\n".join(self._said)) or None,
                reasoning=self._options.text("\n".join(self._thought)) or None,
            )
            self._said, self._thought = [], []
        for block in _blocks(message, "tool_use"):
            yield from self._call(block, place)

    def _call(self, block: Block, place: EventPlace) -> Iterator[Event]:
        name = block.name or "unknown"
        if block.id:
            yield ToolCall(
                **place,
                id=block.id,
                name=name,
                arguments=raw_text(block.input, self._options),
                digest=call_digest(name, bytes(block.input)),
            )

    def _results(self, line: Line, place: EventPlace) -> Iterator[Event]:
        for block in _blocks(line.message or Message(), "tool_result"):
            if block.tool_use_id:
                text = result_text(block.content, self._options)
                failed = bool(block.is_error)
                yield ToolResult(**place, call_id=block.tool_use_id, is_error=failed, text=text)

    def _on_result(self, line: Line, place: EventPlace) -> Iterator[Event]:
        """The end; its token counts repeat those of the answers and are not used."""
        api_s = None if line.duration_api_ms is None else line.duration_api_ms / 1e3
        wall_s = None if line.duration_ms is None else line.duration_ms / 1e3
        yield Totals(**place, run=line.uuid or "", wall_s=wall_s, active_s=wall_s, llm_s=api_s)
        status = Status.FAILED if line.is_error else Status.COMPLETED
        yield SessionEnd(**place, status=status, exit_status=line.subtype)


_READERS: dict[str, Callable[[Stream, Line, EventPlace], Iterator[Event]]] = {
    "system": Stream._system,  # noqa: SLF001  the class's own
    "assistant": Stream._answer,  # noqa: SLF001
    "user": Stream._results,  # noqa: SLF001
    "result": Stream._on_result,  # noqa: SLF001
}


def _blocks(message: Message, kind: str) -> Iterator[Block]:
    if isinstance(message.content, list):
        for block in message.content:
            if isinstance(block, Block) and block.type == kind:
                yield block

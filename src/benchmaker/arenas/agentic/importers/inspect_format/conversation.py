"""The tool calls in the messages of a sample, for logs without events."""

from collections.abc import Iterable, Iterator

from benchmaker.arenas.agentic.importers.inspect_format.rows import Called, Message
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.events import ToolCall, ToolResult
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text

_TOOL = "tool"
_UNKNOWN = "unknown"


def conversation_events(
    messages: Iterable[Message], key: str, options: Options
) -> Iterator[ToolCall | ToolResult]:
    """Return the calls and results of a conversation; ``key`` makes their ids unique.

    A result whose call is in no message is a call of its own, since a tool ran.
    """
    ids = _CallIds()
    for message in messages:
        for called in message.tool_calls or ():
            yield _call(called, f"{key}:{ids.add_call(called)}", options)
        if message.role != _TOOL:
            continue
        name, is_named = ids.add_result(message)
        if not is_named:
            yield ToolCall(id=f"{key}:{name}", name=message.function or _UNKNOWN)
        yield ToolResult(
            call_id=f"{key}:{name}",
            is_error=message.error is not None,
            text=result_text(message.content, options),
        )


def count_unnamed_calls(messages: Iterable[Message]) -> int:
    """Return the number of calls that are known by their results alone."""
    ids, found = _CallIds(), 0
    for message in messages:
        for called in message.tool_calls or ():
            ids.add_call(called)
        if message.role == _TOOL:
            _, is_named = ids.add_result(message)
            found += not is_named
    return found


class _CallIds:
    """The ids of the calls so far; those without an id are answered in their order."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._waiting: list[str] = []
        self._unnamed = 0

    def add_call(self, called: Called) -> str:
        """Return the id of a call, or one of its own."""
        if not called.id:
            self._waiting.append(self._next_id())
            return self._waiting[-1]
        self._known.add(called.id)
        return called.id

    def add_result(self, message: Message) -> tuple[str, bool]:
        """Return the id of a result's call, and whether a message names the call."""
        given = message.tool_call_id
        if given in self._known:
            return given, True
        if not given and self._waiting:
            return self._waiting.pop(0), True
        name = given or self._next_id()
        self._known.add(name)
        return name, False

    def _next_id(self) -> str:
        self._unnamed += 1
        return f"#{self._unnamed}"


def _call(called: Called, name: str, options: Options) -> ToolCall:
    tool = called.function or _UNKNOWN
    return ToolCall(
        id=name,
        name=tool,
        arguments=raw_text(called.arguments, options),
        digest=call_digest(tool, bytes(called.arguments)),
    )

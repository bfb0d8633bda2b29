"""The requests of a tool call: shell commands, addresses, search terms."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.events import ToolCall

_COMMANDS = frozenset(
    {"command", "cmd", "commands", "script", "keystrokes", "code", "argv", "bash_command"}
)
_ADDRESSES = frozenset({"url", "urls", "uri", "query", "q", "search_query", "search_term"})
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n.*?^\s*\2\s*$", re.DOTALL | re.MULTILINE)
_MOST = 2**20


def commands(call: ToolCall) -> str:
    """Return the commands that a call runs, one per line; empty if it runs none.

    Text that a command only writes into a file is omitted.
    """
    return _HEREDOC.sub("\n", "\n".join(_texts(call, _COMMANDS)))


def addresses(call: ToolCall) -> str:
    """The addresses and searches of a call, one a line."""
    return "\n".join(_texts(call, _ADDRESSES))


def _texts(call: ToolCall, names: frozenset[str]) -> Iterator[str]:
    arguments = (call.arguments or "")[:_MOST]
    if not arguments.lstrip().startswith("{"):
        if names is _COMMANDS and arguments:
            yield arguments
        return
    try:
        given = msgspec.json.decode(arguments)
    except msgspec.DecodeError:
        yield arguments
        return
    yield from _named_values(given, names)


def _named_values(given: Any, names: frozenset[str]) -> Iterator[str]:  # noqa: ANN401  a tool's arguments
    if isinstance(given, dict):
        for name, value in given.items():
            if name in names:
                yield from _strings(value)
            elif isinstance(value, dict | list):
                yield from _named_values(value, names)
    elif isinstance(given, list):
        for one in given:
            yield from _named_values(one, names)


def _strings(value: Any) -> Iterator[str]:  # noqa: ANN401  a tool's arguments
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)

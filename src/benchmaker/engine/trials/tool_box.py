"""Carries out the calls of the tools of a suite."""

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmaker.errors import SandboxError, ScorerTimeout
from benchmaker.record import ToolCall, ToolResult
from benchmaker.scoring.checks.python_functions import PythonFunction
from benchmaker.spec import Suite, Tool
from benchmaker.spec.documents.suggestions import did_you_mean

if TYPE_CHECKING:
    from benchmaker.engine.trials.tool_workers import ToolWorkers

MOST_CHARACTERS = 100_000
"""Maximum length of a result; the rest of a longer one is left out."""

_SHOWN = 200
"""Characters of arguments that are no JSON in the error about them."""


class _LoadedFunction(NamedTuple):
    """The function of a tool, as it is sent to the timed worker."""

    folders: list[str]
    file: str
    source: str
    name: str


class ToolBox:
    """The tools of a suite, with the sources of their functions.

    Raises:
        SpecError: the file of a function can't be read, or has changed since the suite was read.
    """

    def __init__(self, suite: Suite) -> None:
        self._functions = {
            tool.name: _load(tool, suite) for tool in suite.tools if tool.python is not None
        }

    def begin(self) -> int:
        """Return the number of a new conversation, whose calls share the state of functions."""
        return _workers().begin() if self._functions else 0

    def end(self, scope: int) -> None:
        """Drop the state of a conversation."""
        if scope:
            _workers().end(scope)

    async def call(self, call: ToolCall, tools: tuple[Tool, ...], scope: int) -> ToolResult:
        """Return the result of a conversation's call of one of the offered tools.

        A call that can't be carried out gives an error for the model, and never raises.
        """
        tool = next((it for it in tools if it.name == call.name), None)
        if tool is None:
            known = [it.name for it in tools]
            hint = did_you_mean(call.name, known) or f"Tools: {', '.join(known)}."
            return _error(f"there is no tool {call.name!r}. {hint}")
        if not isinstance(call.arguments, dict):
            text = str(call.arguments)[:_SHOWN]
            return _error(f"the arguments of {call.name} are not a JSON object: {text}")
        function = self._functions.get(tool.name)
        if function is None:
            return _result(tool.reply_text)
        return await _call_function(function, tool, call.arguments, scope)


def _load(tool: Tool, suite: Suite) -> _LoadedFunction:
    named = PythonFunction(str(suite.folder / (tool.python or "")), tool.sha256, "tool")
    source = named.source()
    file, name = named.parts
    return _LoadedFunction([str(file.parent), *filter(None, sys.path)], str(file), source, name)


async def _call_function(
    function: _LoadedFunction, tool: Tool, arguments: dict[str, Any], scope: int
) -> ToolResult:
    request = [*function, arguments]
    try:
        reply = await _workers().call(request, scope, timeout_s=tool.timeout)
    except (ScorerTimeout, SandboxError) as exc:
        return _error(f"{tool.name}: {exc.message}")
    match reply:
        case ["ok", str(text)]:
            return _result(text)
        case ["raised", kind, message]:
            return _error(f"{tool.name} raised {kind}: {message}")
        case ["refused", message]:
            return _error(f"{tool.name}: {message}")
        case _:
            return _error(f"{tool.name}: the function {function.name} is missing")


def _result(text: str) -> ToolResult:
    if len(text) <= MOST_CHARACTERS:
        return ToolResult(text)
    left_out = len(text) - MOST_CHARACTERS
    return ToolResult(f"{text[:MOST_CHARACTERS]}\n[{left_out} more characters]")


def _error(message: str) -> ToolResult:
    return ToolResult(f"Error: {message}", is_error=True)


def _workers() -> "ToolWorkers":
    from benchmaker.engine.trials.tool_workers import tool_workers  # noqa: PLC0415  for suites with functions alone

    return tool_workers()

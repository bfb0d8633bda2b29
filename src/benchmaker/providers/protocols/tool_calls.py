"""Tool calls in replies, put together from their pieces, and in the requests that follow."""

import json
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Final, Protocol

from benchmaker.providers.protocols.wire_json import encode_json
from benchmaker.record import Step, ToolCall, ToolResult
from benchmaker.spec import Tool

_REASONING: Final = ("reasoning_content", "reasoning")
"""Fields of a chat completion with reasoning as text."""

_KNOWN: Final = frozenset({"index", "id", "type", "function"})


class ReplyCalls(Protocol):
    """The tool calls of a reply that is being received; false while there are none."""

    def __bool__(self) -> bool: ...

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls, with their arguments as JSON, or as text if that is no object."""
        ...

    def continuation(self) -> Any:  # noqa: ANN401  any JSON
        """Return what the next request must contain besides the calls; None for nothing."""
        ...


class ChatCalls:
    """The tool calls of a chat completion, and its reasoning.

    Pieces of a call are joined by their index. An endpoint that numbers all calls alike is
    understood by their ids.
    """

    __slots__ = ("_by_index", "_calls", "_details", "_texts")

    def __init__(self) -> None:
        self._calls: list[_CallParts] = []
        self._by_index: dict[int, _CallParts] = {}
        self._texts: dict[str, list[str]] = {}
        self._details: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add_calls(self, pieces: Any) -> None:  # noqa: ANN401  any JSON
        """Add calls, or pieces of calls."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict):
                self._call_of(piece).add(piece)

    def add_reasoning(self, name: str, value: Any) -> None:  # noqa: ANN401  any JSON
        """Add reasoning under the name of its field."""
        if isinstance(value, str) and name in _REASONING:
            self._texts.setdefault(name, []).append(value)
        elif isinstance(value, list):
            for one in value:
                self._add_detail(one)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in order."""
        ids = unique_ids([part.id for part in self._calls])
        return tuple(part.tool_call(it) for part, it in zip(self._calls, ids, strict=True))

    def continuation(self) -> dict[str, Any] | None:
        """Return the fields of reasoning, and further fields of the calls."""
        fields: dict[str, Any] = {name: "".join(parts) for name, parts in self._texts.items()}
        if self._details:
            fields["reasoning_details"] = self._details
        if any(part.extra for part in self._calls):
            fields["calls"] = [part.extra for part in self._calls]
        return fields or None

    def _call_of(self, piece: dict[str, Any]) -> "_CallParts":
        """The call to which a piece belongs; a new one for the first piece."""
        index, call_id = piece.get("index"), piece.get("id")
        is_numbered = isinstance(index, int)
        known = self._by_index.get(index) if is_numbered else None  # type: ignore[arg-type]  # an int
        if not is_numbered and self._calls and not call_id and not _function(piece).get("name"):
            known = self._calls[-1]
        if known is None or (call_id and known.id and call_id != known.id):
            known = _CallParts()
            self._calls.append(known)
            if is_numbered:
                self._by_index[index] = known  # type: ignore[index]  # an int
        return known

    def _add_detail(self, piece: Any) -> None:  # noqa: ANN401  any JSON
        """Add a piece of structured reasoning; the texts of one block are joined."""
        if not isinstance(piece, dict):
            return
        last = self._details[-1] if self._details else {}
        same = ("type", "index")
        if not last or any(last.get(it) != piece.get(it) for it in same) or "index" not in piece:
            self._details.append(dict(piece))
            return
        for name, value in piece.items():
            is_piece = name in {"text", "summary", "data"} and isinstance(last.get(name), str)
            if is_piece and isinstance(value, str):
                last[name] += value
            elif value is not None:
                last[name] = value


class _CallParts:
    """One call of a chat completion while it is being put together."""

    __slots__ = ("arguments", "extra", "id", "name")

    def __init__(self) -> None:
        self.id = self.name = ""
        self.arguments: list[str] = []
        self.extra: dict[str, Any] = {}

    def add(self, piece: dict[str, Any]) -> None:
        function, call_id = _function(piece), piece.get("id")
        if isinstance(call_id, str):
            self.id = self.id or call_id
        if isinstance(name := function.get("name"), str):
            self.name = self.name or name
        given = function.get("arguments")
        if given is not None:
            self.arguments.append(given if isinstance(given, str) else json.dumps(given))
        self.extra |= {name: it for name, it in piece.items() if name not in _KNOWN and it}

    def tool_call(self, call_id: str) -> ToolCall:
        arguments = read_arguments("".join(self.arguments))
        return ToolCall(name=self.name, arguments=arguments, id=call_id)


def _function(piece: dict[str, Any]) -> dict[str, Any]:
    given = piece.get("function")
    return given if isinstance(given, dict) else {}


def unique_ids(given: Sequence[Any]) -> list[str]:
    """Return an id for each call of a reply: its own, unless it has none or an earlier one's.

    >>> unique_ids(["a", "", "a", None])
    ['a', 'call_2', 'a_3', 'call_4']
    """
    found: list[str] = []
    for number, one in enumerate(given, 1):
        name = one if isinstance(one, str) and one else f"call_{number}"
        found.append(f"{name}_{number}" if name in found else name)
    return found


def read_arguments(text: str) -> Any:  # noqa: ANN401  an object, or a text
    """Return the arguments of a call as an object; as the text itself if it is none.

    >>> read_arguments('{"a": 1}'), read_arguments(""), read_arguments('{"a": ')
    ({'a': 1}, {}, '{"a": ')
    >>> read_arguments('{"a": NaN}'), read_arguments('{"a": 1e400}')
    ('{"a": NaN}', '{"a": 1e400}')
    """
    if not text.strip():
        return {}
    try:
        value = json.loads(text, parse_constant=_finite_number, parse_float=_finite_number)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _finite_number(text: str) -> float:
    """Return the number; ValueError for NaN and infinities, which JSON can't say."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


class BlockCalls:
    """The content blocks of a message of Anthropic's protocol: text, reasoning, tool calls."""

    __slots__ = ("_blocks", "_inputs")

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}

    def __bool__(self) -> bool:
        return any(block["type"] == "tool_use" for block in self._blocks.values())

    def start(self, index: int, block: dict[str, Any]) -> None:
        """Add a block, or the start of one."""
        self._blocks[index] = block

    def add(self, index: int, name: str, piece: str) -> None:
        """Add a piece to the text under a name of a block."""
        block = self._blocks.get(index)
        if block is not None:
            block[name] = (block.get(name) or "") + piece

    def add_input(self, index: int, piece: str) -> None:
        """Add a piece of the arguments of a call."""
        self._inputs.setdefault(index, []).append(piece)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in order."""
        ids = self._ids()
        return tuple(
            ToolCall(name=block.get("name") or "", arguments=self._input(at), id=ids[at])
            for at, block in sorted(self._blocks.items())
            if block["type"] == "tool_use"
        )

    def continuation(self) -> list[dict[str, Any]] | None:
        """Return all blocks of the message as they are sent back."""
        blocks, ids = [], self._ids()
        for at, block in sorted(self._blocks.items()):
            if block["type"] == "tool_use":
                given = self._input(at)
                known = given if isinstance(given, dict) else {}
                blocks.append({**block, "id": ids[at], "input": known})
            elif block["type"] != "text" or block.get("text"):
                blocks.append(block)
        return blocks or None

    def _ids(self) -> dict[int, str]:
        """The ids of the calls by the index of their block."""
        calls = [at for at, it in sorted(self._blocks.items()) if it["type"] == "tool_use"]
        ids = unique_ids([self._blocks[at].get("id") for at in calls])
        return dict(zip(calls, ids, strict=True))

    def _input(self, index: int) -> Any:  # noqa: ANN401  an object, or a text
        pieces = self._inputs.get(index)
        return read_arguments("".join(pieces)) if pieces else self._blocks[index].get("input") or {}


def chat_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return tools as chat completions offer them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                **({"description": tool.description} if tool.description else {}),
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]


def chat_steps(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return earlier answers with tool calls, and the results, as messages of chat completions."""
    messages: list[dict[str, Any]] = []
    for step in steps:
        messages.append(_chat_answer(step))
        messages += (
            {"role": "tool", "tool_call_id": call.id or "", "content": result.text}
            for call, result in step.pairs
        )
    return messages


def _chat_answer(step: Step) -> dict[str, Any]:
    done = step.completion
    kept = dict(done.continuation) if isinstance(done.continuation, dict) else {}
    extras = kept.pop("calls", None) or [{}] * len(done.tool_calls)
    calls = [
        {
            "id": call.id or "",
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments_text(call)},
            **extra,
        }
        for call, extra in zip(done.tool_calls, extras, strict=True)
    ]
    return {"role": "assistant", "content": done.text or None, "tool_calls": calls, **kept}


def _arguments_text(call: ToolCall) -> str:
    """The arguments as JSON; no arguments for a text that is none, which servers refuse."""
    return encode_json(call.arguments).decode() if isinstance(call.arguments, dict) else "{}"


def message_tools(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """Return tools as Anthropic's protocol offers them."""
    return [
        {
            "name": tool.name,
            **({"description": tool.description} if tool.description else {}),
            "input_schema": tool.parameters,
        }
        for tool in tools
    ]


def message_steps(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Return earlier answers with tool calls, and the results, as messages of Anthropic's."""
    messages: list[dict[str, Any]] = []
    for step in steps:
        results = [_result_block(call, result) for call, result in step.pairs]
        messages.append({"role": "assistant", "content": _blocks(step)})
        messages.append({"role": "user", "content": results})
    return messages


def _blocks(step: Step) -> Sequence[dict[str, Any]]:
    done = step.completion
    if isinstance(done.continuation, list):
        return done.continuation
    text = [{"type": "text", "text": done.text}] if done.text else []
    calls = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.arguments if isinstance(call.arguments, dict) else {},
        }
        for call in done.tool_calls
    ]
    return [*text, *calls]


def _result_block(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call.id, "content": result.text}
    return {**block, "is_error": True} if result.is_error else block

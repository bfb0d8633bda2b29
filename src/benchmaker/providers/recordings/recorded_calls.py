"""The transcript or the tool calls in a line of recorded answers."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from benchmaker.errors import SpecError
from benchmaker.providers.protocols.tool_calls import read_arguments
from benchmaker.record import ToolCall, Transcript, TranscriptMessage
from benchmaker.record.completion import MAX_STEPS
from benchmaker.spec.suites.mapping import MISSING

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_FORM = "Use a list of {role, content, tool_calls}, with tool_calls as [{name, arguments}]."

_CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_RESULT: Final = "tool_result"
"""The end of the type of each block with a result, such as web_search_tool_result."""

_WITHOUT_TEXT: Final = frozenset({
    "thinking", "redacted_thinking", "reasoning", "image", "image_url", "input_image", "document",
    "file", "input_file", "audio", "input_audio",
})  # fmt: skip
"""Types of blocks that leave no trace in a transcript."""


def read_transcript(
    messages: Any,  # noqa: ANN401  any JSON
    calls: Any,  # noqa: ANN401  any JSON
    *,
    output: str,
    steps: Any = MISSING,  # noqa: ANN401  any JSON
    stopped_by: Any = None,  # noqa: ANN401  any JSON
) -> Transcript:
    """Return the transcript of a line with messages or tool calls.

    Messages may have the form of exports, of chat completions, or of Anthropic's Messages, whose
    calls and results are blocks of the content. Calls without messages belong to one answer with
    the output; the number of steps is then unknown, unless it is given. Without it, the answers
    after the last message of the user count; a null says that it is unknown.

    Raises:
        SpecError: a value has another form; the message has its place in the transcript.
    """
    if messages is None:
        own = tuple(map(_without_id, _calls(calls, "tool_calls")))
        alone = TranscriptMessage(role="assistant", content=output, tool_calls=own)
        found: tuple[TranscriptMessage, ...] = (alone,)
        number = None
    else:
        found = tuple(_read_messages(_as_list(messages, "transcript")))
        number = _count_steps(found)
    given = _read_steps(steps, number)
    return Transcript(messages=found, steps=given, stopped_by=_read_stop(stopped_by))


def _read_steps(given: Any, counted: int | None) -> int | None:  # noqa: ANN401  any JSON
    """The given number of steps, None for a null; otherwise the counted one."""
    is_number = isinstance(given, int) and not isinstance(given, bool)
    return given if is_number or given is None else counted


def _read_stop(given: Any) -> str | None:  # noqa: ANN401  any JSON
    if given in (None, ""):
        return None
    if given != MAX_STEPS:
        raise SpecError(f"stopped_by is {given!r:.40}.", hint=f"Use {MAX_STEPS} or null.")
    return MAX_STEPS


def _count_steps(messages: tuple[TranscriptMessage, ...]) -> int:
    asked = [at for at, one in enumerate(messages) if one.role == "user"]
    return sum(one.role == "assistant" for one in messages[asked[-1] if asked else 0 :])


def _read_messages(given: list[Any]) -> Iterator[TranscriptMessage]:
    names: dict[str, str] = {}
    has_calls = False
    for at, message in enumerate(given):
        for one in _read_message(message, f"transcript[{at}]", names):
            has_calls = has_calls or bool(one.tool_calls)
            if one.role == "tool" and not has_calls:
                raise SpecError(
                    f"transcript[{at}] is a result without a call before it.", hint=_FORM
                )
            yield one


class _Content(NamedTuple):
    """The parts of a message's content."""

    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[TranscriptMessage, ...]


def _read_message(given: Any, place: str, names: dict[str, str]) -> Iterator[TranscriptMessage]:  # noqa: ANN401  any JSON
    """Yield a message and the results in it; ``names`` are those of the calls by id."""
    role = given.get("role") if isinstance(given, dict) else None
    if role not in _ROLES:
        raise SpecError(f"{place} has the role {role!r:.40}.", hint=_FORM)
    listed = _calls(given.get("tool_calls"), f"{place}.tool_calls")
    if given.get("function_call") is not None:
        listed = (*listed, _call(given["function_call"], f"{place}.function_call"))
    names.update((call.id, call.name) for call in listed if call.id)
    content = _read_content(given.get("content"), f"{place}.content", names)
    if role == "user":
        yield from content.results
        if content.results and not content.text:
            return
    name = given.get("name") or names.get(str(given.get("tool_call_id")))
    yield TranscriptMessage(
        role=role,
        content=content.text,
        tool_calls=tuple(map(_without_id, (*listed, *content.calls))),
        name=name if isinstance(name, str) else None,
        is_error=given.get("is_error") is True,
    )
    if role != "user":
        yield from content.results


def _read_content(content: Any, place: str, names: dict[str, str]) -> _Content:  # noqa: ANN401  any JSON
    if content is None or isinstance(content, str):
        return _Content(content or "", (), ())
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[TranscriptMessage] = []
    parts = content if isinstance(content, list) else [content]
    for at, part in enumerate(parts):
        where = f"{place}[{at}]"
        kind = part.get("type") if isinstance(part, dict) else None
        if kind in _CALLS:
            calls.append(_call(part, where))
            names[calls[-1].id or ""] = calls[-1].name
        elif isinstance(kind, str) and kind.endswith(_RESULT):
            results.append(_result(part, where, names))
        else:
            texts.append(_text(part, where))
    return _Content("".join(texts), tuple(calls), tuple(results))


def _result(block: dict[str, Any], place: str, names: dict[str, str]) -> TranscriptMessage:
    inner = block.get("content")
    is_plain = inner is None or isinstance(inner, str) or block["type"] == _RESULT
    text = _result_text(inner, f"{place}.content") if is_plain else json.dumps(inner)
    name = names.get(str(block.get("tool_use_id")))
    is_error = block.get("is_error") is True
    return TranscriptMessage(role="tool", content=text, name=name, is_error=is_error)


def _result_text(content: Any, place: str) -> str:  # noqa: ANN401  any JSON
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "".join(_text(part, f"{place}[{at}]") for at, part in enumerate(parts))


def _text(part: Any, place: str) -> str:  # noqa: ANN401  any JSON
    """The text of a part of a content."""
    if not isinstance(part, dict):
        return part if isinstance(part, str) else json.dumps(part)
    for name in ("text", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    if part.get("type") in _WITHOUT_TEXT:
        return ""
    known = ", ".join([*_CALLS, _RESULT, *sorted(_WITHOUT_TEXT)])
    hint = f"Use a text, or blocks with a text or of the types {known}."
    raise SpecError(f"{place} has the type {part.get('type')!r:.40}.", hint=hint)


def _calls(given: Any, place: str) -> tuple[ToolCall, ...]:  # noqa: ANN401  any JSON
    """Calls as exports write them, as chat completions do, or as blocks of Anthropic's."""
    if given is None:
        return ()
    return tuple(_call(it, f"{place}[{at}]") for at, it in enumerate(_as_list(given, place)))


def _call(given: Any, place: str) -> ToolCall:  # noqa: ANN401  any JSON
    inner = given.get("function", given) if isinstance(given, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or not isinstance(name, str) or not name:
        raise SpecError(f"{place}: a tool call has no name.", hint=_FORM)
    arguments = inner.get("arguments", inner.get("input"))
    if isinstance(arguments, str):
        arguments = read_arguments(arguments)
    call_id = given.get("id")
    return ToolCall(
        name=name,
        arguments={} if arguments is None else arguments,
        id=call_id if isinstance(call_id, str) else None,
    )


def _without_id(call: ToolCall) -> ToolCall:
    return ToolCall(name=call.name, arguments=call.arguments)


def _as_list(given: Any, field: str) -> list[Any]:  # noqa: ANN401  any JSON
    if isinstance(given, str):  # a cell of a table
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, list):
        raise SpecError(f"{field} is not a list.", hint=_FORM)
    return given

"""The transcript or the tool calls in a line of recorded answers."""

import json
from typing import Any

from benchmaker.errors import SpecError
from benchmaker.providers.protocols.tool_calls import read_arguments
from benchmaker.record import ToolCall, Transcript, TranscriptMessage

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_FORM = "Use a list of {role, content, tool_calls}, with tool_calls as [{name, arguments}]."


def read_transcript(
    messages: Any,  # noqa: ANN401  any JSON
    calls: Any,  # noqa: ANN401  any JSON
    *,
    output: str,
    steps: Any = None,  # noqa: ANN401  any JSON
    stopped_by: Any = None,  # noqa: ANN401  any JSON
) -> Transcript | None:
    """Return the transcript of a line; None if it has neither messages nor tool calls.

    Calls without messages belong to one answer with the output; the number of steps is then
    unknown, unless it is given. Without it, the answers after the last message of the user count.

    Raises:
        SpecError: a value has another form.
    """
    if messages is None and calls is None:
        return None
    if messages is None:
        alone = TranscriptMessage(role="assistant", content=output, tool_calls=_calls(calls))
        found: tuple[TranscriptMessage, ...] = (alone,)
        number = None
    else:
        found = tuple(map(_message, _as_list(messages, "transcript")))
        number = _count_steps(found)
    given = steps if isinstance(steps, int) and not isinstance(steps, bool) else number
    reason = stopped_by if isinstance(stopped_by, str) and stopped_by else None
    return Transcript(messages=found, steps=given, stopped_by=reason)


def _count_steps(messages: tuple[TranscriptMessage, ...]) -> int:
    asked = [at for at, one in enumerate(messages) if one.role == "user"]
    return sum(one.role == "assistant" for one in messages[asked[-1] if asked else 0 :])


def _message(given: Any) -> TranscriptMessage:  # noqa: ANN401  any JSON
    role = given.get("role") if isinstance(given, dict) else None
    if role not in _ROLES:
        raise SpecError(f"a message of the transcript has the role {role!r:.40}.", hint=_FORM)
    name = given.get("name")
    return TranscriptMessage(
        role=role,
        content=_text(given.get("content")),
        tool_calls=_calls(given.get("tool_calls")),
        name=name if isinstance(name, str) else None,
        is_error=given.get("is_error") is True,
    )


def _text(content: Any) -> str:  # noqa: ANN401  any JSON
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = [one.get("text") if isinstance(one, dict) else one for one in parts]
    return "".join(it if isinstance(it, str) else json.dumps(it) for it in texts if it is not None)


def _calls(given: Any) -> tuple[ToolCall, ...]:  # noqa: ANN401  any JSON
    """Calls as exports write them, or as chat completions do."""
    return () if given is None else tuple(map(_call, _as_list(given, "tool_calls")))


def _call(given: Any) -> ToolCall:  # noqa: ANN401  any JSON
    inner = given.get("function", given) if isinstance(given, dict) else None
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or not isinstance(name, str) or not name:
        raise SpecError("a tool call has no name.", hint=_FORM)
    arguments = inner.get("arguments")
    if isinstance(arguments, str):
        arguments = read_arguments(arguments)
    return ToolCall(name=name, arguments={} if arguments is None else arguments)


def _as_list(given: Any, field: str) -> list[Any]:  # noqa: ANN401  any JSON
    if isinstance(given, str):  # a cell of a table
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = None
    if not isinstance(given, list):
        raise SpecError(f"{field} is not a list.", hint=_FORM)
    return given

"""The tool calls of a trial in words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from benchmaker.record import ToolCall, Transcript, Trial
from benchmaker.record.counts import count

MOST_CALLS = 50
"""Maximum number of calls listed."""

_LENGTH = 200


def call_lines(trial: Trial) -> list[str]:
    """Return a line for each tool call with its result, or "none"; and the number of steps.

    Empty without a transcript. Calls that the token limit cut off are marked.

    >>> from benchmaker.testing import a_completion, a_transcript, a_trial
    >>> calls = a_transcript(("multiply", {"a": 6, "b": 7}))
    >>> call_lines(a_trial(completion=a_completion("42", transcript=calls)))
    ['multiply(a=6, b=7): 42', '2 steps']
    >>> call_lines(a_trial(completion=a_completion("42", transcript=a_transcript())))
    ['none', '1 step']
    """
    transcript = trial.transcript
    if transcript is None:
        return []
    found = _calls(transcript, trial.cut_off_calls, is_answered=trial.completion is not None)
    lines = [*islice(found, MOST_CALLS + 1)]
    if len(lines) > MOST_CALLS:
        total = len(transcript.tool_calls)
        lines[MOST_CALLS:] = [f"and {total - MOST_CALLS:,} more calls"]
    return [*(lines or ["none"]), *filter(None, [steps_words(transcript)])]


def steps_words(transcript: Transcript) -> str:
    """Return the number of steps, and the reason of a stop; empty if neither is known."""
    steps = "" if transcript.steps is None else count(transcript.steps, "step")
    stop = f"stopped by {transcript.stopped_by}" if transcript.stopped_by else ""
    return ", ".join(filter(None, [steps, stop]))


def _calls(
    transcript: Transcript, cut_off: Sequence[ToolCall], *, is_answered: bool
) -> Iterator[str]:
    """The calls in order; results follow the message with their calls in the same order.

    A text beside calls stands before them, unless it is the answer that is shown by itself; further
    calls of the same answer are marked.
    """
    for at, message in enumerate(transcript.messages):
        following = transcript.messages[at + 1 : at + 1 + len(message.tool_calls)]
        results = (one.content for one in following if one.role == "tool")
        is_answer = is_answered and at == len(transcript.messages) - 1
        if message.tool_calls and message.content.strip() and not is_answer:
            yield f"text: {_short(message.content)}"
        for number, call in enumerate(message.tool_calls):
            result = next(results, None)
            words = "" if result is None else f": {_short(result)}"
            if any(call is one for one in cut_off):
                words = ": cut off by the token limit"
            yield f"{'in parallel: ' if number else ''}{call_words(call)}{words}"


def call_words(call: ToolCall) -> str:
    """Return a call as code: the tool with its arguments."""
    if not isinstance(call.arguments, Mapping):
        return f"{call.name}({_short(str(call.arguments))})"
    given = ", ".join(f"{name}={_short(_json(it))}" for name, it in call.arguments.items())
    return f"{call.name}({given})"


def _json(value: Any) -> str:  # noqa: ANN401  JSON
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LENGTH else f"{line[: _LENGTH - 1]}…"

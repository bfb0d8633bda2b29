"""Steps of a session as pages show them: cut where one looks at many, whole where at one."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from benchmaker.arenas.agentic.traces.steps import ToolUse, TraceStep
from benchmaker.report.sentences import trace_words as words
from benchmaker.report.tables.sanitize import truncate

WHOLE: Final = 100_000
"""Maximum number of characters of a text shown on the page of one step."""

_CUT: Final = 240
_LINES: Final = 6
_CALLS: Final = 4

Hide = Callable[[str], str]


class ClippedText(NamedTuple):
    """A text with its full length; truncated if ``is_cut``."""

    shown: str
    is_cut: bool
    length: int


def step_content(step: TraceStep, hide: Hide, *, whole: bool = False) -> dict[str, Any]:
    """A step for a template; ``whole`` shows all of its texts and calls."""
    calls = step.calls if whole else step.calls[:_CALLS]
    return {
        "number": step.number,
        "depth": min(step.depth, 4),
        "kind": step.kind.value,
        "title": words.title(step),
        "agent": hide(step.name) if step.agent else "",
        "at": words.time_of_day(step.at),
        "gap": words.gap(step),
        "model": hide(step.model or ""),
        "usage": words.request_tokens(step),
        "price": words.price(step),
        "marks": [mark.value for mark in step.marks if mark.value != step.kind.value],
        "is_elsewhere": not step.counted,
        "line": step.line,
        "reasoning": _text(step.reasoning, hide, whole=whole),
        "text": _text(step.text, hide, whole=whole),
        "edits": [hide(note) for note in words.edit_notes(step)],
        "calls": [_call(call, hide, whole=whole) for call in calls],
        "more_calls": len(step.calls) - len(calls),
    }


def _call(call: ToolUse, hide: Hide, *, whole: bool) -> dict[str, Any]:
    brief = " ".join(words.arguments(call.arguments).split())
    return {
        "name": hide(call.name) or "a call not in the log",
        "brief": truncate(hide(brief), _CUT),
        "notes": [hide(note) for note in words.call_notes(call)],
        "is_error": call.is_error,
        "arguments": _text(call.arguments, hide, whole=True) if whole else None,
        "output": _text(call.output, hide, whole=whole),
        "below": (call.steps[0].number, words.span(call.steps)) if call.steps else None,
    }


def _text(text: str | None, hide: Hide, *, whole: bool) -> ClippedText | None:
    if not text or not text.strip():
        return None
    text_shown = hide(text.strip("\n"))
    if whole:
        return ClippedText(truncate(text_shown, WHOLE), len(text_shown) > WHOLE, len(text_shown))
    lines = "\n".join(text_shown[: _CUT + 1].split("\n")[:_LINES])[:_CUT]
    return ClippedText(lines, len(lines) < len(text_shown), len(text_shown))

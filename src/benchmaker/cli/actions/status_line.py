"""The status line of Claude Code, below its prompt: model, costs, block, burn rate, context.

Claude Code runs it after every answer, so it imports little.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime, tzinfo
from math import fsum
from pathlib import Path
from typing import Any

from benchmaker.arenas.agentic.sessions.status_line_index import refresh
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say
from benchmaker.errors import StoreError
from benchmaker.report.tables.optional_figures import dollars, grouped_count, seconds
from benchmaker.store.agentic.log_index import AnswerIndex, IndexedAnswer

_HOUR_S = 3600.0
_BLOCK_S = 5 * _HOUR_S
_JOINT = " · "


def say_statusline(context: Context, *, zone: tzinfo | None) -> None:
    """Print the line, or its figures with ``--json``; Claude Code sends its own data on stdin."""
    hook = _hook()
    with closing(AnswerIndex(context.home)) as index:
        with suppress(StoreError):  # another process is refreshing it; the rest is read next time
            refresh(index, context.environ, context.home)
        figures = _figures(index, hook, time.time(), zone)
    say(json.dumps(figures, indent=2) if context.use_json else _JOINT.join(_parts(figures)))


def _hook() -> dict[str, Any]:
    """The JSON object that Claude Code sends; empty if a person typed the command."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return {}
    with suppress(ValueError, OSError):
        sent = json.loads(sys.stdin.read() or "{}")
        return sent if isinstance(sent, dict) else {}
    return {}


def _figures(
    index: AnswerIndex, hook: dict[str, Any], now: float, zone: tzinfo | None
) -> dict[str, Any]:
    """All figures of the line; None for those not known."""
    midnight = datetime.fromtimestamp(now, zone).replace(hour=0, minute=0, second=0, microsecond=0)
    today = index.answers_since(midnight.timestamp())
    model = _nested_value(hook, "model", "display_name") or _nested_value(hook, "model", "id")
    return {
        "model": model if isinstance(model, str) else None,
        "session_usd": _session_usd(index, hook),
        "today_usd": _usd(today),
        "today_tokens": sum(one.tokens for one in today),
        **_block(index, now),
        **_context(index, hook),
    }


def _session_usd(index: AnswerIndex, hook: dict[str, Any]) -> float | None:
    """The session's cost as Claude Code reports it, else as computed from its log."""
    cost = _nested_value(hook, "cost", "total_cost_usd")
    if isinstance(cost, int | float) and not isinstance(cost, bool):
        return float(cost)
    session = hook.get("session_id")
    return _usd(index.answers_of_session(session)) if isinstance(session, str) else None


def _block(index: AnswerIndex, now: float) -> dict[str, Any]:
    """The active block of five hours; see :mod:`benchmaker.analysis.usage.blocks`."""
    start, answers = _active_block(index, now)
    if not answers or now - (answers[-1].at or 0.0) >= _BLOCK_S:
        return dict.fromkeys(("block_usd", "block_tokens", "block_left_s", "usd_per_hour"))
    usd = _usd(answers)
    minutes = ((answers[-1].at or 0.0) - (answers[0].at or 0.0)) / 60
    rate = usd / minutes * 60 if usd is not None and minutes >= 1 else None
    return {
        "block_usd": usd,
        "block_tokens": sum(one.tokens for one in answers),
        "block_left_s": start + _BLOCK_S - now,
        "usd_per_hour": rate,
    }


def _active_block(index: AnswerIndex, now: float) -> tuple[float, list[IndexedAnswer]]:
    """The start and the answers of the current block; no answers if there is none."""
    first = now
    for at in index.times_until(now):
        if first - at > _BLOCK_S:
            break
        first = at
    start, block = 0.0, list[IndexedAnswer]()
    for one in index.answers_since(first):
        at = one.at or 0.0
        if not block or at >= start + _BLOCK_S:
            start, block = at // _HOUR_S * _HOUR_S, []
        block.append(one)
    return (start, block) if block and start <= now < start + _BLOCK_S else (0.0, [])


def _context(index: AnswerIndex, hook: dict[str, Any]) -> dict[str, Any]:
    """Return the used part of the context, by Claude Code's report, else by the last answer."""
    window = hook.get("context_window")
    share = _nested_value(hook, "context_window", "used_percentage")
    used = None
    if isinstance(window, dict) and isinstance(usage := window.get("current_usage"), dict):
        used = sum(n for name, n in usage.items() if name != "output_tokens" and type(n) is int)
    path = hook.get("transcript_path")
    if used is None and isinstance(path, str):
        last = index.last_answer(str(Path(path).expanduser().resolve()))
        used = None if last is None else sum(n or 0 for n in last.kinds[:-1])
    known = share if type(share) in (int, float) else None
    return {"context_tokens": used, "context_percent": known}


def _parts(figures: dict[str, Any]) -> Iterator[str]:
    if figures["model"]:
        yield figures["model"]
    if figures["session_usd"] is not None:
        yield f"{dollars(figures['session_usd'])} session"
    yield f"{dollars(figures['today_usd'] if figures['today_tokens'] else 0.0)} today"
    if figures["block_left_s"] is not None:
        yield f"{dollars(figures['block_usd'])} block, {seconds(figures['block_left_s'])} left"
    if figures["usd_per_hour"] is not None:
        yield f"{dollars(figures['usd_per_hour'])}/h"
    if figures["context_tokens"] is not None:
        share = figures["context_percent"]
        behind = "" if share is None else f" ({share:.0f}%)"
        yield f"context {grouped_count(figures['context_tokens'])}{behind}"


def _usd(answers: Sequence[IndexedAnswer]) -> float | None:
    known = [one.usd for one in answers if one.usd is not None]
    return fsum(known) if known else None


def _nested_value(data: dict[str, Any], name: str, below: str) -> Any:  # noqa: ANN401  JSON of any shape
    found = data.get(name)
    return found.get(below) if isinstance(found, dict) else None

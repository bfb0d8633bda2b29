"""A trace in words and cells: shared by the terminal and the page."""

import json
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from benchmaker.arenas.agentic.traces.breakdown import Spent
from benchmaker.arenas.agentic.traces.steps import StepKind, StepMark, ToolUse, TraceStep
from benchmaker.arenas.agentic.traces.trace import Trace
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import COUNTED_ROWS, FIGURE_ROWS
from benchmaker.record.timestamps import optional_timestamp
from benchmaker.report.sentences.figures import (
    KINDS,
    missing_words,
    why_no_cost,
    without_earlier_tries,
)
from benchmaker.report.sentences.missing_figures import NOT_KNOWN
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise

NO_CONTENT: Final = "Numbers only: the texts of this session were dropped or are not in its log."
NO_STEPS: Final = "The log has figures for the whole session only, no steps."
OVERLAP: Final = (
    "Each gap between two rows of the log counts for the event that ends it: an answer, a tool "
    "result (including the wait for permission), or a person's prompt or reply. Other gaps are "
    "unknown."
)
_TIME: Final = {
    "model_s": "Model",
    "tools_s": "Tools",
    "person_s": "Waiting for the user",
    "unknown_s": "Unknown",
}
_IN_WORDS: Final = {"total_tokens": "tokens"} | {
    name: row.plural for name, row in COUNTED_ROWS.items() if row.noun
}
_ON_THE_LINE: Final = tuple(
    (path, row)
    for path, row in sorted(FIGURE_ROWS.items(), key=lambda it: it[1].is_behaviour)
    if row.noun and path != "tool_errors"
)
"""What the line of totals counts; failed calls stand beside the calls."""
_LONGEST_JSON = 20_000


def session_counts(trace: Trace) -> str:
    """The session's counts on one line."""
    it = trace.submission
    n_steps = sum(1 for _ in trace.walk())
    told = [count(n_steps, "step")]
    for path, row in _ON_THE_LINE:
        n = attrgetter(path)(it)
        told += [row.counted(n)] if n else []
    failed = f" ({it.tool_errors:,} failed)" if it.tool_errors else ""
    told = [f"{one}{failed}" if "tool call" in one else one for one in told]
    return " · ".join(told)


def session_tokens(trace: Trace) -> str:
    """The session's tokens on one line, as the submission has them."""
    total, split = trace.submission.total_tokens, kinds(trace)
    if total is None:
        return f"Tokens: {missing_words(trace.submission, 'total_tokens')}."
    return f"Tokens: {total:,}{f' ({split})' if split else ''}."


def kinds(trace: Trace) -> str:
    """The session's tokens by kind."""
    usage = trace.submission.usage
    told = [
        f"{label.lower()} {n:,}"
        for kind, label in KINDS.items()
        if (n := getattr(usage, kind, None))
    ]
    inside = f"; {usage.reasoning:,} of output is reasoning" if usage.reasoning else ""
    return "; ".join(told) + inside


def clock(trace: Trace) -> str:
    """Wall and active time on one line."""
    it = trace.submission.time
    if it.wall_s is None:
        return f"Time: {missing_words(trace.submission, 'time.wall_s')}."
    active = "" if it.active_s is None else f", active {numbers.duration(it.active_s)}"
    limit = ""
    if it.gap_limit_s is not None:
        limit = f" (without gaps over {numbers.duration(it.gap_limit_s)})"
    elif it.queue_s:
        limit = f" (without {numbers.duration(it.queue_s)} in the queue at the gateway)"
    return f"Time: wall {numbers.duration(it.wall_s)}{active}{limit if active else ''}."


def session_cost(trace: Trace) -> str:
    """The session's cost on one line, reported and computed apart."""
    it = trace.submission.cost
    reported = missing_words(trace.submission, "cost.reported_usd", "not reported")
    left_out = without_earlier_tries(trace.submission)
    if it.reported_usd is not None:
        reported = f"reported {_usd(it.reported_usd)}"
    if it.computed_usd is None:
        return f"Cost: {reported}; not computed: {why_no_cost(trace.submission)}{left_out}."
    day = f", prices of {it.as_of}" if it.as_of else ""
    basis = f"({sanitise(it.rate_card or '')}{day})"
    return f"Cost: {reported}, computed {_usd(it.computed_usd)} {basis}{left_out}."


def warnings(trace: Trace) -> list[str]:
    """Return warnings to show before the steps."""
    told = []
    if not trace.steps:
        told.append(NO_STEPS)
    elif not trace.has_content:
        told.append(NO_CONTENT)
    return told + doubts(trace)


def doubts(trace: Trace) -> list[str]:
    """Return the differences between the steps and the session's totals."""
    told = []
    if trace.differences:
        names = ", ".join(
            f"{_IN_WORDS.get(it.name, it.name)} {_n(it.submission)} (steps: {_n(it.steps)})"
            for it in trace.differences
            if it.name in _IN_WORDS
        )
        if names:
            told.append(f"Totals in the log differ from the sums of its steps: {names}.")
    stored = trace.submission.cost.rate_card
    if stored and stored != trace.rate_card and trace.steps:
        told.append(
            f"Steps are priced with {sanitise(trace.rate_card)}, the total with {sanitise(stored)}."
        )
    if any(not step.counted for step in trace.walk()):
        told.append("Steps marked “counted elsewhere” are duplicates from another session.")
    return told


def time_rows(trace: Trace) -> list[tuple[str, str, str, float]]:
    """Return the time by part: label, seconds, share in words, share."""
    split = trace.time
    if split is None:
        return []
    rows = []
    for name, label in _TIME.items():
        seconds = getattr(split, name)
        share = seconds / split.total_s if split.total_s else 0.0
        rows.append((label, numbers.duration(seconds), numbers.share(share), share))
    return rows


def money_rows(trace: Trace, rows: tuple[Spent, ...]) -> list[tuple[str, str, str, str, float]]:
    """Return the cost by part: key, tokens, dollars, share in words, share of the known."""
    whole = trace.money.total_usd or 0.0
    told = []
    for row in rows:
        share = row.usd / whole if row.usd is not None and whole else 0.0
        shown = NOT_KNOWN if row.usd is None else numbers.money(row.usd)
        shown += f", {row.unpriced:,} without" if row.usd is not None and row.unpriced else ""
        part = numbers.share(share) if row.usd is not None and whole else ""
        amount = "" if row.tokens is None else f"{row.tokens:,}"
        told.append((sanitise(KINDS.get(row.key, row.key)), amount, shown, part, share))
    return told


def money_title(trace: Trace) -> str:
    """Return the title of the split: dollars with their source, or only tokens."""
    if trace.money.total_usd is None:
        is_known = trace.submission.cost.usd is not None
        told = "cost of single steps unknown" if is_known else "cost unknown"
        return f"Tokens by use ({told})"
    return f"Cost by use, {trace.money.basis}"


def costliest_steps(trace: Trace) -> list[tuple[TraceStep, float]]:
    """The dearest steps with their dollars."""
    by_number = {step.number: step for step in trace.walk()}
    return [(by_number[number], usd) for number, usd in trace.money.dearest]


def marked_steps(trace: Trace) -> Iterator[tuple[TraceStep, StepMark]]:
    """Steps that a reader may look for, with why."""
    for step in trace.walk():
        for mark in step.marks:
            yield step, mark


def time_of_day(at: float | None) -> str:
    """Return the time of day in UTC; empty without a time."""
    stamp = optional_timestamp(at)
    return stamp[11:19] if stamp else ""


def gap(step: TraceStep) -> str:
    """The time since the same agent's step before."""
    return "" if step.gap_s is None else f"+{numbers.duration(step.gap_s)}"


def title(step: TraceStep) -> str:
    """Return the kind of a step, in a word or two."""
    if step.kind is StepKind.TOOLS:
        return "tool calls" if step.calls else "file change"
    return "answer" if step.kind is StepKind.ANSWER else step.kind.value


def request_tokens(step: TraceStep) -> str:
    """The tokens of a request by kind."""
    if step.usage is None:
        return "tokens not in the log" if step.kind is StepKind.ANSWER else ""
    it = step.usage
    told = (
        ("in", it.input_uncached),
        ("cache read", it.cache_read),
        ("write 5 min", it.cache_write_5m),
        ("write 1 h", it.cache_write_1h),
        ("out", it.output),
        ("other", it.other),
    )
    shown = ", ".join(f"{name} {n:,}" for name, n in told if n is not None and (n or name == "out"))
    return shown + (f" (reasoning {it.reasoning:,})" if it.reasoning else "")


def price(step: TraceStep) -> str:
    """Return the cost of a request: computed, otherwise as reported."""
    if step.usd is not None:
        return numbers.money(step.usd)
    if step.reported_usd is not None:
        return f"{numbers.money(step.reported_usd)} reported"
    return "cost unknown" if step.usage is not None and step.counted else ""


def call_notes(call: ToolUse) -> list[str]:
    """Return remarks on a call besides its input and output."""
    told = []
    if call.duration_s is not None:
        told.append(numbers.duration(call.duration_s))
    if call.is_error:
        told.append("error")
    if call.repeats is not None:
        told.append(f"same call as #{call.repeats}")
    if not call.counted:
        told.append("counted elsewhere")
    return [*told, *edit_notes(call)]


def span(steps: Sequence[TraceStep]) -> str:
    """Return the range of numbers of adjacent steps.

    >>> span([TraceStep(number=3, kind=StepKind.TOOLS), TraceStep(number=7, kind=StepKind.ANSWER)])
    '#3 to #7'
    """
    first, last = steps[0].number, steps[-1].number
    return f"#{first}" if first == last else f"#{first} to #{last}"


def edit_notes(held: ToolUse | TraceStep) -> list[str]:
    """The changes of files, each in a few words."""
    return [
        f"{'not ' if edit.failed else ''}{sanitise(edit.change)}: {sanitise(edit.path)}"
        + (f", {count(edit.lines, 'line')}" if edit.lines else "")
        for edit in held.edits
    ]


def arguments(text: str | None) -> str:
    """Return the arguments of a tool call, on one line without JSON syntax.

    >>> arguments('{"command": "ls -l", "timeout": 5}')
    'command: ls -l, timeout: 5'
    """
    if not text:
        return ""
    try:
        read = json.loads(text) if len(text) < _LONGEST_JSON else text
    except (ValueError, RecursionError):
        return text
    if isinstance(read, dict):
        return ", ".join(f"{key}: {_plain_text(value)}" for key, value in read.items())
    return _plain_text(read)


def _plain_text(value: Any) -> str:  # noqa: ANN401  plain data of any shape
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _usd(usd: float) -> str:
    return numbers.money(usd)


def _n(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,}"

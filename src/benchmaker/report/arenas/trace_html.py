"""A trace as one page: a single file without scripts and external resources."""

from collections.abc import Iterable
from itertools import groupby
from typing import Any, Final, Literal, TextIO

from benchmaker.analysis.composite.tool_metrics import ToolMetric
from benchmaker.arenas.agentic.traces.breakdown import Spent, ToolTotals
from benchmaker.arenas.agentic.traces.steps import StepMark, ToolUse, TraceStep
from benchmaker.arenas.agentic.traces.trace import Trace
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import FIGURE_ROWS, Submission
from benchmaker.redact import Redactor
from benchmaker.report.runs.html import Theme, policy_of, source_of, template_of
from benchmaker.report.sentences import trace_words as words
from benchmaker.report.sentences.figures import metric_value, missing_words, submission_facts
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate

WHOLE: Final = 100_000
"""Maximum number of characters of a text shown."""
_LONG: Final = 400
"""Longer texts are folded away."""
_LINES: Final = 6
_DEEPEST: Final = 6
_MARKS_LISTED: Final = 200


def write_trace_html(
    trace: Trace,
    stream: TextIO,
    *,
    steps: Iterable[TraceStep] | None = None,
    theme: Theme = "auto",
    redactor: Redactor | None = None,
) -> None:
    """Write totals, time and cost by part, the tool's behaviour, and every step in full.

    All content of the log is escaped.

    Args:
        trace: the trace.
        stream: text, written as UTF-8.
        steps: the steps to show; all by default.
        theme: light, dark, or the system's setting.
        redactor: removes further secrets; texts that look like keys are always removed.
    """
    shown = list(trace.walk() if steps is None else steps)
    page = _Page(trace, redactor or Redactor(), frozenset(step.number for step in shown))
    css = "".join(source_of(name) for name in ("tokens.css", "report.css", "trace.css"))
    content: dict[str, Any] = {
        "css": css,
        "policy": policy_of(css),
        "theme": theme,
        **page.head(),
        **page.spending(),
        "metrics": [page.metric(metric) for metric in trace.metrics],
        "marks": page.marks(shown),
        "steps": (page.step(step) for step in shown),
        "shown": page.step_count(len(shown)),
    }
    stream.writelines(template_of("trace.html.jinja").generate(content))
    stream.write("\n")


class _Page:
    """Converts a trace into the template's values."""

    def __init__(self, trace: Trace, redactor: Redactor, listed: frozenset[int]) -> None:
        self._trace = trace
        self._hide = redactor.text
        self._listed = listed

    def clean(self, text: str, *, lines: bool = False) -> str:
        """Text without secrets and without anything that acts."""
        return sanitise(self._hide(text), lines=lines)

    def head(self) -> dict[str, Any]:
        """Title, facts, warnings and tiles."""
        trace, it = self._trace, self._trace.submission
        cost = it.cost
        usd = cost.usd
        both = [
            f"{name} {numbers.money(n)}"
            for name, n in (("reported", cost.reported_usd), ("computed", cost.computed_usd))
            if n is not None
        ]
        tiles = (
            ("Tokens", _tokens(it), words.kinds(trace)),
            ("Cost", "unknown" if usd is None else numbers.money(usd), ", ".join(both)),
            (
                FIGURE_ROWS["llm_calls"].label,
                _count(it.llm_calls),
                _optional_count("prompt", it.iterations),
            ),
            (
                FIGURE_ROWS["tool_calls"].label,
                _count(it.tool_calls),
                _optional_count("failed call", it.tool_errors),
            ),
            (
                FIGURE_ROWS["time.wall_s"].label,
                _seconds(it, "wall_s"),
                f"active {_seconds(it, 'active_s')}",
            ),
        )
        return {
            "title": self.clean(submission_facts(it)[0]),
            "facts": [self.clean(fact) for fact in submission_facts(it)[1:]],
            "totals": self.clean(words.session_counts(trace)),
            "cost_line": self.clean(words.session_cost(trace)),
            "warnings": [self.clean(told) for told in words.warnings(trace)],
            "tiles": [
                {"name": name, "value": value, "context": self.clean(context)}
                for name, value, context in tiles
            ],
        }

    def spending(self) -> dict[str, Any]:
        """Return time and cost by part."""
        trace, money = self._trace, self._trace.money
        groups = (
            ("By model", "model", money.by_model),
            ("By kind of token", "kind", money.by_part),
            ("By agent", "agent", money.by_agent if len(money.by_agent) > 1 else ()),
        )
        return {
            "times": [
                {"name": name, "seconds": seconds, "share": share, "bar": _bar(part, f"t{at}")}
                for at, (name, seconds, share, part) in enumerate(words.time_rows(trace), start=1)
            ],
            "time_note": words.OVERLAP,
            "tools": [self.tool(it) for it in trace.tools],
            "money_title": words.money_title(trace),
            "groups": [
                {"name": name, "id": key, "rows": self._rows(rows)}
                for name, key, rows in groups
                if rows
            ],
            "dearest": [
                {"number": step.number, "usd": numbers.money(usd), "linked": self._is_listed(step)}
                for step, usd in words.costliest_steps(trace)
            ],
        }

    def _rows(self, rows: tuple[Spent, ...]) -> list[dict[str, str]]:
        return [
            {
                "name": self.clean(name),
                "tokens": tokens,
                "usd": usd,
                "share": share,
                "bar": _bar(part, "t1"),
            }
            for name, tokens, usd, share, part in words.money_rows(self._trace, rows)
        ]

    def tool(self, it: ToolTotals) -> dict[str, str]:
        """The row of a tool."""
        return {
            "name": self.clean(it.name),
            "calls": f"{it.calls:,}",
            "errors": f"{it.errors:,}",
            "repeated": f"{it.repeated:,}",
            "seconds": "" if it.seconds is None else numbers.duration(it.seconds),
        }

    def metric(self, metric: ToolMetric) -> dict[str, str | bool]:
        """The row of a metric, with why it is missing where it is."""
        return {
            "name": metric.label,
            "value": metric_value(metric),
            "missing": metric.value is None,
            "source": str(metric.provenance),
        }

    def marks(self, steps: list[TraceStep]) -> list[dict[str, Any]]:
        """Return links to notable steps, by kind."""
        found = sorted(
            (list(StepMark).index(mark), step.number) for step in steps for mark in step.marks
        )
        return [
            {
                "name": list(StepMark)[at].value,
                "numbers": [number for _, number in of][:_MARKS_LISTED],
            }
            for at, of in ((at, list(of)) for at, of in groupby(found, key=lambda it: it[0]))
        ]

    def step_count(self, n: int) -> str:
        """Return the number of steps on the page."""
        every = sum(1 for _ in self._trace.walk())
        return count(every, "step") if n == every else f"{n:,} of {every:,} steps"

    def step(self, step: TraceStep) -> dict[str, Any]:
        """One step."""
        marks = [mark.value for mark in step.marks if mark.value != step.kind.value]
        return {
            "number": step.number,
            "depth": min(step.depth, _DEEPEST),
            "kind": step.kind.value,
            "title": words.title(step),
            "agent": self.clean(step.name) if step.agent else "",
            "at": words.time_of_day(step.at),
            "gap": words.gap(step),
            "model": self.clean(step.model or ""),
            "usage": words.request_tokens(step),
            "price": words.price(step),
            "marks": marks,
            "elsewhere": not step.counted,
            "line": f"line {step.line:,}" if step.line else "",
            "reasoning": self.collapsed_text(step.reasoning),
            "text": self.text(step.text),
            "edits": [self.clean(note) for note in words.edit_notes(step)],
            "calls": [self.call(call) for call in step.calls],
        }

    def call(self, call: ToolUse) -> dict[str, Any]:
        """One call of a tool."""
        brief = " ".join(words.arguments(call.arguments).split())
        return {
            "name": self.clean(call.name) or "a call not in the log",
            "brief": self.clean(truncate(brief, _LONG // 2)),
            "notes": [self.clean(note) for note in words.call_notes(call)],
            "is_error": call.is_error,
            "arguments": self.text(call.arguments) if len(brief) > _LONG // 2 else None,
            "output": self.text(call.output),
            "below": {
                "first": call.steps[0].number,
                "span": words.span(call.steps),
                "name": self.clean(call.steps[0].name),
                "linked": self._is_listed(call.steps[0]),
            }
            if call.steps
            else None,
        }

    def text(self, text: str | None) -> dict[str, Any] | None:
        """A text of the log, whole; None where there is none."""
        if not text or not text.strip():
            return None
        whole = self.clean(truncate(text.strip("\n"), WHOLE), lines=True)
        lines = whole.count("\n") + 1
        size = f"{count(lines, 'line')}, {count(len(text), 'character')}"
        return {"whole": whole, "long": len(whole) > _LONG or lines > _LINES, "size": size}

    def collapsed_text(self, text: str | None) -> dict[str, Any] | None:
        """The same, collapsed even if it is short."""
        shown = self.text(text)
        return None if shown is None else shown | {"long": True}

    def _is_listed(self, step: TraceStep) -> bool:
        return step.number in self._listed


def _bar(share: float, colour: str) -> str:
    """A bar of that share of the width, as SVG; presentation comes from classes alone."""
    width = f"{max(0.0, min(1.0, share)) * 100:.4g}"
    return (
        '<svg class="bar" height="10" width="100%" aria-hidden="true">'
        '<rect class="track" width="100%" height="10"/>'
        f'<rect class="{colour}" width="{width}%" height="10"/></svg>'
    )


def _count(n: int | None) -> str:
    return "not in the log" if n is None else f"{n:,}"


def _optional_count(noun: str, n: int | None) -> str:
    return "" if n is None else count(n, noun)


def _tokens(it: Submission) -> str:
    total = it.total_tokens
    return missing_words(it, "total_tokens") if total is None else f"{total:,}"


def _seconds(it: Submission, name: Literal["wall_s", "active_s"]) -> str:
    seconds: float | None = getattr(it.time, name)
    return missing_words(it, f"time.{name}") if seconds is None else numbers.duration(seconds)

"""Metrics of a coding tool's behaviour, each with its value or the reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final

from benchmaker.documents import OMITTED, Document, Key
from benchmaker.record.submissions.figure_rows import FigureRow, Unit
from benchmaker.record.submissions.one_sided import missing_side, missing_total
from benchmaker.record.submissions.submission import FIGURE_ROWS, Submission
from benchmaker.record.unread import missing_reasons

_NO_CALLS = "the log has no tool calls"
_NO_EDITS = "the log has no file changes"
_NO_CHANGE = "no file changed"


@dataclass(frozen=True, slots=True)
class ToolMetric(Document):
    """One metric; ``reason`` explains a missing ``value``. Shares are from 0 to 1.

    ``provenance`` is the label of the figure in the submission, empty without one.
    """

    name: Annotated[str, OMITTED]
    label: Annotated[str, OMITTED]
    unit: Annotated[Unit, Key(after="value")]
    value: float | None
    reason: str = ""
    provenance: str = ""


def tool_metrics(submission: Submission) -> tuple[ToolMetric, ...]:
    """Return the behaviour metrics of a session, in a fixed order.

    Cache-hit share is cache reads ÷ all input tokens; the tool error rate is failed calls ÷ calls;
    repeated calls have the same tool and arguments as an earlier one; failed edits are changes of
    files that did not succeed; changed lines are those added and removed per 1,000 output tokens;
    the first edit is timed from the session's first row.
    """
    return tuple(
        _metric(submission, path, FIGURE_ROWS[path], why) for path, why in _WHY_NONE.items()
    )


def missing_metrics(submission: Submission) -> dict[str, str]:
    """Return the reasons for missing metrics, by name, and for figures in the log, by path."""
    found = {it.name: it.reason for it in tool_metrics(submission) if it.value is None}
    return found | missing_reasons(submission) | missing_side(submission)


def why_no_tokens(submission: Submission) -> str:
    """Return the reason why a submission has no total of tokens."""
    reason = missing_reasons(submission).get("total_tokens")
    if reason and reason == missing_total(submission).get("total_tokens"):
        return reason
    return f"the log's tokens are {reason}" if reason else "the log reports no tokens"


def _metric(
    submission: Submission, path: str, row: FigureRow, why: Callable[[Submission], str]
) -> ToolMetric:
    value: Any = submission
    for name in path.split("."):
        value = getattr(value, name)
    return ToolMetric(
        name=path.rpartition(".")[2],
        label=row.label,
        unit=row.unit,
        value=value,
        reason=why(submission) if value is None else "",
        provenance=submission.provenance.get(path, ""),
    )


def _why_no_cache(submission: Submission) -> str:
    usage = submission.usage
    if submission.total_tokens is None:
        return why_no_tokens(submission)
    if usage.cache_read is None:
        return "the log has no separate count of cache reads"
    return "no input tokens are reported"


def _why_no_calls(submission: Submission) -> str:
    was_none = submission.tool_calls == 0 and not submission.tool_errors
    return "no tool was called" if was_none else _NO_CALLS


def _why_no_errors(submission: Submission) -> str:
    if not submission.tool_calls and not submission.tool_errors:
        return _why_no_calls(submission)
    if submission.tool_errors is None:
        return "the log has no failed calls"
    return "the log has more errors than calls"


def _why_no_repeats(submission: Submission) -> str:
    if not submission.tool_calls:
        return _why_no_calls(submission)
    return "the log has no tool arguments"


def _why_no_lines(submission: Submission) -> str:
    if submission.behaviour.failed_edits is None:
        return _NO_EDITS
    if not submission.usage.output:
        return "the log reports no output tokens"
    return "the log has no count of changed lines"


def _why_no_first_edit(submission: Submission) -> str:
    if submission.behaviour.failed_edits is None:
        return _NO_EDITS
    files = submission.artifacts
    if not files.files_created and not files.files_modified:
        return _NO_CHANGE
    return "the log has no times of file changes"


def _constant_reason(reason: str) -> Callable[[Submission], str]:
    return lambda _: reason


_WHY_NONE: Final[dict[str, Callable[[Submission], str]]] = {
    "behaviour.cache_hit_share": _why_no_cache,
    "behaviour.tool_error_rate": _why_no_errors,
    "behaviour.repeated_calls": _why_no_repeats,
    "behaviour.failed_edits": _constant_reason(_NO_EDITS),
    "behaviour.lines_per_1k_output": _why_no_lines,
    "behaviour.first_edit_s": _why_no_first_edit,
} | {
    path: _constant_reason(f"the log doesn't show {row.label.lower()}")
    for path, row in FIGURE_ROWS.items()
    if row.is_behaviour
}
"""The metrics by their paths: how to say why a submission has none."""

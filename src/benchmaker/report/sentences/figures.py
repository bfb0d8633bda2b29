"""The figures of a submission in words: each with its label, its value, and where it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmaker.analysis.composite.tool_metrics import ToolMetric, tool_metrics, why_no_tokens
from benchmaker.record.counts import count
from benchmaker.record.submissions.one_sided import WORDS as ONE_SIDED
from benchmaker.record.submissions.one_sided import side_of
from benchmaker.record.submissions.submission import (
    COUNTED_ROWS,
    FIGURE_ROWS,
    UNKNOWN_MODEL,
    Submission,
    TokenUsage,
)
from benchmaker.record.unread import missing_reasons
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise

NOT_REPORTED: Final = "not in the log"
NO_MODEL: Final = "the log does not name the model of all requests"
KINDS: Final = {
    **{
        kind: FIGURE_ROWS[f"usage.{kind}"].label
        for kind in TokenUsage.__struct_fields__
        if kind != "reasoning"
    },
    "request": "Per request",
}
"""Kinds of tokens, and the other priced parts of a request."""
_COUNTS: Final = {name: row.label for name, row in COUNTED_ROWS.items() if not row.is_behaviour}
_TIMES: Final = {
    path: row.label for path, row in FIGURE_ROWS.items() if path.startswith("time.") and row.label
}


@dataclass(frozen=True, slots=True)
class SubmissionFigure:
    """One displayed figure; ``source`` is its provenance, empty without a value."""

    name: str
    label: str
    value: str
    source: str = ""


def submission_facts(submission: Submission) -> list[str]:
    """Return the system, the task, and the time; times are UTC."""
    system = submission.system
    tool = " ".join(filter(None, (system.harness, system.harness_version)))
    row = f", id {submission.row_id} in its table" if submission.row_id else ""
    told = (
        " · ".join(filter(None, (tool, system.model, system.effort))),
        f"Submission {submission.id}, revision {submission.revision}{row}",
        f"Session {submission.session_id}" if submission.session_id else "",
        f"Task {submission.task.id}" if submission.task else "",
        f"Source {submission.source}" if submission.source else "",
        f"Folder {submission.project}" if submission.project else "",
        time_range(submission),
    )
    return [sanitise(it) for it in told if it]


def time_range(submission: Submission) -> str:
    """From when to when, in UTC; empty where the log has no times."""
    start, end = submission.started_at, submission.finished_at
    if start is None or end is None:
        return ""
    day, clock = start[:10], start[11:19]
    if start == end:
        return f"{day} {clock} UTC"
    same = end[:10] == day
    return f"{day} {clock} to {end[11:19] if same else f'{end[:10]} {end[11:19]}'} UTC"


def figures(submission: Submission, *, evidence: str | None = None) -> list[SubmissionFigure]:
    """Return every figure of a submission, in the order of interest.

    ``evidence`` is the current level, if a verification raised that of the record.
    """
    return [
        *_tokens(submission),
        *_count_figures(submission),
        *_seconds(submission),
        *_money(submission),
        *_outcome(submission, evidence or submission.evidence_level.value),
        *_files(submission),
        *(_of_metric(metric) for metric in tool_metrics(submission)),
    ]


def metric_value(metric: ToolMetric) -> str:
    """Return a metric as readable text, or the reason why it is missing."""
    value = metric.value
    if value is None:
        return f"unknown: {metric.reason}"
    match metric.unit:
        case "share":
            return numbers.share(value)
        case "seconds":
            return numbers.duration(value)
        case "lines":
            return f"{value:,.1f}"
        case _:
            return f"{value:,.0f}"


def _of_metric(metric: ToolMetric) -> SubmissionFigure:
    return SubmissionFigure(
        metric.name, metric.label, metric_value(metric), _words(metric.provenance)
    )


def _tokens(submission: Submission) -> Iterator[SubmissionFigure]:
    usage = submission.usage
    for kind, label in KINDS.items():
        n = getattr(usage, kind, None)
        if n is not None:
            yield _figure(submission, f"usage.{kind}", f"{label} tokens", f"{n:,}")
    if usage.reasoning is not None:
        yield _row(submission, "usage.reasoning", f"{usage.reasoning:,}")
    total = submission.total_tokens
    side = side_of(submission)
    told = f", but {ONE_SIDED[side]}" if side else ""
    shown = missing_words(submission, "total_tokens") if total is None else f"{total:,}{told}"
    yield _row(submission, "total_tokens", shown)
    if submission.main and submission.main.total_tokens is not None:
        shown = f"{submission.main.total_tokens:,}"
        yield SubmissionFigure("main.total_tokens", "of which main agent", shown, "computed")


def _count_figures(submission: Submission) -> Iterator[SubmissionFigure]:
    for name, label in _COUNTS.items():
        n = getattr(submission, name)
        shown = missing_words(submission, name) if n is None else f"{n:,}"
        yield _figure(submission, name, label, shown)


def _seconds(submission: Submission) -> Iterator[SubmissionFigure]:
    for path, label in _TIMES.items():
        value = getattr(submission.time, path.partition(".")[2])
        if value is None and path not in ("time.wall_s", "time.active_s"):
            continue
        shown = missing_words(submission, path) if value is None else numbers.duration(value)
        if path == "time.active_s" and submission.time.gap_limit_s:
            shown += f", without gaps over {numbers.duration(submission.time.gap_limit_s)}"
        elif path == "time.active_s" and submission.time.queue_s:
            shown += ", without the queue at the gateway"
        yield _figure(submission, path, label, shown)


def _money(submission: Submission) -> Iterator[SubmissionFigure]:
    reported, computed = submission.cost.reported_usd, submission.cost.computed_usd
    path = "cost.reported_usd"
    shown = missing_words(submission, path) if reported is None else numbers.money(reported)
    yield _row(submission, path, shown)
    shown = f"unknown: {why_no_cost(submission)}" if computed is None else numbers.money(computed)
    yield _row(submission, "cost.computed_usd", shown + without_earlier_tries(submission))


def without_earlier_tries(submission: Submission) -> str:
    """The earlier tries that a cost leaves out, for after it; empty if there are none."""
    number = submission.cost.earlier_tries
    return f", without {count(number, 'earlier try', 'earlier tries')}" if number else ""


def missing_words(submission: Submission, path: str, otherwise: str = NOT_REPORTED) -> str:
    """The text for a missing figure, with the reason if the log has a 0, or no number."""
    reason = missing_reasons(submission).get(path)
    return f"unknown: {sanitise(reason)}" if reason else otherwise


def why_no_cost(submission: Submission) -> str:
    """Return the reason why the cost could not be computed."""
    cost = submission.cost
    if cost.unpriced:
        named = ", ".join(name for name in cost.unpriced if name != UNKNOWN_MODEL)
        obstacles = [f"no price for {sanitise(named)}"] if named else []
        obstacles += [NO_MODEL] if UNKNOWN_MODEL in cost.unpriced else []
        return "; ".join(obstacles)
    if submission.total_tokens is None:
        return why_no_tokens(submission)
    reasons = {
        "price_depends_on_request": "the price depends on request size, and the log has only sums",
        "tokens_of_no_kind": "some tokens are of a kind without a price",
        "usage_incomplete": "input or output tokens are missing",
        "requests_without_usage": "no request reports its tokens",
    }
    told = [told for flag, told in reasons.items() if flag in submission.flags]
    return told[0] if told else "the log has too little data"


def _outcome(submission: Submission, evidence: str) -> Iterator[SubmissionFigure]:
    ended = submission.outcome
    said = [ended.status.value.replace("_", " ")]
    said += [ended.exit_status] if ended.exit_status else []
    cause = f": {ended.failure_cause}" if ended.failure_cause else ""
    yield SubmissionFigure("outcome.status", "Ended", sanitise(", ".join(said) + cause))
    if ended.success is not None:
        shown = "success" if ended.success else "no success"
        yield _figure(submission, "outcome.success", "Verdict in the log", shown)
    if ended.reward is not None:
        yield _figure(submission, "outcome.reward", "Reward", f"{ended.reward:g}")
    if ended.criteria:
        passed = sum(it.result == "pass" for it in ended.criteria)
        yield SubmissionFigure(
            "outcome.criteria", "Criteria passed", f"{passed} of {len(ended.criteria)}"
        )
    yield SubmissionFigure("evidence_level", "Evidence", evidence.replace("_", " "))


def _files(submission: Submission) -> Iterator[SubmissionFigure]:
    made = submission.artifacts
    least = "at least " if made.completeness == "lower_bound" else ""
    label = submission.provenance.get("artifacts.files", "")
    if made.completeness == "unknown" and not made.files_created and not made.files_modified:
        yield SubmissionFigure("artifacts.files", "Files", NOT_REPORTED)
        return
    shown = f"{least}{len(made.files_created):,} created, {len(made.files_modified):,} modified"
    yield SubmissionFigure("artifacts.files", "Files", shown, _words(label))


def _row(submission: Submission, path: str, shown: str) -> SubmissionFigure:
    """A figure under the label of its row."""
    return _figure(submission, path, FIGURE_ROWS[path].label, shown)


def _figure(submission: Submission, path: str, label: str, shown: str) -> SubmissionFigure:
    return SubmissionFigure(path, label, shown, _words(submission.provenance.get(path, "")))


def _words(label: str) -> str:
    return str(label).replace("_", "-")

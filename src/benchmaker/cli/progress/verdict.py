"""The exit code of a finished run: complete, partial, or that of its gate."""

from typing import TYPE_CHECKING

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell

if TYPE_CHECKING:
    from benchmaker.analysis.summary.model_summary import ModelSummary
    from benchmaker.analysis.summary.summary import Summary
    from benchmaker.record.failure import FailureCause

_LEFT_OUT = (
    "timeout",
    "bad_response",
    "provider_error",
    "scorer_error",
    "unscored",
    "cancelled",
    "unfinished",
)

_NO_FAILURES = ("judge_failed", "judge_abstained", "without_measure")
"""Flags of answers that judges left without a score, a few of which are no failure of the run, and
of those that nothing was to score."""


def verdict_code(summary: "Summary", *, gate: ExitCode = ExitCode.OK) -> ExitCode:
    """The exit code: that of the ``gate``, else partial where trials or judgments are missing."""
    if gate is not ExitCode.OK:
        return gate
    return ExitCode.PARTIAL if exclusion_sentences(summary) else ExitCode.OK


def report_verdict(summary: "Summary", *, gate: ExitCode = ExitCode.OK) -> ExitCode:
    """Print exclusions to stderr; return the exit code, that of the ``gate`` first."""
    for sentence in exclusion_sentences(summary):
        tell(sentence)
    return verdict_code(summary, gate=gate)


def exclusion_sentences(summary: "Summary") -> list[str]:
    """The trials excluded from each model's mean, and the answers without a judgment."""
    from benchmaker.report.sentences.judging import incomplete_words

    causes = {cause.model: cause for cause in summary.failed}
    each = [_left_out_of(model, causes.get(model.model)) for model in summary.models]
    sentences = [*each, incomplete_words(summary.judging)]
    return [sentence for sentence in sentences if sentence]


def _left_out_of(model: "ModelSummary", cause: "FailureCause | None") -> str:
    from benchmaker.record.outcome import outcome_count
    from benchmaker.report.sentences.outcomes import NO_RECORDED_ANSWER, short_reason

    ended = model.counted_outcomes
    counts = {end: ended[end] for end in _LEFT_OUT if end in ended}
    if unjudged := sum(model.flags.get(flag, 0) for flag in _NO_FAILURES):
        counts["unscored"] = max(0, counts.get("unscored", 0) - unjudged)
        counts = {end: number for end, number in counts.items() if number}
    if model.n_absent:
        counts["not run"] = model.n_absent
    if not counts:
        return ""
    number = sum(counts.values())
    each = ", ".join(outcome_count(end, n) for end, n in counts.items())
    if (
        cause
        and cause.of == number
        and short_reason(cause.error_type, cause.message) == NO_RECORDED_ANSWER
    ):
        each = NO_RECORDED_ANSWER
    noun = "trial is" if number == 1 else "trials are"
    return f"{model.model}: {number:,} {noun} excluded from the mean ({each})."

"""The exit code of a finished run: complete, partial, or that of its gate."""

from typing import TYPE_CHECKING

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell

if TYPE_CHECKING:
    from benchmaker.analysis.summary.summary import ModelSummary, Summary

_LEFT_OUT = (
    "timeout",
    "bad_response",
    "provider_error",
    "scorer_error",
    "unscored",
    "cancelled",
)

_BY_JUDGE = ("judge_failed", "judge_abstained")
"""Flags of answers that judges left without a score: a few of them are no failure of the run."""


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

    sentences = [*map(_left_out_of, summary.models), incomplete_words(summary.judging)]
    return [sentence for sentence in sentences if sentence]


def _left_out_of(model: "ModelSummary") -> str:
    from benchmaker.record.outcome import outcome_count

    ended = model.counted_outcomes
    counts = {end: ended[end] for end in _LEFT_OUT if end in ended}
    if unjudged := sum(model.flags.get(flag, 0) for flag in _BY_JUDGE):
        counts["unscored"] = max(0, counts.get("unscored", 0) - unjudged)
        counts = {end: number for end, number in counts.items() if number}
    if model.n_absent:
        counts["not run"] = model.n_absent
    if not counts:
        return ""
    each = ", ".join(outcome_count(end, number) for end, number in counts.items())
    number = sum(counts.values())
    noun = "trial is" if number == 1 else "trials are"
    return f"{model.model}: {number:,} {noun} excluded from the mean ({each})."

"""The exit code of a finished run: complete, partial, or that of its gate."""

from collections.abc import Mapping
from types import MappingProxyType
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


def report_verdict(
    summary: "Summary",
    *,
    gate: ExitCode = ExitCode.OK,
    causes: Mapping[str, str] = MappingProxyType({}),
) -> ExitCode:
    """Report exclusions on stderr; return the exit code, the ``gate``'s if any.

    ``causes`` are the reasons for failed trials by model.
    """
    from benchmaker.report.sentences.judging import incomplete_words

    left_out = _left_out(summary)
    if incomplete := incomplete_words(summary.judging):
        left_out[""] = incomplete
    for name, told in left_out.items():
        tell(told)
        if name in causes:
            tell(f"  {causes[name]}")
    if gate is not ExitCode.OK:
        return gate
    return ExitCode.PARTIAL if left_out else ExitCode.OK


def _left_out(summary: "Summary") -> dict[str, str]:
    told = {model.model: _left_out_of(model) for model in summary.models}
    return {model: sentence for model, sentence in told.items() if sentence}


def _left_out_of(model: "ModelSummary") -> str:
    ended = model.counted_outcomes
    counts = {end: ended[end] for end in _LEFT_OUT if end in ended}
    if unjudged := sum(model.flags.get(flag, 0) for flag in _BY_JUDGE):
        counts["unscored"] = max(0, counts.get("unscored", 0) - unjudged)
        counts = {end: number for end, number in counts.items() if number}
    if model.n_absent:
        counts["not run"] = model.n_absent
    if not counts:
        return ""
    each = ", ".join(f"{number:,} {end.replace('_', ' ')}" for end, number in counts.items())
    number = sum(counts.values())
    noun = "trial is" if number == 1 else "trials are"
    return f"{model.model}: {number:,} {noun} left out of the mean: {each}."

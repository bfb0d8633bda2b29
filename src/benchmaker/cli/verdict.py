"""What a finished run says to the shell: complete, partial, interrupted, or below the threshold."""

from typing import TYPE_CHECKING

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import tell

if TYPE_CHECKING:
    from benchmaker.analysis.summary import ModelSummary, Summary

_LEFT_OUT = (
    "timeout",
    "bad_response",
    "provider_error",
    "scorer_error",
    "unscored",
    "cancelled",
)


def told_verdict(summary: "Summary", *, threshold: float | None) -> ExitCode:
    """Tell what was missed or left out, on stderr; return the exit code.

    A model without a mean misses every threshold.
    """
    missed = _missed(summary, threshold) if threshold is not None else []
    for model in missed:
        tell(f"Threshold missed: {_place(model)}, at least {threshold:g} was asked for.")
    left_out = _left_out(summary)
    for told in left_out:
        tell(told)
    if missed:
        return ExitCode.THRESHOLD_MISSED
    return ExitCode.PARTIAL if left_out else ExitCode.OK


def _missed(summary: "Summary", threshold: float) -> "list[ModelSummary]":
    return [model for model in summary.models if model.mean is None or model.mean < threshold]


def _place(model: "ModelSummary") -> str:
    if model.mean is None:
        return f"{model.model} has no mean"
    return f"{model.model} has {model.mean:.4f}"


def _left_out(summary: "Summary") -> list[str]:
    return [told for model in summary.models if (told := _left_out_of(model))]


def _left_out_of(model: "ModelSummary") -> str:
    counts = {end: model.outcomes[end] for end in _LEFT_OUT if model.outcomes.get(end)}
    absent = (model.n_planned or 0) - model.n_trials
    if absent > 0:
        counts["not run"] = absent
    if not counts:
        return ""
    each = ", ".join(f"{number:,} {end.replace('_', ' ')}" for end, number in counts.items())
    number = sum(counts.values())
    noun = "trial is" if number == 1 else "trials are"
    return f"{model.model}: {number:,} {noun} left out of the mean: {each}."

"""The models with failed requests: the number without scores, and the reason of each."""

from dataclasses import dataclass

from benchmaker.analysis import Summary
from benchmaker.record.counts import count
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.sentences.failures import (
    failed_trials,
    fails_by_name_only,
    failure_sentences,
)


@dataclass(frozen=True, slots=True)
class FailedModels:
    """The failures of a result as shown above its figures.

    ``trials`` is the number of trials with failed requests, ``not_run`` that of planned trials
    without a request, except those of dropped models. ``is_severe`` is true if a model has no score
    at all, ``has_no_scores`` if none has one. ``can_succeed`` is false if a retry fails again,
    since the endpoints lack these models. ``suite`` is the content hash of the suite.
    """

    headline: str
    reasons: tuple[str, ...]
    trials: int
    not_run: int
    is_severe: bool
    has_no_scores: bool
    can_succeed: bool
    suite: str


def failed_models(page: ReportPage, summary: Summary) -> FailedModels | None:
    """Return the failures of the models, without secrets; None if no request failed."""
    failed = [model for model in summary.models if failed_trials(model) or model.is_given_up]
    reasons = failure_sentences(summary)
    if not failed or not reasons:
        return None
    unscored = sum(model.n_scored == 0 for model in failed)
    dropped = {name for run in summary.runs for name in run.dropped}
    return FailedModels(
        headline=_headline(summary, len(failed), unscored),
        reasons=tuple(page.clean(reason) for reason in reasons),
        trials=sum(failed_trials(model) for model in failed),
        not_run=sum(
            max(0, (it.n_planned or 0) - it.n_trials)
            for it in summary.models
            if it.model not in dropped
        ),
        is_severe=unscored > 0,
        has_no_scores=unscored == len(summary.models),
        can_succeed=not fails_by_name_only(summary),
        suite=summary.runs[0].suite_hash if summary.runs else "",
    )


def _headline(summary: Summary, failed: int, unscored: int) -> str:
    of = len(summary.models)
    noun = summary.noun
    if unscored == of:
        return "No scores." if of == 1 else f"None of {count(of, noun)} has scores."
    if unscored:
        verb = "has" if unscored == 1 else "have"
        return f"{unscored:,} of {count(of, noun)} {verb} no scores."
    return f"{failed:,} of {count(of, noun)} {'has' if failed == 1 else 'have'} failed trials."

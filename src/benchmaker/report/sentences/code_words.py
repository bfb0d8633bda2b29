"""The outcome of a generated page, in words."""

from benchmaker.record import Outcome, ProbeOutcome, Score, Trial
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.report.sentences.outcomes import NOT_RUN, outcome_name

_ANSWERED = frozenset({Outcome.SCORED, Outcome.UNSCORED, Outcome.SCORER_ERROR})
"""Outcomes that say nothing of the answer itself."""

NOT_RENDERED_WORDS = "not rendered"
"""The state of a page that has no render."""

_REASONS = {
    ProbeOutcome.BLANK: "The page rendered blank.",
    ProbeOutcome.HANG: "The page stopped responding during rendering.",
    ProbeOutcome.LOAD_ERROR: "The page failed to load.",
    ProbeOutcome.CRASH: "The page crashed the browser tab.",
    ProbeOutcome.MEMORY: "The page exceeded the memory limit during rendering.",
    ProbeOutcome.RELOAD_LOOP: "The page reloads itself in a loop.",
    ProbeOutcome.UNKNOWN: "The machine was too busy to render the page.",
    ProbeOutcome.NAVIGATED_AWAY: "The page navigates to another address by itself.",
}


def state_of(made: PreparedAnswer | None, trial: Trial | None = None) -> str:
    """Return the outcome of a page, in one or two words.

    An answer that was never prepared, such as an empty one, has the word of its trial's outcome.
    """
    if made is None:
        return _state_without_page(trial)
    if made.artifact.reason:
        return "no code"
    return made.report.outcome.value.replace("_", " ") if made.report else NOT_RENDERED_WORDS


def _state_without_page(trial: Trial | None) -> str:
    if trial is None:
        return NOT_RUN
    return NOT_RENDERED_WORDS if trial.outcome in _ANSWERED else outcome_name(trial.outcome)


def checks_of(made: PreparedAnswer | None, score: Score | None = None) -> str:
    """Return the number of task checks passed; empty without checks."""
    counted = count_checks(made, score)
    return "{} of {}".format(*counted) if counted else ""


def count_checks(made: PreparedAnswer | None, score: Score | None) -> tuple[int, int] | None:
    """Return the number of task checks passed, and of all; None without checks.

    The counts are those of the score; before there is one, of the page's report.
    """
    counted = score.detail.get("checks") if score else None
    if isinstance(counted, dict):
        return counted["passed"], counted["of"]
    checks = made.report.checks if made and made.report else ()
    return (sum(it.passed for it in checks), len(checks)) if checks else None


def trouble_of(made: PreparedAnswer) -> str:
    """Return the reason why the rendered page was not visible; empty if it was."""
    if made.artifact.reason:
        return made.artifact.reason
    return _REASONS.get(made.report.outcome, "") if made.report else ""

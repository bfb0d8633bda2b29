"""The outcome of a generated page, in words."""

from benchmaker.record import NO_CODE, ProbeOutcome, Score
from benchmaker.record.prepared_answer import PreparedAnswer

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


def state_of(made: PreparedAnswer | None, score: Score | None = None) -> str:
    """Return the outcome of a page, in one or two words.

    An empty or refused answer is scored without being prepared.
    """
    if made is None:
        return "no code" if score and NO_CODE in score.flags else "not prepared"
    if made.artifact.reason:
        return "no code"
    return made.report.outcome.value.replace("_", " ") if made.report else "not rendered"


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

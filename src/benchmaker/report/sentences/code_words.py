"""How a generated page ended, in words."""

from benchmaker.record import ProbeOutcome
from benchmaker.record.prepared_answer import PreparedAnswer

_REASONS = {
    ProbeOutcome.BLANK: "The page rendered blank.",
    ProbeOutcome.HANG: "The page stopped responding during rendering.",
    ProbeOutcome.LOAD_ERROR: "The page failed to load.",
    ProbeOutcome.CRASH: "The page crashed the browser tab.",
    ProbeOutcome.MEMORY: "The page exceeded the memory limit during rendering.",
    ProbeOutcome.RELOAD_LOOP: "The page reloads itself in a loop.",
    ProbeOutcome.NAVIGATED_AWAY: "The page navigates to another address by itself.",
}


def state_of(made: PreparedAnswer | None) -> str:
    """How a page ended, in one or two words."""
    if made is None:
        return "not prepared"
    if made.artifact.reason:
        return "no code"
    return made.report.outcome.value.replace("_", " ") if made.report else "not rendered"


def checks_of(made: PreparedAnswer | None) -> str:
    """How many task checks passed; empty where there are none."""
    checks = made.report.checks if made and made.report else ()
    return f"{sum(it.passed for it in checks)} of {len(checks)}" if checks else ""


def trouble_of(made: PreparedAnswer) -> str:
    """Why the page could not be seen when it was rendered; empty where it could."""
    if made.artifact.reason:
        return made.artifact.reason
    return _REASONS.get(made.report.outcome, "") if made.report else ""

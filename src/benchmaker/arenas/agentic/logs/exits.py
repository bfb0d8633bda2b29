"""The exit statuses of agents of the SWE-agent family."""

from benchmaker.record.submissions.submission import Status

_STATUS = {
    "submitted": Status.COMPLETED,
    "limitsexceeded": Status.BUDGET,
    "userinterruption": Status.CANCELLED,
    "keyboardinterrupt": Status.CANCELLED,
    "skipped": Status.CANCELLED,
    "exit_cost": Status.BUDGET,
    "exit_context": Status.BUDGET,
    "exit_api": Status.INFRA_ERROR,
    "exit_environment_error": Status.INFRA_ERROR,
}
_OUTSIDE = ("ratelimit", "authentication", "apiconnection", "apierror", "internalserver", "docker")


def status_of(exit_status: str | None) -> Status:
    """The status of an exit; an unrecognized one is a failure, a missing one is unknown.

    >>> status_of("submitted (exit_cost)").value
    'budget'
    """
    if not exit_status:
        return Status.UNKNOWN
    name = exit_status.strip().lower()
    if name.startswith("submitted (") and name.endswith(")"):
        name = name.removeprefix("submitted (").removesuffix(")")
    if name in _STATUS:
        return _STATUS[name]
    if "timeout" in name:
        return Status.TIMEOUT
    return Status.INFRA_ERROR if name.startswith(_OUTSIDE) else Status.FAILED

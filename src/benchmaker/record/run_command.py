"""Commands to runs in progress: pause, resume, limits, dropped models."""

from enum import StrEnum

import msgspec

DROPPED = "dropped during the run"
"""The reason why a dropped model is not queried."""


class ControlAction(StrEnum):
    """The change that a command makes to a run."""

    PAUSE = "pause"
    RESUME = "resume"
    CONCURRENCY = "concurrency"
    MAX_COST = "max_cost"
    DROP_MODEL = "drop_model"
    RETRY_FAILED = "retry_failed"


class CommandState(StrEnum):
    """The state of a command: ``pending`` until a process has read it."""

    PENDING = "pending"
    APPLIED = "applied"
    REFUSED = "refused"


class RunCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One command to a run or a series.

    ``number`` orders the commands of a store. ``value`` is the number of parallel requests, the
    budget in dollars, or the name of a setup or model; None for other actions. ``result`` tells how
    it was applied, or why it was refused. Times are UTC, ISO 8601.
    """

    number: int
    run_id: str | None
    series_id: str | None
    action: ControlAction
    value: int | float | str | None
    actor: str
    created_at: str
    applied_at: str | None = None
    state: CommandState = CommandState.PENDING
    result: str = ""

    @property
    def option(self) -> str:
        """The command as an option of ``benchmaker control``."""
        flag = f"--{self.action.replace('_', '-')}"
        return flag if self.value is None else f"{flag} {_plain(self.value)}"


def _plain(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)

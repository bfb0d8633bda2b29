"""Commands to runs in progress."""

from typing import Annotated, Any

from fastapi import Request
from pydantic import ConfigDict, Field

from benchmaker.arenas.standard.control import ControlResult, send_commands, wanted_commands
from benchmaker.errors import SpecError
from benchmaker.record.run_command import ControlAction
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.paging import BodyModel
from benchmaker.web.api.routes import Api
from benchmaker.web.workbench import Bench

api = Api("runs")
router = api.router

LOCAL = "local"
"""The actor of commands on a server without accounts."""

_MOST_REQUESTS = 1_000


class ControlIn(BodyModel):
    """A command to a run in progress.

    `value` is the number of parallel requests for `concurrency`, the budget in dollars for
    `max_cost`, the name of a setup or model for `drop_model`, and absent for other actions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    action: ControlAction
    value: (
        Annotated[int, Field(ge=0, le=1_000_000)]
        | Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
        | Annotated[str, Field(min_length=1, max_length=300)]
        | None
    ) = None

    def arguments(self) -> dict[str, Any]:
        """The command as an argument of :func:`benchmaker.control`.

        Raises:
            SpecError: the value does not fit the action.
        """
        value = self.value
        match self.action:
            case ControlAction.CONCURRENCY:
                if not isinstance(value, int) or not 1 <= value <= _MOST_REQUESTS:
                    raise _unfit(self.action, f"a whole number from 1 to {_MOST_REQUESTS:,}")
                return {"concurrency": value}
            case ControlAction.MAX_COST:
                if not isinstance(value, int | float):
                    raise _unfit(self.action, "a number of dollars")
                return {"max_cost_usd": float(value)}
            case ControlAction.DROP_MODEL:
                if not isinstance(value, str):
                    raise _unfit(self.action, "the name of a setup or model")
                return {"drop_models": (value,)}
            case _:
                if value is not None:
                    raise _unfit(self.action, "absent")
                return {str(self.action): True}


@api.post("/runs/{run}/control", ControlResult, name="control")
def control_run(request: Request, bench: Bench, who: Who, run: RunName, how: ControlIn) -> Any:  # noqa: ANN401  its shape
    """Pause, resume or change a run in progress; waits up to 5 s for the effect.

    A command to one run of a series applies to the series. Without a process that works on the run,
    pauses, budgets and dropped models take effect at once, other commands with the next resume.
    """
    resolve_runs(bench.store, run)
    wanted = wanted_commands(**how.arguments())
    annotate(request, detail=str(how.action))
    actor = name_of(who, LOCAL)
    return send_commands(bench.store, run, wanted, actor=actor).to_dict()


def _unfit(action: ControlAction, wanted: str) -> SpecError:
    return SpecError(
        f"the value of {action} must be {wanted}.", where="body.value", hint="Correct the value."
    )

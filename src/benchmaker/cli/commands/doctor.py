"""``benchmaker doctor``: the installation, missing parts, and the commands that fix them."""

from typing import TYPE_CHECKING

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import say, say_beside, say_json

if TYPE_CHECKING:
    from benchmaker.cli.server.checkup import CheckupLine

_MARKS = {"ok": "ok", "note": "note", "missing": "MISSING"}


@declare("doctor", examples=("benchmaker doctor", "benchmaker doctor --home /data/benchmaker"))
def command(context: Context) -> ExitCode:
    """Check this machine and print commands that add missing parts.

    The exit code is 3 if a required part is missing.
    """
    from benchmaker.cli.server.checkup import CheckState, checkup

    checks = list(checkup(context))
    is_fit = all(check.state is not CheckState.MISSING for check in checks)
    if context.use_json:
        say_json({"ok": is_fit, "checks": checks})
    else:
        _say(checks)
        say("All requirements are met." if is_fit else "A requirement is missing.")
    return ExitCode.OK if is_fit else ExitCode.PREREQUISITE


def _say(checks: "list[CheckupLine]") -> None:
    width = max(len(check.name) for check in checks)
    for check in checks:
        say_beside(f"{check.name:<{width}}  {_MARKS[check.state]:<7}  ", check.found)
        if check.cure:
            say(f"{'':<{width}}           {check.cure}")

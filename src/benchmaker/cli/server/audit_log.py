"""The audit log of the command line: a line for each command that changed something."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.errors import BenchmakerError

if TYPE_CHECKING:
    from benchmaker.store.people.accounts import AccountStore

ACTOR = "cli"
"""The actor of changes made on the command line, by anyone with access to the store."""

What = str | Callable[[], str]


def note(
    accounts: "AccountStore", action: str, what: str, detail: str = "", *, team: str = "main"
) -> None:
    """Write an action to the audit log."""
    from benchmaker.record.account import AuditEntry

    line = AuditEntry(actor=ACTOR, team=team, action=action, object=what, detail=detail)
    accounts.audit(line)


def write_down(
    context: Context, action: str, what: What, detail: str = "", *, team: str | None = None
) -> None:
    """Write a command's change to the audit log; without accounts, do nothing.

    ``what`` may be a function, called only then; if it returns nothing, nothing was started. An
    empty action changes nothing. The log is that of ``main``, also if the data folder is that of
    another team.
    """
    if not action:
        return
    from benchmaker.cli.database import home_of

    root, own = home_of(context).root_and_team()
    if not root.is_there():
        return
    with root.open_store() as store:
        if not store.accounts.has_users():
            return
        said = what if isinstance(what, str) else what()
        if said:
            note(store.accounts, action, said, detail, team=team or own)


@contextmanager
def written_down(
    context: Context, action: str, what: What, detail: str = ""
) -> Iterator[list[str]]:
    """Write a line after work that changes something, also if it was interrupted.

    Ids added to the yielded list replace ``what``. Refused work changed nothing, and is skipped.
    """
    ids: list[str] = []
    try:
        yield ids
    except BaseException as error:
        if not _is_refusal(error):
            with suppress(BenchmakerError):
                write_down(context, action, what, detail)
        raise
    write_down(context, action, ", ".join(ids) or what, detail)


def _is_refusal(error: BaseException) -> bool:
    from benchmaker.cli.output.failure import exit_code_of

    return isinstance(error, BenchmakerError) and exit_code_of(error) is not ExitCode.PARTIAL

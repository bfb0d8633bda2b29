"""The import of this machine's logs from a page, as ``benchmaker usage`` finds them."""

from typing import Final

from benchmaker.arenas.agentic.sessions.collection import collect
from benchmaker.errors import SpecError
from benchmaker.record.account import MAIN, Actor, Role
from benchmaker.web.agentic.background_work import compute_in_background, is_under_way
from benchmaker.web.workbench import Workbench

_KEY: Final = ("collect",)


def may_collect(bench: Workbench, who: Actor | None) -> bool:
    """True for the user of a server that only this machine reaches, and for its admins."""
    is_admin = who is None or (who.role is Role.ADMIN and who.team == MAIN)
    return is_admin and not bench.settings.is_shared


def is_collecting(bench: Workbench) -> bool:
    """Return True while logs are imported; the error of a failed import is raised once."""
    return is_under_way(bench, _KEY)


def start_collecting(bench: Workbench, who: Actor | None) -> None:
    """Import new and grown logs in the background, unless an import is running.

    Raises:
        SpecError: the server is reachable from other machines, or no log is new.
    """
    if not may_collect(bench, who):
        raise SpecError("this server does not read the logs of its machine.")
    found = compute_in_background(bench, _KEY, lambda: _count_new(bench))
    if found == 0:
        raise SpecError(
            "no new logs of coding tools were found on this machine.",
            hint="Submit a log, or import a folder on the command line.",
        )


def _count_new(bench: Workbench) -> int:
    """Import the logs, and return the number of new and grown sessions."""
    settings = bench.settings
    taken = collect(
        settings.environ, home=bench.home, store=settings.store_url, clock=settings.clock
    )
    return sum(number for name, number in taken.counts.items() if name != "unchanged")

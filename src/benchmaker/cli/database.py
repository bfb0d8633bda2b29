"""The store that a command works on."""

from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.errors import SchemaTooOld, SpecError

if TYPE_CHECKING:
    from benchmaker.store import Store
    from benchmaker.store.home import Home


def home_of(context: Context) -> "Home":
    """Return the location of the results."""
    from benchmaker.store.home import Home

    return Home.of(context.home, context.store_url)


def existing_store(context: Context, *, read_only: bool = True) -> "Store | None":
    """Return the opened store; None if nothing has been stored yet."""
    from benchmaker.store import Store

    place = home_of(context)
    if not place.is_there():
        return None
    try:
        return Store.open(place.address, read_only=read_only)
    except SchemaTooOld:
        Store.open(place.address).close()  # keeps a copy, and upgrades the store
        return Store.open(place.address, read_only=read_only)


def open_store(context: Context, *, read_only: bool = True) -> "Store":
    """Return the opened store.

    Raises:
        SpecError: nothing has been stored yet.
    """
    store = existing_store(context, read_only=read_only)
    if store is None:
        raise nothing_yet(context)
    return store


def refuse_without_store(context: Context) -> None:
    """Raise an error if nothing has been stored yet, before anything is created."""
    if not home_of(context).is_there():
        raise nothing_yet(context)


def refuse_without_series(context: Context) -> None:
    """The same for commands on series of agent trials."""
    if not home_of(context).is_there():
        raise SpecError(
            "there is no series of agent trials yet.",
            where=str(context.home),
            hint="Start one with: benchmaker agents run TASK --agent AGENT",
        )


def nothing_yet(context: Context) -> SpecError:
    """The error for a data folder without results."""
    return SpecError(
        "no runs yet.",
        where=str(context.home),
        hint="Start one with: benchmaker run SUITE --model ENDPOINT/MODEL",
    )

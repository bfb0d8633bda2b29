"""Runs and series by their names in addresses, as on the command line."""

from benchmaker.errors import SpecError
from benchmaker.store import Store
from benchmaker.store.runs.names import RunReference
from benchmaker.web.faults import Missing


def resolve_runs(store: Store, name: str, *, hint: str = "") -> RunReference:
    """Return the named run or runs.

    Raises:
        Missing: unknown name.
        SpecError: ambiguous name.
    """
    try:
        return store.resolve(name)
    except SpecError as exc:
        if exc.message.startswith("there is no run"):
            raise Missing(exc.message, hint=hint) from exc
        raise

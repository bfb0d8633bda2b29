"""The store: every record, in one SQLite file or in PostgreSQL.

Importing the package is light; SQLAlchemy loads with the first name taken from it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmaker.store.database.leases import Lease
    from benchmaker.store.queues.outbox import Message, PendingMessage
    from benchmaker.store.store import Store
    from benchmaker.store.writer import Writer, WriteStatus

__all__ = [
    "Lease",
    "Message",
    "PendingMessage",
    "Store",
    "WriteStatus",
    "Writer",
]

_HOMES = {
    "Lease": "database.leases",
    "Message": "queues.outbox",
    "PendingMessage": "queues.outbox",
    "WriteStatus": "writer",
    "Store": "store",
    "Writer": "writer",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

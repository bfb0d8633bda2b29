"""The database behind a store, for tests that damage it, hold it up or set its clock."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from sqlalchemy import Connection

from benchmaker.store import Store
from benchmaker.store.people.accounts import AccountStore


def is_in_file(store: Store) -> bool:
    """Whether the store is a file of SQLite, not a database of PostgreSQL."""
    return store.address.path is not None


def direct_transaction(store: Store) -> AbstractContextManager[Connection]:
    """A writing transaction past every room; it is durable at its end."""
    return store.database.write()


def set_clock(store: Store, clock: Callable[[], float]) -> None:
    """Have the store read its time from this clock, in seconds since 1970."""
    store.database.clock = clock


def accounts_with_ids(store: Store, new_id: Callable[[str], str]) -> AccountStore:
    """The accounts of a store, with ids from this function in place of random ones."""
    return AccountStore(store.database, new_id=new_id)

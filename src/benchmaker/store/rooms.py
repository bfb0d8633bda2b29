"""The rooms of the store: one object for each kind of record, with every operation on it."""

from functools import cached_property

from benchmaker.store.database.database import Database
from benchmaker.store.queues.jobs import Jobs


class Rooms:
    """One database, and a room for each kind of record in it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @cached_property
    def jobs(self) -> Jobs:
        """Jobs: added, found, begun, stopped and ended."""
        return Jobs(self.database)

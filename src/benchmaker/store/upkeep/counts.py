"""The number of objects in a store, by kind."""

from sqlalchemy import func, select

from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Room

_SHOWN = {
    "suites": "suite version",
    "runs": "run",
    "trials": "trial",
    "judgments": "judgment",
    "calibrations": "calibration",
    "labels": "label",
    "submissions": "submission",
}


class RowCounts(Room):
    """The size of a store in rows."""

    def row_counts(self) -> dict[str, int]:
        """Return the number of rows by their noun: suite version, run, trial, and so on."""
        found = {}
        with self.database.read() as connection:
            for name, noun in _SHOWN.items():
                table = metadata.tables[name]
                found[noun] = connection.scalar(select(func.count()).select_from(table)) or 0
        return found

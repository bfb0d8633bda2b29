"""How much of each thing a store holds."""

from sqlalchemy import func, select

from benchmaker.store.database.column_types import metadata
from benchmaker.store.database.database import Database

_SHOWN = {
    "suites": "suite version",
    "runs": "run",
    "trials": "trial",
    "judgments": "judgment",
    "calibrations": "calibration",
    "labels": "label",
    "submissions": "submission",
}


def row_counts(database: Database) -> dict[str, int]:
    """The number of rows by what a row is: suites, runs, trials, and what people and tools gave."""
    found = {}
    with database.read() as connection:
        for name, noun in _SHOWN.items():
            table = metadata.tables[name]
            found[noun] = connection.scalar(select(func.count()).select_from(table)) or 0
    return found

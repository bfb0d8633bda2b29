"""Stores as they are copied: of earlier revisions, with files, with many rows."""

import gzip
from pathlib import Path

from sqlalchemy import insert

from benchmaker.store import Store
from benchmaker.store.database.code_tables import blobs
from tests.data.store import make
from tests.store.filled import add_run, all_trials, put


def kept_store(revision: str, path: Path) -> Path:
    """A file that an earlier Benchmaker of this revision wrote."""
    path.write_bytes(gzip.decompress((make.FOLDER / f"{revision}.db.gz").read_bytes()))
    return path


def add_files(store: Store, *bodies: bytes) -> None:
    """Files, each under a name by its place."""
    with store.database.write() as connection:
        for at, body in enumerate(bodies):
            row = {"sha256": f"{at:064x}", "type": "image/png", "size": len(body)}
            connection.execute(insert(blobs).values(**row, created_at="now", body=body))


def fill_with_trials(address: str | Path, cases: int) -> None:
    """A run with so many cases, all of them answered."""
    with Store.open(address) as store:
        add_run(store, cases=cases)
        put(store, *all_trials(cases))

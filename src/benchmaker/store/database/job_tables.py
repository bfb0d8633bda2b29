"""The table of jobs."""

from sqlalchemy import Index, Table

from benchmaker.store.database.column_types import (
    metadata,
    number_column,
    optional_text_column,
    plain_text_column,
    row_number_column,
    text_column,
)

jobs = Table(
    "jobs",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    text_column("kind"),
    text_column("target"),
    text_column("state"),
    number_column("fence"),
    text_column("created_at"),
    optional_text_column("started_at"),
    optional_text_column("finished_at"),
    text_column("actor"),
    text_column("error"),
    text_column("hint"),
    plain_text_column("body"),
    Index("ix_jobs_state", "state"),
    Index("ix_jobs_target", "target"),
    sqlite_autoincrement=True,
)
"""``fence`` is the number of the lease under which the job last started, 0 before."""

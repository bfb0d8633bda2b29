"""The table of jobs."""

from sqlalchemy import Index, Table

from benchmaker.store.database.column_types import maybe_text, metadata, number, own_number, text

jobs = Table(
    "jobs",
    metadata,
    own_number(),
    text("id", unique=True),
    text("kind"),
    text("target"),
    text("state"),
    number("fence"),
    text("created_at"),
    maybe_text("started_at"),
    maybe_text("finished_at"),
    text("actor"),
    text("error"),
    text("hint"),
    text("body"),
    Index("ix_jobs_state", "state"),
    Index("ix_jobs_target", "target"),
    sqlite_autoincrement=True,
)
"""``fence`` is the number of the lease under which the job was last begun, 0 before."""

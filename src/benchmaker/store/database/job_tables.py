"""The tables of jobs, and of commands to runs."""

from sqlalchemy import Column, ForeignKey, Index, Table

from benchmaker.store.database.column_types import (
    Number,
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

run_commands = Table(
    "run_commands",
    metadata,
    row_number_column(),
    Column(
        "run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=True, index=True
    ),
    Column(
        "series_seq",
        Number,
        ForeignKey("series.seq", ondelete="CASCADE"),
        nullable=True,
        index=True,
    ),
    text_column("action"),
    optional_text_column("value"),
    text_column("actor"),
    text_column("created_at"),
    optional_text_column("applied_at"),
    text_column("state"),
    text_column("result"),
    sqlite_autoincrement=True,
)
"""Commands to a run without a series (``run_seq``) or to a series."""

"""The tables of tasks, verifications, evaluations and boards.

Rows refer to a submission by its id, not by the number of a revision: dependent data is kept when a
newer importer reads it again. ``is_newest`` is 1 for the row that counts now.
"""

from sqlalchemy import Column, Index, LargeBinary, Table, UniqueConstraint

from benchmaker.store.database.column_types import (
    key_number_column,
    metadata,
    number_column,
    optional_text_column,
    plain_text_column,
    real_column,
    row_number_column,
    text_column,
)

tasks = Table(
    "tasks",
    metadata,
    row_number_column(),
    text_column("digest", unique=True),
    text_column("id"),
    number_column("is_newest"),
    optional_text_column("category"),
    optional_text_column("difficulty"),
    text_column("created_at"),
    plain_text_column("body"),
    Index("ix_tasks_id", "id"),
    sqlite_autoincrement=True,
)
"""Tasks by content; new submissions are for the newest version of an id."""

verifications = Table(
    "verifications",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    text_column("submission_id"),
    text_column("task_digest"),
    text_column("isolation"),
    number_column("is_newest"),
    text_column("created_at"),
    plain_text_column("body"),
    Index("ix_verifications_submission_id", "submission_id"),
    sqlite_autoincrement=True,
)
"""Results of running a task's criteria over a workspace."""

metric_rows = Table(
    "metric_rows",
    metadata,
    row_number_column(),
    text_column("submission_id", unique=True),
    text_column("task_id"),
    text_column("input_hash"),
    text_column("updated_at"),
    plain_text_column("body"),
    optional_text_column("category"),
    Index("ix_metric_rows_task_id", "task_id"),
    Index("ix_metric_rows_category_task_id", "category", "task_id"),
    sqlite_autoincrement=True,
)
"""The current scored figures of each submission; a copy that can be rebuilt."""

metric_chunks = Table(
    "metric_chunks",
    metadata,
    key_number_column("number"),
    Column("body", LargeBinary, nullable=False),
)
"""The same figures as columns, in chunks by row number of ``metric_rows``; a copy that is deleted
with any change of one of its rows, and rebuilt by the next reader of all rows."""

snapshots = Table(
    "snapshots",
    metadata,
    row_number_column(),
    text_column("profile"),
    text_column("task_id"),
    text_column("hash"),
    number_column("number"),
    number_column("n"),
    number_column("is_newest"),
    text_column("created_at"),
    plain_text_column("body"),
    UniqueConstraint("profile", "task_id", "hash"),
    sqlite_autoincrement=True,
)
"""Baselines, frozen and numbered from 1 for each task and profile."""

evaluations = Table(
    "evaluations",
    metadata,
    row_number_column(),
    text_column("submission_id"),
    text_column("task_id"),
    text_column("profile"),
    text_column("snapshot"),
    text_column("input_hash"),
    number_column("is_newest"),
    number_column("is_arrival"),
    real_column("overall"),
    text_column("reason"),
    text_column("evaluated_at"),
    plain_text_column("body"),
    UniqueConstraint("submission_id", "profile", "snapshot", "input_hash"),
    Index("ix_evaluations_task_id_profile_is_newest", "task_id", "profile", "is_newest"),
    sqlite_autoincrement=True,
)
"""The evaluation of a submission under a profile and the snapshot current on its arrival; never
overwritten. Evaluations under later snapshots are computed on demand. Older stores hold some of
those, too: there ``is_arrival`` is 1 only for the first of a submission."""

flags = Table(
    "flags",
    metadata,
    row_number_column(),
    text_column("submission_id"),
    text_column("kind"),
    text_column("source"),
    text_column("created_at"),
    plain_text_column("body"),
    UniqueConstraint("submission_id", "kind", "source"),
    sqlite_autoincrement=True,
)
"""Suspicions with their evidence; deleted only together with their submission."""

reviews = Table(
    "reviews",
    metadata,
    row_number_column(),
    text_column("submission_id"),
    text_column("state"),
    text_column("actor"),
    number_column("is_newest"),
    text_column("created_at"),
    plain_text_column("body"),
    Index("ix_reviews_submission_id", "submission_id"),
    sqlite_autoincrement=True,
)
"""Decisions on a submission's flags: open, cleared or quarantined, one row per step. Likewise the
decisions on a submission that needs a moderator: waiting, accepted or rejected.
"""

boards = Table(
    "boards",
    metadata,
    row_number_column(),
    text_column("profile"),
    text_column("board"),
    text_column("hash"),
    number_column("is_newest"),
    text_column("created_at"),
    plain_text_column("body"),
    UniqueConstraint("profile", "board", "hash"),
    sqlite_autoincrement=True,
)
"""Settled boards; ``board`` names scope, value and window."""

profiles = Table(
    "profiles",
    metadata,
    row_number_column(),
    text_column("name", unique=True),
    text_column("state"),
    text_column("updated_at"),
    plain_text_column("body"),
    sqlite_autoincrement=True,
)
"""Custom scoring profiles: their documents, and whether boards show them."""

"""The tables of tasks, verifications, evaluations and boards.

Rows refer to a submission by its id, not by the number of a revision: what was said of it stays
when a newer importer reads it again. ``is_newest`` is 1 for the row that counts now.
"""

from sqlalchemy import Column, Index, LargeBinary, Table, UniqueConstraint

from benchmaker.store.database.column_types import (
    given_number,
    maybe_text,
    metadata,
    number,
    own_number,
    real,
    text,
)

tasks = Table(
    "tasks",
    metadata,
    own_number(),
    text("digest", unique=True),
    text("id"),
    number("is_newest"),
    maybe_text("category"),
    maybe_text("difficulty"),
    text("created_at"),
    text("body"),
    Index("ix_tasks_id", "id"),
    sqlite_autoincrement=True,
)
"""Tasks by content; the newest of an id is the one that new submissions are for."""

verifications = Table(
    "verifications",
    metadata,
    own_number(),
    text("id", unique=True),
    text("submission_id"),
    text("task_digest"),
    text("isolation"),
    number("is_newest"),
    text("created_at"),
    text("body"),
    Index("ix_verifications_submission_id", "submission_id"),
    sqlite_autoincrement=True,
)
"""What came of running a task's criteria over a workspace."""

metric_rows = Table(
    "metric_rows",
    metadata,
    own_number(),
    text("submission_id", unique=True),
    text("task_id"),
    text("input_hash"),
    text("updated_at"),
    text("body"),
    maybe_text("category"),
    Index("ix_metric_rows_task_id", "task_id"),
    Index("ix_metric_rows_category_task_id", "category", "task_id"),
    sqlite_autoincrement=True,
)
"""The figures of each submission that are scored, as they are now; a copy that can be rebuilt."""

metric_chunks = Table(
    "metric_chunks",
    metadata,
    given_number("number"),
    Column("body", LargeBinary, nullable=False),
)
"""The same figures as columns, so many row numbers of ``metric_rows`` to a chunk; a copy that goes
with any change of one of its rows, and is made again by the next who reads them all."""

snapshots = Table(
    "snapshots",
    metadata,
    own_number(),
    text("profile"),
    text("task_id"),
    text("hash"),
    number("number"),
    number("n"),
    number("is_newest"),
    text("created_at"),
    text("body"),
    UniqueConstraint("profile", "task_id", "hash"),
    sqlite_autoincrement=True,
)
"""Baselines, frozen and numbered from 1 for each task and profile."""

evaluations = Table(
    "evaluations",
    metadata,
    own_number(),
    text("submission_id"),
    text("task_id"),
    text("profile"),
    text("snapshot"),
    text("input_hash"),
    number("is_newest"),
    number("is_arrival"),
    real("overall"),
    text("reason"),
    text("evaluated_at"),
    text("body"),
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
    own_number(),
    text("submission_id"),
    text("kind"),
    text("source"),
    text("created_at"),
    text("body"),
    UniqueConstraint("submission_id", "kind", "source"),
    sqlite_autoincrement=True,
)
"""Suspicions with their evidence; none is ever deleted with its submission left standing."""

reviews = Table(
    "reviews",
    metadata,
    own_number(),
    text("submission_id"),
    text("state"),
    text("actor"),
    number("is_newest"),
    text("created_at"),
    text("body"),
    Index("ix_reviews_submission_id", "submission_id"),
    sqlite_autoincrement=True,
)
"""What became of a submission's flags: open, cleared or quarantined, each step a row. In the same
way, what became of one that had to wait for a moderator: waiting, accepted or rejected."""

boards = Table(
    "boards",
    metadata,
    own_number(),
    text("profile"),
    text("board"),
    text("hash"),
    number("is_newest"),
    text("created_at"),
    text("body"),
    UniqueConstraint("profile", "board", "hash"),
    sqlite_autoincrement=True,
)
"""Boards as they were settled; ``board`` names scope, value and window."""

profiles = Table(
    "profiles",
    metadata,
    own_number(),
    text("name", unique=True),
    text("state"),
    text("updated_at"),
    text("body"),
    sqlite_autoincrement=True,
)
"""Scoring profiles of one's own: their documents, and whether boards show them."""

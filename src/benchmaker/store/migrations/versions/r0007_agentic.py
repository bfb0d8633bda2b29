"""Tasks, verifications, evaluations, flags, reviews and boards."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables of the Agentic Arena."""
    _tasks()
    _verifications()
    _evaluations()
    _suspicions()
    _boards()


def _own() -> sa.Column[int]:
    return sa.Column("seq", _NUMBER, autoincrement=True, nullable=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False)


def _tasks() -> None:
    op.create_table(
        "tasks",
        _own(),
        _text("digest"),
        _text("id"),
        _number("is_newest"),
        _text("category", nullable=True),
        _text("difficulty", nullable=True),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_tasks"),
        sa.UniqueConstraint("digest", name="uq_tasks_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tasks_id", "tasks", ["id"])


def _verifications() -> None:
    op.create_table(
        "verifications",
        _own(),
        _text("id"),
        _text("submission_id"),
        _text("task_digest"),
        _text("isolation"),
        _number("is_newest"),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_verifications"),
        sa.UniqueConstraint("id", name="uq_verifications_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_verifications_submission_id", "verifications", ["submission_id"])


def _evaluations() -> None:
    op.create_table(
        "metric_rows",
        _own(),
        _text("submission_id"),
        _text("task_id"),
        _text("input_hash"),
        _text("updated_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_metric_rows"),
        sa.UniqueConstraint("submission_id", name="uq_metric_rows_submission_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_metric_rows_task_id", "metric_rows", ["task_id"])
    op.create_table(
        "snapshots",
        _own(),
        _text("profile"),
        _text("task_id"),
        _text("hash"),
        _number("number"),
        _number("n"),
        _number("is_newest"),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_snapshots"),
        sa.UniqueConstraint("profile", "task_id", "hash", name="uq_snapshots_profile_task_id_hash"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "evaluations",
        _own(),
        _text("submission_id"),
        _text("task_id"),
        _text("profile"),
        _text("snapshot"),
        _text("input_hash"),
        _number("is_newest"),
        _number("is_arrival"),
        sa.Column("overall", sa.Float(53), nullable=True),
        _text("reason"),
        _text("evaluated_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_evaluations"),
        sa.UniqueConstraint(
            "submission_id",
            "profile",
            "snapshot",
            "input_hash",
            name="uq_evaluations_submission_id_profile_snapshot_input_hash",
        ),
        sqlite_autoincrement=True,
    )
    columns = ["task_id", "profile", "is_newest"]
    op.create_index("ix_evaluations_task_id_profile_is_newest", "evaluations", columns)


def _suspicions() -> None:
    op.create_table(
        "flags",
        _own(),
        _text("submission_id"),
        _text("kind"),
        _text("source"),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_flags"),
        sa.UniqueConstraint(
            "submission_id", "kind", "source", name="uq_flags_submission_id_kind_source"
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "reviews",
        _own(),
        _text("submission_id"),
        _text("state"),
        _text("actor"),
        _number("is_newest"),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_reviews"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_submission_id", "reviews", ["submission_id"])


def _boards() -> None:
    op.create_table(
        "boards",
        _own(),
        _text("profile"),
        _text("board"),
        _text("hash"),
        _number("is_newest"),
        _text("created_at"),
        _text("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_boards"),
        sa.UniqueConstraint("profile", "board", "hash", name="uq_boards_profile_board_hash"),
        sqlite_autoincrement=True,
    )

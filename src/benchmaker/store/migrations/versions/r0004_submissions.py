"""Sessions of coding tools, read from their logs, and their traces."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables of submissions and traces."""
    op.create_table(
        "submissions",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("revision", _NUMBER, nullable=False),
        sa.Column("is_newest", _NUMBER, nullable=False),
        sa.Column("source_sha256", sa.Text, nullable=False),
        sa.Column("session_id", sa.Text, nullable=False),
        sa.Column("task_id", sa.Text, nullable=True),
        sa.Column("harness", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=True),
        sa.Column("effort", sa.Text, nullable=True),
        sa.Column("started_at", sa.Text, nullable=True),
        sa.Column("finished_at", sa.Text, nullable=True),
        sa.Column("importer", sa.Text, nullable=False),
        sa.Column("importer_version", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_submissions"),
        sa.UniqueConstraint("id", "revision", name="uq_submissions_id_revision"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_submissions_is_newest_started_at", "submissions", ["is_newest", "started_at"]
    )
    op.create_table(
        "traces",
        sa.Column("submission_seq", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("part", sa.Text, nullable=False),
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_seq"],
            ["submissions.seq"],
            name="fk_traces_submission_seq",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_seq", "part", "number", name="pk_traces"),
    )

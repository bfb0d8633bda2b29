"""Notes on trials."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of notes."""
    op.create_table(
        "trial_notes",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_trial_notes"),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_trial_notes_run_seq", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_trial_notes_run_seq", "trial_notes", ["run_seq"])

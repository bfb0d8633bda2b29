"""Commands to runs in progress."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of commands."""
    op.create_table(
        "run_commands",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=True),
        sa.Column("series_seq", _NUMBER, nullable=True),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=True),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("applied_at", sa.Text, nullable=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_run_commands"),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_run_commands_run_seq", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["series_seq"], ["series.seq"], name="fk_run_commands_series_seq", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_run_commands_run_seq", "run_commands", ["run_seq"])
    op.create_index("ix_run_commands_series_seq", "run_commands", ["series_seq"])

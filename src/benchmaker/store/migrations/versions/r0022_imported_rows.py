"""Other tools' evaluations, and their rows."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables of imported evaluations and of their rows."""
    op.create_table(
        "imported_evaluations",
        sa.Column("run_seq", _NUMBER, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_seq", name="pk_imported_evaluations"),
        sa.ForeignKeyConstraint(
            ["run_seq"],
            ["runs.seq"],
            name="fk_imported_evaluations_run_seq",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
    )
    op.create_table(
        "imported_rows",
        sa.Column("trial_seq", _NUMBER, nullable=False),
        sa.Column("row_key", _NUMBER, nullable=False),
        sa.Column("scores", sa.Text, nullable=False),
        sa.Column("rest", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("trial_seq", name="pk_imported_rows"),
        sa.ForeignKeyConstraint(
            ["trial_seq"],
            ["trials.seq"],
            name="fk_imported_rows_trial_seq",
            ondelete="CASCADE",
            onupdate="CASCADE",
        ),
    )
    op.create_index("ix_imported_rows_row_key", "imported_rows", ["row_key"])

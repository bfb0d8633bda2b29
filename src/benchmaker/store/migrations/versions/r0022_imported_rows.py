"""Rows of other tools' results."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of imported rows."""
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

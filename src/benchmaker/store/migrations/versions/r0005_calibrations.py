"""Calibrations of judges."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of calibrations."""
    op.create_table(
        "calibrations",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("prompt_hash", sa.Text, nullable=False),
        sa.Column("tier", sa.Text, nullable=False),
        sa.Column("samples_hash", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_calibrations"),
        sa.UniqueConstraint("id", name="uq_calibrations_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_calibrations_judge", "calibrations", ["judge"])

"""Cached answers, and the time to the first piece of an answer."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of cached answers, and a column to completions."""
    op.create_table(
        "cached_answers",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_cached_answers"),
    )
    op.add_column("completions", sa.Column("first_byte_s", sa.Float(53), nullable=True))

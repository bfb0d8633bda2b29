"""The messages of trials with tools."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; trials that are already stored have none."""
    op.add_column("completions", sa.Column("transcript", sa.Text, nullable=True))

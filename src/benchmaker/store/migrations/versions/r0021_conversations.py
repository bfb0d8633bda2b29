"""The steps of conversations with tools that have no last answer."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; trials that are already stored have none."""
    op.add_column("trials", sa.Column("conversation", sa.Text, nullable=True))

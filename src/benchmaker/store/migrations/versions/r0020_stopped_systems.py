"""The systems of a series of agent trials that a stop rule ended."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; series that are already stored have none."""
    op.add_column("agent_series", sa.Column("stopped", sa.Text, nullable=True))

"""The systems of a series of agent trials that a stop rule ended, and the cost of its judges."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; series that are already stored have neither."""
    op.add_column("agent_series", sa.Column("stopped", sa.Text, nullable=True))
    op.add_column("agent_series", sa.Column("judge_usd", sa.Float(53), nullable=True))

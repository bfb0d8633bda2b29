"""The log probabilities of answers."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; answers that are already stored have none."""
    op.add_column("completions", sa.Column("logprobs", sa.Text, nullable=True))

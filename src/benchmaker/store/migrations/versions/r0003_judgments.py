"""Questions to judges, and their replies."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of judgments."""
    op.create_table(
        "judgments",
        sa.Column("seq", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("purpose", sa.Text, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("repeat", _NUMBER, nullable=False),
        sa.Column("shown_order", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("cost_usd", sa.Float(53), nullable=True),
        sa.Column("latency_s", sa.Float(53), nullable=True),
        sa.Column("input_tokens", _NUMBER, nullable=True),
        sa.Column("output_tokens", _NUMBER, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_judgments_run_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("seq", name="pk_judgments"),
    )
    op.create_index("ix_judgments_run_seq", "judgments", ["run_seq"])
    op.create_index("ix_judgments_key", "judgments", ["key"])

"""Human labels of answers."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the table of labels."""
    op.create_table(
        "labels",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=False),
        sa.Column("blind_id", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("version", _NUMBER, nullable=False),
        sa.Column("is_newest", _NUMBER, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("score", sa.Float(53), nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_labels"),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_labels_run_seq", ondelete="CASCADE"
        ),
        sa.UniqueConstraint(
            "run_seq",
            "blind_id",
            "actor",
            "version",
            name="uq_labels_run_seq_blind_id_actor_version",
        ),
        sqlite_autoincrement=True,
    )

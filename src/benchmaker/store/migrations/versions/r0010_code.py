"""Code of answers, page reports, their files, and votes on them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables of the Code Arena."""
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("size", _NUMBER, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_blobs"),
    )
    _reports()
    _artifacts()
    _votes()


def _reports() -> None:
    op.create_table(
        "probe_reports",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        *_texts("key", "content", "place", "artifact_sha", "version", "isolation", "outcome"),
        *_texts("created_at", "body"),
        sa.PrimaryKeyConstraint("seq", name="pk_probe_reports"),
        sa.UniqueConstraint("key", name="uq_probe_reports_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_probe_reports_content", "probe_reports", ["content"])


def _artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=False),
        *_texts("case_id", "model", "sha256", "kind"),
        sa.Column("report_key", sa.Text, nullable=True),
        *_texts("created_at", "body"),
        sa.PrimaryKeyConstraint("seq", name="pk_artifacts"),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_artifacts_run_seq", ondelete="CASCADE"
        ),
        sa.UniqueConstraint(
            "run_seq", "case_id", "model", name="uq_artifacts_run_seq_case_id_model"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_artifacts_report_key", "artifacts", ["report_key"])


def _votes() -> None:
    op.create_table(
        "votes",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("run_seq", _NUMBER, nullable=False),
        *_texts("case_id", "model_a", "model_b", "left", "outcome", "actor", "at"),
        sa.Column("undone_at", sa.Text, nullable=True),
        *_texts("body"),
        sa.PrimaryKeyConstraint("seq", name="pk_votes"),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_votes_run_seq", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("id", name="uq_votes_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_votes_run_seq", "votes", ["run_seq", "case_id"])


def _texts(*names: str) -> tuple["sa.Column[str]", ...]:
    return tuple(sa.Column(name, sa.Text, nullable=False) for name in names)

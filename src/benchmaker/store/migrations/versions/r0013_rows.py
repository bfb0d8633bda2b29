"""The ids of table rows, and the tables that were imported before ids were stored."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_HAS_ONE = sa.text("row_id IS NOT NULL")
_NOTE_OLDER = (
    "INSERT INTO older_tables (importer, source_sha256) "
    "SELECT DISTINCT importer, source_sha256 FROM submissions "
    "WHERE importer IN ('table', 'terminal_bench', 'aider_benchmark', 'hal') "
    "ORDER BY importer, source_sha256"
)


def upgrade() -> None:
    """Add the column, and record the files whose rows are already stored."""
    op.add_column("submissions", sa.Column("row_id", sa.Text, nullable=True))
    op.create_index(
        "ix_submissions_by_row_id",
        "submissions",
        ["row_id"],
        sqlite_where=_HAS_ONE,
        postgresql_where=_HAS_ONE,
    )
    op.create_table(
        "older_tables",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("importer", sa.Text, nullable=False),
        sa.Column("source_sha256", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_older_tables"),
        sa.UniqueConstraint(
            "importer", "source_sha256", name="uq_older_tables_importer_source_sha256"
        ),
        sqlite_autoincrement=True,
    )
    op.execute(_NOTE_OLDER)

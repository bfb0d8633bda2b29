"""Lists of submissions by tool, model, task and time without sorting them all; one vote a pair."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_BY: "dict[str, str | sa.TextClause]" = {
    "harness": "harness",
    "model": sa.text("coalesce(model, '')"),
    "task_id": sa.text("coalesce(task_id, '')"),
    "started_at": sa.text("coalesce(started_at, '')"),
    "session_id": "session_id",
}
_STANDING = sa.text("undone_at IS NULL")


def upgrade() -> None:
    """Add the indexes for pages of submissions, and the constraint on votes."""
    for name, by in _BY.items():
        op.create_index(f"ix_submissions_by_{name}", "submissions", [by, "seq"])
    op.create_index(
        "uq_votes_standing",
        "votes",
        ["run_seq", "case_id", "model_a", "model_b", "actor"],
        unique=True,
        sqlite_where=_STANDING,
        postgresql_where=_STANDING,
    )

"""The tables of the Code Arena: code of answers, what its pages did, files, and votes."""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
)

from benchmaker.store.database.column_types import (
    Number,
    maybe_text,
    metadata,
    number,
    own_number,
    text,
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", Text, primary_key=True),
    text("type"),
    number("size"),
    text("created_at"),
    Column("body", LargeBinary, nullable=False),
)
"""Files by their content, such as screenshots."""

probe_reports = Table(
    "probe_reports",
    metadata,
    own_number(),
    text("key", unique=True),
    text("content"),
    text("place"),
    text("artifact_sha"),
    text("version"),
    text("isolation"),
    text("outcome"),
    text("created_at"),
    text("body"),
    Index("ix_probe_reports_content", "content"),
    sqlite_autoincrement=True,
)
"""What pages did, by everything that may change it; runs share them."""

artifacts = Table(
    "artifacts",
    metadata,
    own_number(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text("case_id"),
    text("model"),
    text("sha256"),
    text("kind"),
    maybe_text("report_key"),
    text("created_at"),
    text("body"),
    UniqueConstraint("run_seq", "case_id", "model"),
    Index("ix_artifacts_report_key", "report_key"),
    sqlite_autoincrement=True,
)
"""The code of each answer of a run; ``report_key`` names the report of its page."""

votes = Table(
    "votes",
    metadata,
    own_number(),
    text("id", unique=True),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text("case_id"),
    text("model_a"),
    text("model_b"),
    text("left"),
    text("outcome"),
    text("actor"),
    text("at"),
    maybe_text("undone_at"),
    text("body"),
    Index("ix_votes_run_seq", "run_seq", "case_id"),
    Index(
        "uq_votes_standing",
        "run_seq", "case_id", "model_a", "model_b", "actor",
        unique=True,
        sqlite_where=literal_column("undone_at IS NULL"),
        postgresql_where=literal_column("undone_at IS NULL"),
    ),
    sqlite_autoincrement=True,
)  # fmt: skip
"""What people hold of two pages; one that was taken back stays, with the time."""

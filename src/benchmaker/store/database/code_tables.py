"""The tables of the Code Arena: code of answers, page reports, files, and votes."""

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    UniqueConstraint,
    literal_column,
)

from benchmaker.record import ArtifactKind
from benchmaker.store.database.column_types import (
    EscapedText,
    Number,
    metadata,
    number_column,
    optional_text_column,
    partial_index,
    plain_text_column,
    row_number_column,
    text_column,
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", EscapedText, primary_key=True),
    text_column("type"),
    number_column("size"),
    text_column("created_at"),
    Column("body", LargeBinary, nullable=False),
)
"""Files by their content, such as screenshots."""

probe_reports = Table(
    "probe_reports",
    metadata,
    row_number_column(),
    text_column("key", unique=True),
    text_column("content"),
    text_column("place"),
    text_column("artifact_sha"),
    text_column("version"),
    text_column("isolation"),
    text_column("outcome"),
    text_column("created_at"),
    plain_text_column("body"),
    Index("ix_probe_reports_content", "content"),
    sqlite_autoincrement=True,
)
"""Observed behavior of pages, keyed by everything that may change it; runs share them."""

artifacts = Table(
    "artifacts",
    metadata,
    row_number_column(),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text_column("case_id"),
    text_column("model"),
    text_column("sha256"),
    text_column("kind"),
    optional_text_column("report_key"),
    text_column("created_at"),
    plain_text_column("body"),
    UniqueConstraint("run_seq", "case_id", "model"),
    Index("ix_artifacts_report_key", "report_key"),
    sqlite_autoincrement=True,
)
"""The code of each answer of a run; ``report_key`` names the report of its page."""

HAS_PAGE = artifacts.c.kind != ArtifactKind.NONE.value
"""True for an answer with a page: one with code for a browser."""

votes = Table(
    "votes",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    Column("run_seq", Number, ForeignKey("runs.seq", ondelete="CASCADE"), nullable=False),
    text_column("case_id"),
    text_column("model_a"),
    text_column("model_b"),
    text_column("left"),
    text_column("outcome"),
    text_column("actor"),
    text_column("at"),
    optional_text_column("undone_at"),
    plain_text_column("body"),
    Index("ix_votes_run_seq", "run_seq", "case_id"),
    partial_index(
        "uq_votes_standing",
        "run_seq", "case_id", "model_a", "model_b", "actor",
        unique=True,
        condition=literal_column("undone_at IS NULL"),
    ),
    sqlite_autoincrement=True,
)  # fmt: skip
"""Votes on two pages; a withdrawn vote stays, with the time of withdrawal."""

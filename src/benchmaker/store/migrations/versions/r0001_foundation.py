"""Suites, runs, trials, scores, leases and the outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
REAL = sa.Float(53)


def upgrade() -> None:
    """Make every table, and the counter of rows."""
    op.create_table(
        "counters",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("fence", NUMBER, nullable=False),
        sa.Column("holder", sa.Text, nullable=True),
        sa.Column("pid", NUMBER, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("ttl_s", REAL, nullable=False),
        sa.Column("heartbeat", REAL, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )
    op.create_table(
        "outbox",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("dedupe_key", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("attempts", NUMBER, nullable=False),
        sa.Column("last_error", sa.Text, nullable=True),
        sa.Column("delivered_at", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("seq", name="pk_outbox"),
        sa.UniqueConstraint("dedupe_key", name="uq_outbox_dedupe_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_delivered_at_seq", "outbox", ["delivered_at", "seq"], unique=False)
    op.create_table(
        "suites",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("cases", NUMBER, nullable=False),
        sa.Column("source", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_suites"),
        sa.UniqueConstraint("hash", name="uq_suites_hash"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "series",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("suite_seq", NUMBER, nullable=False),
        sa.Column("runs", NUMBER, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["suite_seq"], ["suites.seq"], name="fk_series_suite_seq"),
        sa.PrimaryKeyConstraint("seq", name="pk_series"),
        sa.UniqueConstraint("id", name="uq_series_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "suite_cases",
        sa.Column("suite_seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("position", NUMBER, autoincrement=False, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["suite_seq"],
            ["suites.seq"],
            name="fk_suite_cases_suite_seq",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("suite_seq", "position", name="pk_suite_cases"),
    )
    op.create_table(
        "runs",
        sa.Column("seq", NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("suite_seq", NUMBER, nullable=False),
        sa.Column("series_seq", NUMBER, nullable=True),
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("planned", NUMBER, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("finished_at", sa.Text, nullable=True),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["series_seq"], ["series.seq"], name="fk_runs_series_seq"),
        sa.ForeignKeyConstraint(["suite_seq"], ["suites.seq"], name="fk_runs_suite_seq"),
        sa.PrimaryKeyConstraint("seq", name="pk_runs"),
        sa.UniqueConstraint("id", name="uq_runs_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_series_seq", "runs", ["series_seq"], unique=False)
    op.create_index("ix_runs_suite_seq", "runs", ["suite_seq"], unique=False)
    op.create_table(
        "run_models",
        sa.Column("run_seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("rank", NUMBER, autoincrement=False, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_seq"],
            ["runs.seq"],
            name="fk_run_models_run_seq",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_seq", "rank", name="pk_run_models"),
        sa.UniqueConstraint("run_seq", "model", name="uq_run_models_run_seq_model"),
    )
    op.create_table(
        "trials",
        sa.Column("seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("run_seq", NUMBER, nullable=False),
        sa.Column("model_rank", NUMBER, nullable=False),
        sa.Column("position", NUMBER, nullable=False),
        sa.Column("case_id", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("score_version", NUMBER, nullable=False),
        sa.Column("weight", REAL, nullable=False),
        sa.Column("category", sa.Text, nullable=True),
        sa.Column("difficulty", sa.Text, nullable=True),
        sa.Column("tags", sa.Text, nullable=True),
        sa.Column("case_group", sa.Text, nullable=True),
        sa.Column("messages_hash", sa.Text, nullable=False),
        sa.Column("error_type", sa.Text, nullable=True),
        sa.Column("error", sa.Text, nullable=True),
        sa.Column("flags", sa.Text, nullable=True),
        sa.Column("finished_at", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_seq"], ["runs.seq"], name="fk_trials_run_seq", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("seq", name="pk_trials"),
        sa.UniqueConstraint(
            "run_seq", "case_id", "model_rank", name="uq_trials_run_seq_case_id_model_rank"
        ),
    )
    op.create_index(
        "ix_trials_run_seq_position_model_rank",
        "trials",
        ["run_seq", "position", "model_rank"],
        unique=False,
    )
    op.create_table(
        "attempts",
        sa.Column("trial_seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("number", NUMBER, autoincrement=False, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("cost_usd", REAL, nullable=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_seq"],
            ["trials.seq"],
            name="fk_attempts_trial_seq",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("trial_seq", "number", name="pk_attempts"),
    )
    op.create_table(
        "completions",
        sa.Column("trial_seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("finish", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=True),
        sa.Column("latency_s", REAL, nullable=True),
        sa.Column("cost_usd", REAL, nullable=True),
        sa.Column("input_tokens", NUMBER, nullable=True),
        sa.Column("cache_read_tokens", NUMBER, nullable=True),
        sa.Column("cache_write_5m_tokens", NUMBER, nullable=True),
        sa.Column("cache_write_1h_tokens", NUMBER, nullable=True),
        sa.Column("output_tokens", NUMBER, nullable=True),
        sa.Column("reasoning_tokens", NUMBER, nullable=True),
        sa.Column("usage_flags", sa.Text, nullable=True),
        sa.Column("flags", sa.Text, nullable=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_seq"],
            ["trials.seq"],
            name="fk_completions_trial_seq",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("trial_seq", name="pk_completions"),
    )
    op.create_table(
        "scores",
        sa.Column("seq", NUMBER, autoincrement=False, nullable=False),
        sa.Column("trial_seq", NUMBER, nullable=False),
        sa.Column("version", NUMBER, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("score", REAL, nullable=True),
        sa.Column("scorer", sa.Text, nullable=False),
        sa.Column("scorer_version", sa.Text, nullable=False),
        sa.Column("profile", sa.Text, nullable=False),
        sa.Column("flags", sa.Text, nullable=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["trial_seq"],
            ["trials.seq"],
            name="fk_scores_trial_seq",
            onupdate="CASCADE",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("seq", name="pk_scores"),
        sa.UniqueConstraint("trial_seq", "version", name="uq_scores_trial_seq_version"),
    )
    op.execute("INSERT INTO counters (name, value) VALUES ('rows', 0)")

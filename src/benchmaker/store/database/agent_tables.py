"""The tables of agent trials, and of the requests of agents at the gateway."""

from sqlalchemy import Index, Table, UniqueConstraint

from benchmaker.store.database.column_types import (
    metadata,
    number_column,
    optional_plain_text_column,
    optional_text_column,
    plain_text_column,
    real_column,
    row_number_column,
    text_column,
)

agent_series = Table(
    "agent_series",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    text_column("created_at"),
    optional_text_column("finished_at"),
    text_column("actor"),
    plain_text_column("plan"),
    optional_plain_text_column("stopped"),
    real_column("judge_usd"),
    sqlite_autoincrement=True,
)
"""Series of agent trials: plans, systems that a stop rule ended, and the cost of judges."""

agent_trials = Table(
    "agent_trials",
    metadata,
    row_number_column(),
    text_column("series"),
    text_column("task_id"),
    text_column("system"),
    number_column("attempt"),
    number_column("attempt_try"),
    optional_text_column("outcome"),
    optional_text_column("submission_id"),
    text_column("updated_at"),
    plain_text_column("body"),
    UniqueConstraint("series", "task_id", "system", "attempt"),
    Index("ix_agent_trials_submission_id", "submission_id"),
    sqlite_autoincrement=True,
)
"""One row for each task × system × attempt of a series, of the newest try."""

gateway_requests = Table(
    "gateway_requests",
    metadata,
    row_number_column(),
    text_column("series"),
    text_column("task_id"),
    text_column("system"),
    number_column("attempt"),
    number_column("attempt_try"),
    number_column("number"),
    text_column("wire"),
    text_column("model"),
    text_column("requested_model"),
    text_column("endpoint"),
    text_column("started_at"),
    number_column("status"),
    number_column("stream"),
    number_column("sends"),
    number_column("input_tokens", nullable=True),
    number_column("cache_read_tokens", nullable=True),
    number_column("cache_write_5m_tokens", nullable=True),
    number_column("cache_write_1h_tokens", nullable=True),
    number_column("output_tokens", nullable=True),
    number_column("reasoning_tokens", nullable=True),
    text_column("usage_flags"),
    real_column("cost_usd"),
    real_column("most_usd"),
    number_column("most_tokens"),
    real_column("latency_s"),
    real_column("first_byte_s"),
    text_column("refused"),
    number_column("was_cut"),
    text_column("request_sha256"),
    text_column("response_sha256"),
    UniqueConstraint(
        "series",
        "task_id",
        "system",
        "attempt",
        "attempt_try",
        "number",
        name="uq_gateway_requests_key_number",
    ),
    sqlite_autoincrement=True,
)
"""One row for each request of an agent. ``status`` is 0 while it is in progress; then the row is
replaced once, and never again."""

"""Agent trials, and the requests of agents at the gateway."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "agent_series",
        _row_number(),
        _text("id"),
        _text("created_at"),
        _text("finished_at", nullable=True),
        _text("actor"),
        _text("plan"),
        sa.PrimaryKeyConstraint("seq", name="pk_agent_series"),
        sa.UniqueConstraint("id", name="uq_agent_series_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "agent_trials",
        _row_number(),
        *map(_text, ("series", "task_id", "system")),
        *map(_number, ("attempt", "attempt_try")),
        _text("outcome", nullable=True),
        _text("submission_id", nullable=True),
        *map(_text, ("updated_at", "body")),
        sa.PrimaryKeyConstraint("seq", name="pk_agent_trials"),
        sa.UniqueConstraint(
            "series",
            "task_id",
            "system",
            "attempt",
            name="uq_agent_trials_series_task_id_system_attempt",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_agent_trials_submission_id", "agent_trials", ["submission_id"])
    _create_requests()


def _create_requests() -> None:
    key = ("series", "task_id", "system", "attempt", "attempt_try", "number")
    op.create_table(
        "gateway_requests",
        _row_number(),
        *map(_text, key[:3]),
        *map(_number, key[3:]),
        *map(_text, ("wire", "model", "requested_model", "endpoint", "started_at")),
        *map(_number, ("status", "stream", "sends")),
        *(_number(f"{kind}_tokens", nullable=True) for kind in _KINDS),
        _text("usage_flags"),
        *map(_real, ("cost_usd", "most_usd")),
        _number("most_tokens"),
        *map(_real, ("latency_s", "first_byte_s")),
        _text("refused"),
        _number("was_cut"),
        *map(_text, ("request_sha256", "response_sha256")),
        sa.PrimaryKeyConstraint("seq", name="pk_gateway_requests"),
        sa.UniqueConstraint(*key, name="uq_gateway_requests_key_number"),
        sqlite_autoincrement=True,
    )


_KINDS = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "reasoning")


def _row_number() -> sa.Column[Any]:
    return sa.Column("seq", _NUMBER, autoincrement=True, nullable=False)


def _text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, _NUMBER, nullable=nullable)


def _real(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Float(53), nullable=True)

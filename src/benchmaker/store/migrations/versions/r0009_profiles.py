"""Profiles of one's own in a table, figures by category, and figures as columns."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import decode, encode

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_PAGE = 2_000

_BOARDS = sa.table("boards", *map(sa.column, ("seq", "profile", "board", "created_at", "body")))
_ROWS = sa.table("metric_rows", *map(sa.column, ("seq", "category", "body")))
_PROFILES = sa.table("profiles", *map(sa.column, ("name", "state", "updated_at", "body")))
_FORMER = "profiles"
"""The profile name under which they were formerly stored among the boards."""


def upgrade() -> None:
    """Add the tables, and move data there from the former location."""
    _profiles()
    _categories()
    op.create_table(
        "metric_chunks",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_metric_chunks"),
    )


def _profiles() -> None:
    op.create_table(
        "profiles",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_profiles"),
        sa.UniqueConstraint("name", name="uq_profiles_name"),
        sqlite_autoincrement=True,
    )
    connection = op.get_bind()
    kept = connection.execute(sa.select(_BOARDS).where(_BOARDS.c.profile == _FORMER)).mappings()
    rows = {name: row for board in kept for name, row in _rows_of(board)}
    for row in rows.values():
        connection.execute(sa.insert(_PROFILES).values(**row))
    connection.execute(sa.delete(_BOARDS).where(_BOARDS.c.profile == _FORMER))


def _rows_of(board: Any) -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401  a row of any table
    for name, entry in decode(board["body"], dict[str, Any]).items():
        yield (
            name,
            {
                "name": escape(name),
                "state": entry["state"],
                "updated_at": board["created_at"],
                "body": encode(entry["document"]),
            },
        )


def _categories() -> None:
    op.add_column("metric_rows", sa.Column("category", sa.Text, nullable=True))
    connection, last = op.get_bind(), 0
    while True:
        page = sa.select(_ROWS.c.seq, _ROWS.c.body).where(_ROWS.c.seq > last).order_by(_ROWS.c.seq)
        rows = connection.execute(page.limit(_PAGE)).all()
        for row in rows:
            category = decode(row.body, dict[str, Any]).get("category")
            if category is not None:
                own = sa.update(_ROWS).where(_ROWS.c.seq == row.seq)
                connection.execute(own.values(category=escape(category)))
        if len(rows) < _PAGE:
            break
        last = rows[-1].seq
    columns = ["category", "task_id"]
    op.create_index("ix_metric_rows_category_task_id", "metric_rows", columns)

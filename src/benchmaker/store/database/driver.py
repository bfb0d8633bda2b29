"""Statements on the driver's own cursor, for the few that run often.

This avoids SQLAlchemy's overhead per statement in a writer of many small batches.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection

from benchmaker.store.database.escaping import escape_all


def execute(connection: Connection, statement: str, values: Sequence[Any] = ()) -> Any:  # noqa: ANN401  a cursor of either driver
    """Run a statement within the connection's transaction; return the driver's cursor.

    Every ``?`` of the statement is a placeholder. Errors are the driver's own; see
    :meth:`benchmaker.store.database.database.Database.write`.
    """
    cursor: Any = connection.connection.cursor()
    cursor.execute(_translate_placeholders(statement, connection.dialect.paramstyle), values)
    return cursor


def execute_among(
    connection: Connection, statement: str, names: Sequence[str], *, given: Sequence[Any] = ()
) -> Any:  # noqa: ANN401  a cursor of either driver
    """Run a statement that ends with a column of escaped text, which must be one of these names.

    ``given`` are the values of its placeholders. Through SQLAlchemy, which binds each name by
    itself, a query for 500 names takes twice as long.
    """
    stored = escape_all(names)
    if connection.dialect.name == "sqlite":
        places = ", ".join("?" * len(stored))
        return execute(connection, f"{statement} IN ({places})", (*given, *stored))
    return execute(connection, f"{statement} = ANY(?)", (*given, list(stored)))


@lru_cache(maxsize=128)
def _translate_placeholders(statement: str, style: str) -> str:
    return statement if style == "qmark" else statement.replace("?", "%s")

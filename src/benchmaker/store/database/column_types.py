"""The column types of the tables."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Text,
    TypeDecorator,
    event,
)
from sqlalchemy.engine import Dialect

from benchmaker.store.database.escaping import escape_or_none, unescape_or_none


class EscapedText(TypeDecorator[str]):
    """Text of any characters, stored by the escape of :mod:`benchmaker.store.database.escaping`.

    SQLAlchemy applies it to values that are inserted, compared and read;
    :mod:`benchmaker.store.database.inserts` applies it to rows that bypass SQLAlchemy. Statements
    written as SQL call ``escape`` and ``unescape`` themselves.

    Tables that hold a row or more for each trial (``trials``, ``completions``, ``attempts``,
    ``scores``, ``judgments``, ``suite_cases``) have plain text instead: their rows are escaped by
    the threads that create them, to relieve the single writing thread.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  SQLAlchemy's
        """Return the stored form of the text."""
        return escape_or_none(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  SQLAlchemy's
        """Return the original text."""
        return unescape_or_none(value)


Number = BigInteger().with_variant(Integer(), "sqlite")
"""A row number; on SQLite the type that makes it the row's own id."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def text_column(name: str, *, unique: bool = False) -> Column[str]:
    """Return a column of required text."""
    return Column(name, EscapedText, nullable=False, unique=unique)


def optional_text_column(name: str) -> Column[str]:
    """Return a column of optional text."""
    return Column(name, EscapedText, nullable=True)


def plain_text_column(name: str) -> Column[str]:
    """Return a column of text stored as given: JSON, or escaped by the caller."""
    return Column(name, Text, nullable=False)


def optional_plain_text_column(name: str) -> Column[str]:
    """Return a column of optional text stored as given."""
    return Column(name, Text, nullable=True)


def number_column(name: str, *, nullable: bool = False) -> Column[int]:
    """Return a column of a whole number."""
    return Column(name, Number, nullable=nullable)


def real_column(name: str, *, nullable: bool = True) -> Column[float]:
    """Return a column of a number in double precision."""
    return Column(name, Float(53), nullable=nullable)


def row_number_column() -> Column[int]:
    """Return the column of the row's own number, assigned by the database."""
    return Column("seq", Number, primary_key=True, autoincrement=True)


def key_number_column(name: str = "seq", *args: Any) -> Column[int]:  # noqa: ANN401  schema items
    """Return a column of the key, assigned by us."""
    return Column(name, Number, *args, primary_key=True, autoincrement=False)


def parent_reference(target: str) -> ForeignKey:
    """Return a reference to the parent row; the row is deleted with it."""
    return ForeignKey(target, ondelete="CASCADE", onupdate="CASCADE")


_CONDITION = "condition"


def partial_index(
    name: str,
    *columns: str | Column[Any],
    condition: ColumnElement[bool],
    unique: bool = False,
) -> Index:
    """Return an index of the rows that meet a condition, on SQLite and PostgreSQL.

    Given as ``postgresql_where``, the condition would load SQLAlchemy's dialect of PostgreSQL in
    every process, which takes 2 MB.
    """
    info = {_CONDITION: condition}
    return Index(name, *columns, unique=unique, sqlite_where=condition, info=info)


@event.listens_for(metadata, "before_create")
def _add_conditions(made: MetaData, connection: Connection, **_: Any) -> None:  # noqa: ANN401  SQLAlchemy's
    """Give partial indexes their conditions in PostgreSQL, where tables are created there."""
    if connection.dialect.name != "postgresql":
        return
    for table in made.tables.values():
        for index in table.indexes:
            if (condition := index.info.get(_CONDITION)) is not None:
                index.dialect_options["postgresql"]["where"] = condition

"""The tables of people, teams and tokens, and the audit log."""

from collections.abc import Sequence

from sqlalchemy import (
    DDL,
    Column,
    ForeignKey,
    Index,
    LargeBinary,
    Table,
    event,
    literal_column,
)

from benchmaker.store.database.column_types import (
    EscapedText,
    metadata,
    number_column,
    optional_text_column,
    partial_index,
    row_number_column,
    text_column,
)

AUDIT_LOG = "audit_log"

_SAID = "the audit log is append-only"
_IS_THERE = "WHEN EXISTS (SELECT 1 FROM audit_log WHERE seq = NEW.seq)"


def statements(dialect: str) -> Sequence[str]:
    """Return the statements that protect the log on ``sqlite`` or ``postgresql``."""
    if dialect == "sqlite":
        # INSERT OR REPLACE deletes a row without asking the trigger on deletion.
        return (
            _refusing_trigger("UPDATE"),
            _refusing_trigger("DELETE"),
            _refusing_trigger("INSERT", _IS_THERE),
        )
    refuse = (
        "CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE restrict_violation USING MESSAGE = '{_SAID}'; END $$"
    )
    trigger = (
        "CREATE TRIGGER audit_log_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()"
    )
    return refuse, trigger


def _refusing_trigger(when: str, only: str = "") -> str:
    """Return a trigger of SQLite that refuses the operation."""
    return (
        f"CREATE TRIGGER audit_log_{when.lower()} BEFORE {when} ON audit_log {only} "
        f"BEGIN SELECT RAISE(ABORT, '{_SAID}'); END"
    )


def _key(name: str, *args: ForeignKey) -> "Column[str]":
    return Column(name, EscapedText, *args, primary_key=True)


def _user(name: str = "user_id") -> "Column[str]":
    return Column(name, EscapedText, ForeignKey("users.id"), nullable=False, index=True)


def _team(name: str = "team") -> "Column[str]":
    return Column(name, EscapedText, ForeignKey("teams.slug"), nullable=False, index=True)


users = Table(
    "users",
    metadata,
    _key("id"),
    text_column("name", unique=True),
    optional_text_column("password_hash"),
    text_column("oidc"),
    text_column("made_at"),
    optional_text_column("disabled_at"),
    partial_index(
        "uq_users_oidc",
        "oidc",
        unique=True,
        condition=literal_column("oidc <> ''"),
    ),
)
"""Users; never deleted, since audit entries refer to them."""

teams = Table(
    "teams",
    metadata,
    _key("slug"),
    text_column("title"),
    text_column("made_at"),
    number_column("is_public"),
    number_column("is_moderated"),
)

members = Table(
    "team_members",
    metadata,
    _key("team", ForeignKey("teams.slug")),
    _key("user_id", ForeignKey("users.id")),
    text_column("role"),
    Index("ix_team_members_user_id", "user_id"),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    _key("id"),
    _user(),
    _team(),
    text_column("name"),
    text_column("scopes"),
    text_column("secret_hash", unique=True),
    text_column("made_at"),
    optional_text_column("expires_at"),
    optional_text_column("last_used_at"),
    optional_text_column("revoked_at"),
)
"""``scopes`` are words separated by spaces; of the secret only a hash is stored."""

sign_ins = Table(
    "sign_ins",
    metadata,
    _key("id"),
    _user(),
    _team(),
    text_column("cookie_hash", unique=True),
    text_column("made_at"),
    text_column("seen_at"),
    text_column("expires_at"),
    text_column("address"),
    text_column("agent"),
)
"""Current sign-ins; ended ones are deleted and remain in the audit log."""

audit_log = Table(
    AUDIT_LOG,
    metadata,
    row_number_column(),
    text_column("at"),
    text_column("actor"),
    text_column("team"),
    text_column("action"),
    text_column("object"),
    text_column("detail"),
    text_column("address"),
    text_column("request_id"),
    Index(None, "actor", "seq"),
    Index(None, "team", "seq"),
    sqlite_autoincrement=True,
)
"""Changes of state; triggers refuse to change or delete a row."""

for _dialect in ("sqlite", "postgresql"):
    for _statement in statements(_dialect):
        made = DDL(_statement)  # type: ignore[no-untyped-call]  # SQLAlchemy's
        event.listen(audit_log, "after_create", made.execute_if(dialect=_dialect))

team_secrets = Table(
    "team_secrets",
    metadata,
    _key("team", ForeignKey("teams.slug")),
    _key("name"),
    Column("ciphertext", LargeBinary, nullable=False),
    text_column("by"),
    text_column("at"),
)
"""Encrypted keys of endpoints; the encryption key is not in the store."""

registered_attempts = Table(
    "registered_attempts",
    metadata,
    row_number_column(),
    text_column("id", unique=True),
    text_column("team"),
    text_column("task_id"),
    text_column("system"),
    text_column("by"),
    text_column("made_at"),
    optional_text_column("submission_id"),
    Index(None, "task_id", "system", "seq"),
    sqlite_autoincrement=True,
)
"""Attempts announced before their results were known; none is ever deleted."""

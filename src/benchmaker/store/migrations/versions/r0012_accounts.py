"""Users, teams, tokens, sign-ins, the audit log, secrets of teams, and announced attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SAID = "the audit log is append-only"
_IS_THERE = "WHEN EXISTS (SELECT 1 FROM audit_log WHERE seq = NEW.seq)"


def upgrade() -> None:
    """Add the tables of accounts, and protect the audit log from changes."""
    _people()
    _members()
    _tokens()
    _sign_ins()
    _audit_log()
    _secrets()
    _attempts()


def _people() -> None:
    op.create_table(
        "users",
        *_texts("id", "name"),
        *_maybe("password_hash"),
        *_texts("oidc", "made_at"),
        *_maybe("disabled_at"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )
    has_one = sa.text("oidc <> ''")
    op.create_index(
        "uq_users_oidc",
        "users",
        ["oidc"],
        unique=True,
        sqlite_where=has_one,
        postgresql_where=has_one,
    )
    op.create_table(
        "teams",
        *_texts("slug", "title", "made_at"),
        sa.Column("is_public", _NUMBER, nullable=False),
        sa.Column("is_moderated", _NUMBER, nullable=False),
        sa.PrimaryKeyConstraint("slug", name="pk_teams"),
    )


def _members() -> None:
    op.create_table(
        "team_members",
        *_texts("team", "user_id", "role"),
        sa.PrimaryKeyConstraint("team", "user_id", name="pk_team_members"),
        _of_team("team_members"),
        _of_user("team_members"),
    )
    op.create_index("ix_team_members_user_id", "team_members", ["user_id"])


def _tokens() -> None:
    op.create_table(
        "api_tokens",
        *_texts("id", "user_id", "team", "name", "scopes", "secret_hash", "made_at"),
        *_maybe("expires_at", "last_used_at", "revoked_at"),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("secret_hash", name="uq_api_tokens_secret_hash"),
        _of_user("api_tokens"),
        _of_team("api_tokens"),
    )
    _index_people("api_tokens")


def _sign_ins() -> None:
    op.create_table(
        "sign_ins",
        *_texts("id", "user_id", "team", "cookie_hash", "made_at", "seen_at", "expires_at"),
        *_texts("address", "agent"),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
        sa.UniqueConstraint("cookie_hash", name="uq_sign_ins_cookie_hash"),
        _of_user("sign_ins"),
        _of_team("sign_ins"),
    )
    _index_people("sign_ins")


def _audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        *_texts("at", "actor", "team", "action", "object", "detail", "address", "request_id"),
        sa.PrimaryKeyConstraint("seq", name="pk_audit_log"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_actor_seq", "audit_log", ["actor", "seq"])
    op.create_index("ix_audit_log_team_seq", "audit_log", ["team", "seq"])
    if op.get_bind().dialect.name == "sqlite":
        for when, only in (("UPDATE", ""), ("DELETE", ""), ("INSERT", _IS_THERE)):
            op.execute(
                f"CREATE TRIGGER audit_log_{when.lower()} BEFORE {when} ON audit_log {only} "
                f"BEGIN SELECT RAISE(ABORT, '{_SAID}'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE restrict_violation USING MESSAGE = '{_SAID}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_log_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()"
    )


def _secrets() -> None:
    op.create_table(
        "team_secrets",
        *_texts("team", "name"),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        *_texts("by", "at"),
        sa.PrimaryKeyConstraint("team", "name", name="pk_team_secrets"),
        _of_team("team_secrets"),
    )


def _attempts() -> None:
    op.create_table(
        "registered_attempts",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        *_texts("id", "team", "task_id", "system", "by", "made_at"),
        *_maybe("submission_id"),
        sa.PrimaryKeyConstraint("seq", name="pk_registered_attempts"),
        sa.UniqueConstraint("id", name="uq_registered_attempts_id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_registered_attempts_task_id_system_seq",
        "registered_attempts",
        ["task_id", "system", "seq"],
    )


def _index_people(table: str) -> None:
    for column in ("user_id", "team"):
        op.create_index(f"ix_{table}_{column}", table, [column])


def _of_user(table: str) -> "sa.ForeignKeyConstraint":
    return sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=f"fk_{table}_user_id")


def _of_team(table: str) -> "sa.ForeignKeyConstraint":
    return sa.ForeignKeyConstraint(["team"], ["teams.slug"], name=f"fk_{table}_team")


def _texts(*names: str) -> "tuple[sa.Column[str], ...]":
    return tuple(sa.Column(name, sa.Text, nullable=False) for name in names)


def _maybe(*names: str) -> "tuple[sa.Column[str], ...]":
    return tuple(sa.Column(name, sa.Text, nullable=True) for name in names)

"""The audit log is append-only: the database itself refuses to change or delete a line."""

from collections.abc import Sequence

AUDIT_LOG = "audit_log"

_SAID = "the audit log is append-only"
_IS_THERE = "WHEN EXISTS (SELECT 1 FROM audit_log WHERE seq = NEW.seq)"


def statements(dialect: str) -> Sequence[str]:
    """What makes it so on ``sqlite`` or ``postgresql``."""
    if dialect == "sqlite":
        # INSERT OR REPLACE deletes a row without asking the trigger on deletion.
        return _refused("UPDATE"), _refused("DELETE"), _refused("INSERT", _IS_THERE)
    refuse = (
        "CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE restrict_violation USING MESSAGE = '{_SAID}'; END $$"
    )
    asked = (
        "CREATE TRIGGER audit_log_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
        "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()"
    )
    return refuse, asked


def _refused(when: str, only: str = "") -> str:
    """A trigger of SQLite that lets nobody do it."""
    return (
        f"CREATE TRIGGER audit_log_{when.lower()} BEFORE {when} ON audit_log {only} "
        f"BEGIN SELECT RAISE(ABORT, '{_SAID}'); END"
    )

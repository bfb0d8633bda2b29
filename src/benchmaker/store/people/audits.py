"""The audit log: entries are added and read; the database refuses all other operations."""

from msgspec.structs import replace
from sqlalchemy import RowMapping, select

from benchmaker.record.account import AuditEntry
from benchmaker.store.database.account_tables import audit_log
from benchmaker.store.database.database import Room
from benchmaker.store.database.inserts import insert_one

_MOST = 1_000
"""Maximum number of characters stored per text, since clients provide parts of it."""

_TEXTS = ("actor", "team", "action", "object", "detail", "address", "request_id")


class AuditStore(Room):
    """The audit log."""

    def audit(self, entry: AuditEntry) -> AuditEntry:
        """Store a permanent line of the log; return it with its number and time."""
        cut = {name: getattr(entry, name)[:_MOST] for name in _TEXTS}
        made = replace(entry, **cut, at=entry.at or self.database.now_utc())
        with self.database.write() as connection:
            row = {name: getattr(made, name) for name in (*_TEXTS, "at")}
            return replace(made, number=insert_one(connection, audit_log, row))

    def audit_entries(
        self,
        *,
        before: int | None = None,
        limit: int = 50,
        actor: str | None = None,
        action: str | None = None,
        team: str | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Return entries with a number below ``before``, latest first.

        ``action`` is an action, such as ``run.start``, or a prefix with a final dot.
        """
        wanted = select(audit_log).order_by(audit_log.c.seq.desc()).limit(limit)
        if before is not None:
            wanted = wanted.where(audit_log.c.seq < before)
        for name, value in (("actor", actor), ("team", team)):
            if value is not None:
                wanted = wanted.where(audit_log.c[name] == value)
        if action is not None:
            column, value = audit_log.c.action, action
            is_kind = action.endswith(".")
            wanted = wanted.where(
                column.startswith(value, autoescape=True) if is_kind else column == value
            )
        with self.database.read() as connection:
            return tuple(_entry_of(row) for row in connection.execute(wanted).mappings())


def _entry_of(row: RowMapping) -> AuditEntry:
    texts = {name: row[name] for name in (*_TEXTS, "at")}
    return AuditEntry(number=row["seq"], **texts)

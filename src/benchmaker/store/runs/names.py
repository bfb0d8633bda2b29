"""Names of runs: an id, a prefix of one, or ``latest``."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from benchmaker.errors import SpecError
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.tables import runs, series

LATEST = "latest"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class RunReference:
    """The named run, or the runs of a series by number."""

    run_ids: tuple[str, ...]
    series_id: str | None = None


class RunNames(Room):
    """Ids of runs by a prefix, or by ``latest``."""

    @retry_reads
    def resolve(self, text: str) -> RunReference:
        """Return the run or series for a full id, a prefix of one, or ``latest``.

        ``latest`` is the run added last, with its whole series if it has one.

        Raises:
            SpecError: unknown or ambiguous prefix, with the matching ids.
        """
        with self.database.read() as connection:
            if text == LATEST:
                return _resolve_latest(connection)
            found = _matches(connection, text)
            if len(found) == 1:
                return _resolve_id(connection, found[0])
        if not found:
            raise SpecError(f"there is no run {text!r}.", hint="List them with: benchmaker runs")
        shown = ", ".join(name for name in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise SpecError(
            f"several runs start with {text!r}: {shown}{more}.",
            hint="Type more characters of the id.",
        )


def _resolve_latest(connection: Connection) -> RunReference:
    newest = select(runs.c.id, series.c.id).outerjoin(series).order_by(runs.c.seq.desc()).limit(1)
    row = connection.execute(newest).first()
    if row is None:
        raise SpecError("there is no run yet.", hint="Start one with: benchmaker run SUITE")
    return _resolve_id(connection, row[1] or row[0])


def _matches(connection: Connection, text: str) -> Sequence[str]:
    """Return the ids of runs and series that equal this text, or else start with it."""
    stored = escape(text)  # SQLAlchemy escapes values compared with a column, not with a function
    exact: list[str] = []
    begun: list[str] = []
    for ids in (runs.c.id, series.c.id):
        exact += connection.scalars(select(ids).where(ids == text))
        begun += connection.scalars(
            select(ids).where(func.substr(ids, 1, len(stored)) == stored).order_by(ids)
        )
    return exact[:1] or (begun if text else [])


def _resolve_id(connection: Connection, stored_id: str) -> RunReference:
    members = connection.scalars(
        select(runs.c.id)
        .join(series)
        .where(series.c.id == stored_id)
        .order_by(runs.c.number, runs.c.seq)
    ).all()
    if members or connection.scalar(select(series.c.seq).where(series.c.id == stored_id)):
        return RunReference(tuple(members), stored_id)
    return RunReference((stored_id,))

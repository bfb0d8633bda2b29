"""Jobs: requested by pages, executed by workers under leases.

Only the holder of its lease changes a job; anyone may request a stop.
"""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, Select, insert, select, update

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.job import OPEN_JOBS, Job, JobState
from benchmaker.store.database.database import Database
from benchmaker.store.database.job_tables import jobs
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.leases import Lease, refuse_lost

_OPEN = tuple(state.value for state in OPEN_JOBS)


def lease_of(job_id: str) -> str:
    """Return the name of a job's lease."""
    return f"job {job_id}"


class Jobs:
    """Jobs: adding, finding, starting, stopping and ending them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, job: Job) -> Job:
        """Store a job to be executed.

        Raises:
            Conflict: an open job on the same run or series.
        """
        made = _with_created_at(self._database, job)
        with self._database.write() as connection:
            taken = select(jobs.c.id).where(jobs.c.target == job.target, _is_open())
            if connection.execute(taken).first() is not None:
                raise Conflict(
                    f"{job.target} already has a job in progress.",
                    hint="Wait for the job to finish, or stop it first.",
                )
            connection.execute(insert(jobs).values(**_row(made)))
        return made

    def find(self, job_id: str) -> Job:
        """Return the job with that id; StoreError if unknown."""
        with self._database.read() as connection:
            return _load_job(connection, self._database, job_id)

    def find_newest(self, target: str, *, kinds: Collection[str] = ()) -> Job | None:
        """Return the latest job on a run or a series, of any or of these kinds; or None."""
        wanted = _select_jobs().where(jobs.c.target == target).order_by(jobs.c.seq.desc()).limit(1)
        if kinds:
            wanted = wanted.where(jobs.c.kind.in_(kinds))
        with self._database.read() as connection:
            row = connection.execute(wanted).mappings().first()
        return None if row is None else _job_of(row)

    def list_open(self) -> tuple[Job, ...]:
        """Return the open jobs, oldest first."""
        with self._database.read() as connection:
            rows = (
                connection.execute(_select_jobs().where(_is_open()).order_by(jobs.c.seq))
                .mappings()
                .all()
            )
        return tuple(map(_job_of, rows))

    def ask_to_stop(self, target: str) -> bool:
        """Request a stop of the job on a run or a series; False if there is none.

        A waiting job stops immediately, a running one when its worker notices.
        """
        of_target = (jobs.c.target == target,)
        with self._database.write() as connection:
            ended = _update_jobs(
                connection,
                (*of_target, jobs.c.state == JobState.QUEUED.value),
                {"state": JobState.STOPPED.value, "finished_at": self._database.now_utc()},
            )
            stopped = _update_jobs(
                connection,
                (*of_target, jobs.c.state == JobState.RUNNING.value),
                {"state": JobState.STOPPING.value},
            )
        return bool(ended or stopped)

    def begin(self, job_id: str, lease: Lease) -> Job | None:
        """Start a job, or resume one of a dead worker; None if it has ended.

        A requested stop is kept.

        Raises:
            Conflict: the lease is no longer held.
        """
        with self._database.write() as connection:
            refuse_lost(connection, lease)
            job = _load_job(connection, self._database, job_id)
            if not job.is_open:
                return None
            is_new = job.state is JobState.QUEUED
            values: dict[str, Any] = {"fence": lease.fence}
            if is_new:
                values["state"] = JobState.RUNNING.value
            if job.started_at is None:
                values["started_at"] = self._database.now_utc()
            _update_jobs(connection, (jobs.c.id == job_id,), values)
            return _load_job(connection, self._database, job_id)

    def put_back(self, job_id: str, lease: Lease) -> None:
        """Requeue it for another worker; with a requested stop it is stopped."""
        with self._database.write() as connection:
            refuse_lost(connection, lease)
            job = _load_job(connection, self._database, job_id)
            values: dict[str, Any] = {"state": JobState.QUEUED.value}
            if job.state is JobState.STOPPING:
                values = {"state": JobState.STOPPED.value, "finished_at": self._database.now_utc()}
            _update_jobs(connection, (jobs.c.id == job_id,), values)

    def end(
        self,
        job_id: str,
        lease: Lease,
        state: JobState,
        *,
        error: str = "",
        hint: str = "",
    ) -> None:
        """Store the end of the job.

        Raises:
            Conflict: the lease is no longer held.
        """
        values = {
            "state": state.value,
            "finished_at": self._database.now_utc(),
            "error": error,
            "hint": hint,
        }
        with self._database.write() as connection:
            refuse_lost(connection, lease)
            if not _update_jobs(connection, (jobs.c.id == job_id,), values):
                raise _no_job(self._database, job_id)


def _update_jobs(connection: Connection, conditions: Sequence[Any], values: dict[str, Any]) -> int:
    return connection.execute(update(jobs).where(*conditions).values(values)).rowcount


def _is_open() -> Any:  # noqa: ANN401  a condition
    return jobs.c.state.in_(_OPEN)


def _with_created_at(database: Database, job: Job) -> Job:
    return replace(job, created_at=job.created_at or database.now_utc())


def _row(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "target": job.target,
        "state": job.state.value,
        "fence": 0,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "actor": job.actor,
        "error": job.error,
        "hint": job.hint,
        "body": encode(job.body),
    }


def _select_jobs() -> Select[Any]:
    return select(*(column for column in jobs.c if column.name not in {"seq", "fence"}))


def _load_job(connection: Connection, database: Database, job_id: str) -> Job:
    row = connection.execute(_select_jobs().where(jobs.c.id == job_id)).mappings().first()
    if row is None:
        raise _no_job(database, job_id)
    return _job_of(row)


def _no_job(database: Database, job_id: str) -> StoreError:
    return StoreError(f"there is no job {job_id!r}.", where=str(database.address))


def _job_of(row: RowMapping) -> Job:
    return Job(
        id=row["id"],
        kind=row["kind"],
        target=row["target"],
        body=decode(row["body"], dict[str, Any]),
        state=JobState(row["state"]),
        created_at=row["created_at"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        error=row["error"],
        hint=row["hint"],
        actor=row["actor"],
    )

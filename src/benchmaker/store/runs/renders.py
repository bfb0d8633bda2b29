"""Code of answers, page reports, and their files: rows in, rows out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Select, delete, func, select

from benchmaker.errors import StoreError
from benchmaker.record import Artifact, TrialKey
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.record.probe import ProbeReport
from benchmaker.store.database.code_tables import HAS_PAGE, artifacts, blobs, probe_reports
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import runs
from benchmaker.store.runs.runs import run_number


class Blob(NamedTuple):
    """A file: its media type and its bytes."""

    type: str
    body: bytes


class StoredPage(NamedTuple):
    """A prepared answer of a model with its place among all, the latest having the highest."""

    number: int
    trial: TrialKey
    prepared: PreparedAnswer


class Renders:
    """The code of answers, its pages' reports, and the files that show them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_rendering(self, rendering: Rendering, files: Mapping[str, Blob] | None = None) -> None:
        """Store a page report with its files by SHA-256, all or nothing; existing ones are kept."""
        with self._database.write() as connection:
            now = self._database.now_utc()
            for sha256, blob in (files or {}).items():
                row = {"sha256": sha256, "type": blob.type, "size": len(blob.body)}
                insert_new(connection, blobs, {**row, "created_at": now, "body": blob.body})
            report = rendering.report
            row = {
                "key": rendering.key,
                "content": rendering.content,
                "place": rendering.place,
                "artifact_sha": rendering.artifact_sha,
                "version": report.version,
                "isolation": report.isolation.value,
                "outcome": report.outcome.value,
                "created_at": now,
                "body": encode(rendering),
            }
            insert_new(connection, probe_reports, row)

    def find_rendering(self, key: str) -> Rendering | None:
        """Return the report under this key; None if there is none."""
        wanted = select(probe_reports.c.body).where(probe_reports.c.key == key)
        with self._database.read() as connection:
            body = connection.scalar(wanted)
        return None if body is None else decode(body, Rendering)

    def put_artifact(self, trial: TrialKey, prepared: PreparedAnswer) -> None:
        """Store the code of an answer and the key of its page's report, replacing earlier ones.

        Raises:
            StoreError: unknown run.
        """
        artifact, rendering = prepared.artifact, prepared.rendering
        with self._database.write() as connection:
            run_seq = run_number(connection, self._database, trial.run_id).seq
            row = {
                "run_seq": run_seq,
                "case_id": trial.case_id,
                "model": trial.model,
                "sha256": artifact.sha256,
                "kind": artifact.kind.value,
                "report_key": rendering.key if rendering else None,
                "created_at": self._database.now_utc(),
                "body": encode(artifact),
            }
            own = (artifacts.c[name] == row[name] for name in ("run_seq", "case_id", "model"))
            connection.execute(delete(artifacts).where(*own))
            insert_new(connection, artifacts, row)

    def find_prepared(self, trial: TrialKey) -> PreparedAnswer | None:
        """Return the code of an answer with its page's report; None if it was never prepared."""
        wanted = _select_prepared().where(
            runs.c.id == trial.run_id,
            artifacts.c.case_id == trial.case_id,
            artifacts.c.model == trial.model,
        )
        with self._database.read() as connection:
            row = connection.execute(wanted).first()
        return None if row is None else _decode_prepared(row.artifact, row.report)

    def each_prepared(self, run_id: str) -> Iterator[tuple[TrialKey, PreparedAnswer]]:
        """Yield the prepared answers of a run in the order of preparation, page by page."""
        last = 0
        while found := self.pages_after(run_id, last):
            yield from ((it.trial, it.prepared) for it in found)
            if len(found) < _PAGE:
                return
            last = found[-1].number

    def pages_after(self, run_id: str, number: int) -> tuple[StoredPage, ...]:
        """Return the next prepared answers of a run after a place, at most 64."""
        wanted = _select_prepared().where(runs.c.id == run_id, artifacts.c.seq > number)
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(artifacts.c.seq).limit(_PAGE)).all()
        return tuple(_stored_page(row, run_id) for row in rows)

    def last_place(self, run_id: str) -> int:
        """Return the place of the latest prepared answer of a run; 0 without any."""
        wanted = (
            select(func.max(artifacts.c.seq))
            .join(runs, runs.c.seq == artifacts.c.run_seq)
            .where(runs.c.id == run_id)
        )
        with self._database.read() as connection:
            return connection.scalar(wanted) or 0

    def first_reports(
        self, run_ids: Sequence[str], *, limit: int
    ) -> dict[str, tuple[ProbeReport, ...]]:
        """Return the reports of the first rendered pages of each run, at most ``limit`` a run."""
        place = func.row_number().over(partition_by=artifacts.c.run_seq, order_by=artifacts.c.seq)
        ranked = (
            select(runs.c.id, artifacts.c.report_key, place.label("place"))
            .join(runs, runs.c.seq == artifacts.c.run_seq)
            .where(runs.c.id.in_(run_ids), artifacts.c.report_key.is_not(None))
            .subquery()
        )
        wanted = (
            select(ranked.c.id, probe_reports.c.body)
            .join(probe_reports, probe_reports.c.key == ranked.c.report_key)
            .where(ranked.c.place <= limit)
            .order_by(ranked.c.id, ranked.c.place)
        )
        found: dict[str, tuple[ProbeReport, ...]] = {}
        with self._database.read() as connection:
            for row in connection.execute(wanted):
                report = decode(row.body, Rendering).report
                found[row.id] = (*found.get(row.id, ()), report)
        return found

    def pages_of_model(
        self, model: str, *, before: int | None = None, limit: int
    ) -> tuple[StoredPage, ...]:
        """Return the latest answers of a model with a page, over all runs, before a place."""
        wanted = _select_prepared().add_columns(runs.c.id)
        wanted = wanted.where(artifacts.c.model == model, HAS_PAGE)
        if before is not None:
            wanted = wanted.where(artifacts.c.seq < before)
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(artifacts.c.seq.desc()).limit(limit)).all()
        return tuple(_stored_page(row, row.id) for row in rows)

    def find_blob(self, sha256: str) -> Blob:
        """Return the file with this content.

        Raises:
            StoreError: unknown content.
        """
        wanted = select(blobs.c.type, blobs.c.body).where(blobs.c.sha256 == sha256)
        with self._database.read() as connection:
            row = connection.execute(wanted).first()
        if row is None:
            raise StoreError(
                f"there is no file {sha256[:12]!r}.", where=str(self._database.address)
            )
        return Blob(row.type, bytes(row.body))


def drop_unused(connection: Connection) -> int:
    """Delete unused reports and files; return the number of files."""
    used = select(artifacts.c.report_key).where(artifacts.c.report_key.is_not(None))
    connection.execute(delete(probe_reports).where(probe_reports.c.key.not_in(used)))
    named = {
        shot.sha256
        for body in connection.scalars(select(probe_reports.c.body))
        for shot in decode(body, Rendering).report.all_pictures
    }
    there = set(connection.scalars(select(blobs.c.sha256)))
    for sha256 in there - named:
        connection.execute(delete(blobs).where(blobs.c.sha256 == sha256))
    return len(there - named)


_PAGE = 64


def _select_prepared() -> Select[tuple[int, str, str, str, str | None]]:
    return (
        select(
            artifacts.c.seq,
            artifacts.c.case_id,
            artifacts.c.model,
            artifacts.c.body.label("artifact"),
            probe_reports.c.body.label("report"),
        )
        .join(runs, runs.c.seq == artifacts.c.run_seq)
        .outerjoin(probe_reports, probe_reports.c.key == artifacts.c.report_key)
    )


def _stored_page(row: Row[Any], run_id: str) -> StoredPage:
    made = _decode_prepared(row.artifact, row.report)
    return StoredPage(row.seq, TrialKey(run_id, row.model, row.case_id), made)


def _decode_prepared(artifact: str, report: str | None) -> PreparedAnswer:
    return PreparedAnswer(
        artifact=decode(artifact, Artifact),
        rendering=decode(report, Rendering) if report is not None else None,
    )

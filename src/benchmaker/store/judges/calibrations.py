"""Stored calibrations of judges: questions and replies."""

from sqlalchemy import insert, select

from benchmaker.record.calibration import Calibration
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import calibrations


class CalibrationStore(Room):
    """Calibrations of judges."""

    def add_calibration(self, calibration: Calibration) -> None:
        """Store a judge's calibration."""
        row = {
            "id": calibration.id,
            "judge": calibration.judge,
            "prompt_hash": calibration.prompt_hash,
            "tier": calibration.tier,
            "samples_hash": calibration.samples_hash,
            "created_at": calibration.created_at,
            "body": encode(calibration),
        }
        with self.database.write() as connection:
            connection.execute(insert(calibrations).values(**row))

    @retry_reads
    def calibrations(
        self,
        *,
        judge: str | None = None,
        prompt_hash: str | None = None,
        samples_hash: str | None = None,
        limit: int | None = None,
    ) -> tuple[Calibration, ...]:
        """Return the calibrations of a judge with a prompt on these samples, latest first."""
        wanted = select(calibrations.c.body).order_by(calibrations.c.seq.desc()).limit(limit)
        if judge is not None:
            wanted = wanted.where(calibrations.c.judge == judge)
        if prompt_hash is not None:
            wanted = wanted.where(calibrations.c.prompt_hash == prompt_hash)
        if samples_hash is not None:
            wanted = wanted.where(calibrations.c.samples_hash == samples_hash)
        with self.database.read() as connection:
            return tuple(decode(body, Calibration) for body in connection.scalars(wanted))

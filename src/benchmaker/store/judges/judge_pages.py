"""Judges a page at a time: calibrated ones, and uncalibrated ones with judgments."""

from typing import NamedTuple

from sqlalchemy import func, select

from benchmaker.record.calibration import Calibration
from benchmaker.record.judgment import EMBEDDING
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.paging import encode_cursor, select_page
from benchmaker.store.database.tables import calibrations, judgments

_MOST = 200


class JudgeRow(NamedTuple):
    """A judge with the number of its first calibration, their count, and the latest one."""

    number: int
    judge: str
    calibrations: int
    newest: Calibration


class JudgePage(NamedTuple):
    """Judges, and the cursor of the next page; "" at the end."""

    rows: tuple[JudgeRow, ...]
    after: str = ""


class JudgePages:
    """Judges a page at a time: those calibrated, and those that only judged."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, *, after: str = "", limit: int = 50, text: str = "") -> JudgePage:
        """Return one page of calibrated judges, latest calibration first."""
        each = select(
            calibrations.c.judge,
            func.min(calibrations.c.seq).label("number"),
            func.max(calibrations.c.seq).label("newest"),
            func.count().label("count"),
        ).group_by(calibrations.c.judge)
        if text:
            each = each.where(calibrations.c.judge.icontains(text, autoescape=True))
        of = each.subquery()
        wanted = select(
            of.c.judge, of.c.number, of.c["count"], calibrations.c.seq, calibrations.c.body
        )
        wanted = wanted.join(of, of.c.newest == calibrations.c.seq)
        by = calibrations.c.seq
        wanted = select_page(wanted, by, by, descending=True, after=after, limit=limit)
        with self._database.read() as connection:
            found = connection.execute(wanted).mappings().all()
        rows = tuple(
            JudgeRow(
                row["number"],
                row["judge"],
                row["count"],
                decode(row["body"], Calibration),
            )
            for row in found[:limit]
        )
        last = found[limit - 1]["seq"] if len(found) > limit else None
        return JudgePage(rows, encode_cursor(last, last) if last else "")

    def judge_at(self, number: int) -> str | None:
        """Return the judge whose first calibration has that number; None if there is none."""
        first = select(func.min(calibrations.c.seq)).group_by(calibrations.c.judge)
        wanted = select(calibrations.c.judge).where(
            calibrations.c.seq == number, calibrations.c.seq.in_(first)
        )
        with self._database.read() as connection:
            return connection.scalar(wanted)

    def list_uncalibrated(self) -> tuple[tuple[str, int], ...]:
        """Return the judges without any calibration, with their numbers of replies."""
        known = select(calibrations.c.judge)
        wanted = (
            select(judgments.c.judge, func.count())
            .where(judgments.c.judge.not_in(known), judgments.c.purpose != EMBEDDING)
            .group_by(judgments.c.judge)
            .order_by(judgments.c.judge)
            .limit(_MOST)
        )
        with self._database.read() as connection:
            return tuple((unescape(judge), number) for judge, number in connection.execute(wanted))

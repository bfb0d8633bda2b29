"""Suites and their cases a page at a time, with their last runs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, CursorResult, RowMapping, and_, case, func, select

from benchmaker.errors import SpecError
from benchmaker.record import Outcome, RunState
from benchmaker.spec import Case
from benchmaker.store.database.database import Database
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.paging import decode_cursor, encode_cursor, select_page
from benchmaker.store.database.tables import runs, scores, suite_cases, suites, trials
from benchmaker.store.suites.suites import NEWEST_FIRST, StoredSuite, suite_number

_BY: dict[str, Any] = {
    "stored": suites.c.created_at,
    "suite": suites.c.name,
    "cases": suites.c.cases,
}
SORTABLE = tuple(_BY)
"""The sort keys of suites."""

_NOT_RUN = (Outcome.CANCELLED.value, Outcome.UNFINISHED.value)
"""The outcomes of trials without an answer and without a failure of their own."""


class SuiteRow(NamedTuple):
    """The latest matching version of a suite, and its runs.

    ``last_run`` is the last finished one, or the last one if none is finished.
    """

    suite: StoredSuite
    runs: int
    last_run: str = ""
    is_finished: bool = False


class SuitePage(NamedTuple):
    """Suites, and the cursor of the next page; "" at the end."""

    rows: tuple[SuiteRow, ...]
    after: str = ""


class PlacedCase(NamedTuple):
    """A case with its position in the suite, from 0."""

    position: int
    case: Case


class CasePage(NamedTuple):
    """Cases, and the cursor of the next page; "" at the end."""

    rows: tuple[PlacedCase, ...]
    after: str = ""


class Suites:
    """Suites and their cases a page at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        *,
        sort: str = "stored",
        descending: bool = True,
        after: str = "",
        limit: int = 50,
        text: str = "",
        every_version: bool = False,
    ) -> SuitePage:
        """Return one page of suites; ``text`` is matched with names and prefixes of hashes.

        Of the versions of a suite, which share its name, only the latest is listed.
        """
        if sort not in _BY:
            raise SpecError(
                f"suites can't be sorted by {sort!r}.", hint=f"Choose {', '.join(_BY)}."
            )
        wanted = select(suites, _BY[sort].label("by"))
        if not every_version:
            place = func.row_number().over(partition_by=suites.c.name, order_by=NEWEST_FIRST)
            placed = select(suites.c.seq, place.label("place")).subquery()
            wanted = wanted.where(suites.c.seq.in_(select(placed.c.seq).where(placed.c.place == 1)))
        if text:
            name = suites.c.name.icontains(text, autoescape=True)
            wanted = wanted.where(name | suites.c.hash.startswith(text, autoescape=True))
        wanted = select_page(
            wanted, _BY[sort], suites.c.seq, descending=descending, after=after, limit=limit
        )
        with self._database.read() as connection:
            found = connection.execute(wanted).mappings().all()
            rows = _with_runs(connection, found[:limit])
        last = found[limit - 1] if len(found) > limit else None
        return SuitePage(rows, encode_cursor(last["by"], last["seq"]) if last else "")

    def versions(self, name: str, *, limit: int = 50) -> tuple[SuiteRow, ...]:
        """Return the suites with that name, latest first."""
        wanted = select(suites).where(suites.c.name == name).order_by(*NEWEST_FIRST)
        with self._database.read() as connection:
            return _with_runs(connection, connection.execute(wanted.limit(limit)).mappings().all())

    def page_of_cases(
        self,
        content: str,
        *,
        after: str = "",
        limit: int = 50,
        text: str = "",
        tag: str = "",
        scorer: str = "",
        default_scorer: str = "",
    ) -> CasePage:
        """Return one page of a suite's cases in order; ``text`` is searched in ids and questions.

        Cases are read until enough of them match the filters; ``default_scorer`` is the id of the
        suite's scorer, for cases without their own.
        """
        place = decode_cursor(after)
        position = int(place[0]) + 1 if place else 0
        found: list[PlacedCase] = []
        with self._database.read() as connection:
            number = suite_number(connection, self._database, content)
            with _cases_from(connection, number, position) as rows:
                for row in rows:
                    it = PlacedCase(
                        row.position, Case.model_validate(decode(row.body, dict[str, Any]))
                    )
                    if _fits(it.case, text.casefold(), tag, scorer, default_scorer):
                        found.append(it)
                    if len(found) > limit:
                        break
        more = len(found) > limit
        return CasePage(
            tuple(found[:limit]), encode_cursor(found[limit - 1].position, 0) if more else ""
        )

    def position_of(self, content: str, case_id: str) -> int | None:
        """Return the position of the first case with that id, from 0; None if there is none."""
        with self._database.read() as connection:
            number = suite_number(connection, self._database, content)
            found: int | None = connection.scalar(
                select(func.min(suite_cases.c.position)).where(
                    suite_cases.c.suite_seq == number, suite_cases.c.case_id == escape(case_id)
                )
            )
        return found

    def scores_at(self, run_id: str, positions: Sequence[int]) -> dict[int, tuple[float, ...]]:
        """Return the latest scores of the answers to these cases in a run, by position.

        A case has an empty tuple if none of its trials has a score, and none if it was not run.
        """
        wanted = (
            select(trials.c.position, scores.c.score)
            .join(runs, runs.c.seq == trials.c.run_seq)
            .outerjoin(scores, _is_newest_score())
            .where(
                runs.c.id == run_id,
                trials.c.position.in_(positions),
                trials.c.outcome.not_in(_NOT_RUN),
            )
            .order_by(trials.c.position, trials.c.model_rank)
        )
        found: dict[int, list[float]] = {}
        with self._database.read() as connection:
            for position, score in connection.execute(wanted):
                found.setdefault(position, []).extend(() if score is None else (score,))
        return {position: tuple(own) for position, own in found.items()}


def _cases_from(connection: Connection, number: int, first: int) -> CursorResult[Any]:
    return connection.execute(
        select(suite_cases.c.position, suite_cases.c.body)
        .where(suite_cases.c.suite_seq == number, suite_cases.c.position >= first)
        .order_by(suite_cases.c.position)
        .execution_options(yield_per=500)
    )


def _fits(case: Case, text: str, tag: str, scorer: str, default: str) -> bool:
    if tag and tag not in case.tags:
        return False
    if scorer and scorer != case.scorer_id(default):
        return False
    words = (case.id, case.prompt or "", *(turn.content for turn in case.messages))
    return not text or any(text in one.casefold() for one in words)


_FINISHED = case((runs.c.state == RunState.FINISHED.value, runs.c.seq))


def _with_runs(connection: Connection, found: Sequence[RowMapping]) -> tuple[SuiteRow, ...]:
    numbers = [row["seq"] for row in found]
    last = {
        row.suite_seq: row
        for row in connection.execute(
            select(
                runs.c.suite_seq,
                func.count().label("runs"),
                func.coalesce(func.max(_FINISHED), func.max(runs.c.seq)).label("last"),
                func.max(_FINISHED).label("finished"),
            )
            .where(runs.c.suite_seq.in_(numbers))
            .group_by(runs.c.suite_seq)
        )
    }
    seqs = [row.last for row in last.values()]
    ids = dict(connection.execute(select(runs.c.seq, runs.c.id).where(runs.c.seq.in_(seqs))).all())
    return tuple(
        SuiteRow(_stored_suite(row), at.runs, ids[at.last], at.finished is not None)
        if (at := last.get(row["seq"]))
        else SuiteRow(_stored_suite(row), 0)
        for row in found
    )


def _is_newest_score() -> Any:  # noqa: ANN401  a condition
    return and_(scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version)


def _stored_suite(row: RowMapping) -> StoredSuite:
    return StoredSuite(
        hash=row["hash"],
        name=row["name"],
        cases=row["cases"],
        source=row["source"],
        created_at=row["created_at"],
    )

"""Reads trials page by page, in the order of cases and then models."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    func,
    not_,
    or_,
    select,
    tuple_,
    update,
)

from benchmaker.errors import StoreError
from benchmaker.record import (
    AWAITING_JUDGE,
    BASELINE_ITSELF,
    EMBEDDING_FAILED,
    JUDGE_AGAIN,
    JUDGE_FAILED,
    MODEL_STOPPED,
    NO_CODE,
    POLICY_ZERO,
    RETRY_REQUESTED,
    WITHOUT_JUDGE,
    Outcome,
    Trial,
)
from benchmaker.spec.suites.check_spec import CHECKS
from benchmaker.store.database.database import Database, Room, retry_reads
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import attempts, completions, judgments, runs, scores, trials
from benchmaker.store.runs.batch import REPLACEABLE
from benchmaker.store.runs.costs import IS_OURS
from benchmaker.store.runs.runs import RunNumber, no_run, run_number
from benchmaker.store.runs.trial_rows import trial_of

PAGE = 500
"""Maximum number of trials read at once."""

_FIRST = 10
"""Number of trials read first, since some callers need only one."""

PAGE_CHARACTERS = 4_000_000
"""Number of characters of text above which a page ends early."""

_ROWS_AHEAD = 20
"""Number of rows that a server sends at once; long texts make rows large."""

_START = (-1, -1)

_NOT_FOR_JUDGES = (POLICY_ZERO, NO_CODE, WITHOUT_JUDGE, BASELINE_ITSELF)
"""Flags of scores that need no judge, although the scorer uses judges."""

_ABSTAINED = "judge_abstained"


class _Filter(NamedTuple):
    run: RunNumber
    model_rank: int | None
    case_id: str | None


def _find_run(database: Database, run_id: str) -> RunNumber:
    with database.read() as connection:
        return run_number(connection, database, run_id)


class TrialReader(Room):
    """Reads the trials of runs: from a position on, those of one case, or a single one."""

    def trials(
        self,
        run_id: str,
        *,
        model: str | None = None,
        case_id: str | None = None,
        after: tuple[int, int] = _START,
    ) -> Iterator[Trial]:
        """Yield the run's trials with their latest scores, by case, then by the run's models.

        Each page is a separate transaction, so that slow reading blocks nobody; memory does not
        grow with the run. The run is looked up immediately, its trials on demand. ``after`` is the
        position of a case and a model, both from 0, after which to start.

        Raises:
            StoreError: unknown run or model.
        """
        run = self.database.retry(partial(_find_run, self.database, run_id))
        if model is not None and model not in run.ranks:
            raise StoreError(
                f"run {run_id} has no model {model!r}.", hint=f"It has: {', '.join(run.models)}."
            )
        chosen = _Filter(
            run,
            None if model is None else run.ranks[model],
            None if case_id is None else escape(case_id),
        )
        return _pages(self.database, run_id, chosen, after)

    @retry_reads
    def trial(self, run_id: str, model: str, case_id: str) -> Trial:
        """Return one trial with its latest score; StoreError if unknown."""
        for trial in self.trials(run_id, model=model, case_id=case_id):
            return trial
        raise no_trial(self.database, run_id, model, case_id)

    def trials_at(self, run_id: str, position: int, *, model: str | None = None) -> list[Trial]:
        """Return the run's trials of the case at this position, in the order of the run's models.

        ``model`` selects the trial of one; the list is empty if the run does not have it.

        Raises:
            StoreError: there is no such run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            chosen = _Filter(run, None if model is None else run.ranks.get(model, -1), None)
            wanted = _select(chosen, (position, -1)).where(trials.c.position == position)
            rows = list(connection.execute(wanted).mappings())
            requests = _attempts(connection, rows)
        return [trial_of(row, run_id, chosen.run.models, requests[row["seq"]]) for row in rows]


def no_trial(database: Database, run_id: str, model: str, case_id: str) -> StoreError:
    """Return the error for an unknown trial."""
    return StoreError(
        f"run {run_id} has no trial of case {case_id!r} by {model!r}.", where=str(database.address)
    )


class TrialStore(Room):
    """Counts of trials, and the trials that wait for a judge."""

    @retry_reads
    def done_keys(
        self, run_id: str, first_position: int, last_position: int, *, retry_failed: bool = False
    ) -> set[tuple[str, str]]:
        """Return (case id, model) of the completed trials between two positions, both included.

        See :func:`count_done` for the definition.

        Raises:
            StoreError: unknown run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            rows = connection.execute(
                select(trials.c.case_id, trials.c.model_rank).where(
                    trials.c.run_seq == run.seq,
                    trials.c.position.between(first_position, last_position),
                    _is_done(retry_failed=retry_failed),
                )
            ).all()
        return {(unescape(case_id), run.models[rank]) for case_id, rank in rows}

    @retry_reads
    def count_done(self, run_id: str, *, retry_failed: bool = False, of: Sequence[str] = ()) -> int:
        """Return the number of completed trials of the run, for the models ``of``, by default all.

        A trial without a row is incomplete, and so is one that stopped its model, or that is to be
        retried. With
        ``retry_failed``, trials that failed because of infrastructure are incomplete, too.

        Raises:
            StoreError: unknown run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            done = select(func.count()).where(
                trials.c.run_seq == run.seq, _is_done(retry_failed=retry_failed)
            )
            if of:
                ranks = [rank for rank, model in enumerate(run.models) if model in of]
                done = done.where(trials.c.model_rank.in_(ranks))
            return connection.scalar(done) or 0

    @retry_reads
    def spent_usd(self, run_ids: Sequence[str]) -> float:
        """Return the known cost of these runs' requests."""
        numbers = select(runs.c.seq).where(runs.c.id.in_(run_ids))
        paid = (
            select(func.sum(attempts.c.cost_usd))
            .join(trials, trials.c.seq == attempts.c.trial_seq)
            .where(trials.c.run_seq.in_(numbers), IS_OURS)
        )
        judged = select(func.sum(judgments.c.cost_usd)).where(judgments.c.run_seq.in_(numbers))
        with self.database.read() as connection:
            return float(connection.scalar(paid) or 0.0) + float(connection.scalar(judged) or 0.0)

    @retry_reads
    def outcomes(self, run_ids: Sequence[str]) -> dict[str, dict[Outcome, int]]:
        """Return the number of each run's trials by outcome; empty for a run without trials.

        Raises:
            StoreError: an unknown run.
        """
        return _count_by_outcome(self.database, run_ids)

    @retry_reads
    def awaiting_outcomes(self, run_ids: Sequence[str]) -> dict[str, dict[Outcome, int]]:
        """Return the number of each run's trials that wait for a score, by preliminary outcome.

        Raises:
            StoreError: an unknown run.
        """
        return _count_by_outcome(self.database, run_ids, _awaits())

    @retry_reads
    def count_judged(self, run_ids: Sequence[str], scorers: Collection[str]) -> int:
        """Return the number of these runs' answers that these scorers send to judges.

        The scorers may be checks of the answer. Answers that judges could not score, or have not
        scored yet, are counted as well; answers scored or left out without a judge are not.
        """
        is_scored = and_(scores.c.scorer.in_(list(scorers)), scores.c.score.is_not(None))
        needed_none = [_is_flagged(flag) for flag in _NOT_FOR_JUDGES]
        is_judged = and_(is_scored, or_(scores.c.flags.is_(None), not_(or_(*needed_none))))
        is_judged = or_(is_judged, *([_has_judged_check()] if scorers else []))
        wanted = (
            select(func.count())
            .select_from(_JOINED)
            .join(runs, runs.c.id.in_(run_ids))
            .where(
                trials.c.run_seq == runs.c.seq,
                or_(is_judged, _is_unjudged(), _is_flagged(_ABSTAINED), _awaits()),
            )
        )
        with self.database.read() as connection:
            return connection.scalar(wanted) or 0

    @retry_reads
    def trials_awaiting_judge(
        self, run_id: str, *, after: int, limit: int
    ) -> list[tuple[int, Trial]]:
        """Return trials waiting for a judge, by row number, above ``after``.

        Numbers become visible in order, so continuing from the last one misses none.

        Raises:
            StoreError: there is no such run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            wanted = (
                select(*_COLUMNS)
                .select_from(_JOINED)
                .where(trials.c.run_seq == run.seq, trials.c.seq > after, _awaits())
                .order_by(trials.c.seq)
                .limit(limit)
            )
            rows = list(connection.execute(wanted).mappings())
            requests = _attempts(connection, rows)
        return [
            (row["seq"], trial_of(row, run_id, run.models, requests[row["seq"]])) for row in rows
        ]

    def await_judges(self, run_id: str) -> int:
        """Requeue trials without a judgment for a judge; return the number.

        Raises:
            StoreError: unknown run.
        """
        with self.database.write() as connection:
            run = run_number(connection, self.database, run_id)
            unjudged = (
                select(trials.c.seq, trials.c.flags)
                .select_from(_JOINED)
                .where(trials.c.run_seq == run.seq, _is_unjudged())
            )
            rows = connection.execute(unjudged).all()
            for row in rows:
                known = decode(row.flags, tuple[str, ...]) if row.flags else ()
                flags = encode(tuple(dict.fromkeys((*known, AWAITING_JUDGE, JUDGE_AGAIN))))
                changed = update(trials).where(trials.c.seq == row.seq).values(flags=flags)
                connection.execute(changed)
        return len(rows)

    @retry_reads
    def count_unjudged(self, run_id: str) -> int:
        """Return the number of the run's trials without a score for lack of a judgment.

        Raises:
            StoreError: unknown run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            wanted = (
                select(func.count())
                .select_from(_JOINED)
                .where(trials.c.run_seq == run.seq, _is_unjudged())
            )
            return connection.scalar(wanted) or 0

    @retry_reads
    def count_awaiting(self, run_id: str) -> int:
        """Return the number of trials of the run that wait for a judge.

        Raises:
            StoreError: unknown run.
        """
        with self.database.read() as connection:
            run = run_number(connection, self.database, run_id)
            waiting = select(func.count()).where(trials.c.run_seq == run.seq, _awaits())
            return connection.scalar(waiting) or 0


def _is_done(*, retry_failed: bool) -> ColumnElement[bool]:
    if retry_failed:
        return trials.c.outcome.not_in([outcome.value for outcome in REPLACEABLE])
    not_flagged = (
        trials.c.flags.not_like(f'%"{flag}"%') for flag in (MODEL_STOPPED, RETRY_REQUESTED)
    )
    return or_(trials.c.flags.is_(None), and_(*not_flagged))


def _is_unjudged() -> ColumnElement[bool]:
    return or_(_is_flagged(JUDGE_FAILED), _is_flagged(EMBEDDING_FAILED))


def _is_flagged(flag: str) -> ColumnElement[bool]:
    return scores.c.flags.like(f'%"{flag}"%')


def _has_judged_check() -> ColumnElement[bool]:
    """A check of the answer has judgments in its detail.

    Quotation marks in a text of the detail are escaped, so that none looks like the key.
    """
    return and_(scores.c.scorer == CHECKS, scores.c.body.like('%"singles":%'))


def is_ended() -> ColumnElement[bool]:
    """Return a condition for completed trials: with a score, or finally without one."""
    is_scored = or_(trials.c.flags.is_(None), not_(_awaits()))
    return and_(trials.c.outcome != Outcome.UNFINISHED.value, is_scored)


def _awaits() -> ColumnElement[bool]:
    return trials.c.flags.like(f'%"{AWAITING_JUDGE}"%')


def _count_by_outcome(
    database: Database, run_ids: Sequence[str], *conditions: ColumnElement[bool]
) -> dict[str, dict[Outcome, int]]:
    counts: dict[str, dict[Outcome, int]] = {}
    with database.read() as connection:
        for run_id in run_ids:
            number = connection.scalar(select(runs.c.seq).where(runs.c.id == run_id))
            if number is None:
                raise no_run(database, run_id)
            rows = connection.execute(
                select(trials.c.outcome, func.count())
                .where(trials.c.run_seq == number, *conditions)
                .group_by(trials.c.outcome)
            )
            counts[run_id] = {Outcome(outcome): count for outcome, count in rows}
    return counts


def _pages(
    database: Database, run_id: str, chosen: _Filter, after: tuple[int, int]
) -> Iterator[Trial]:
    most = _FIRST
    while True:
        rows, requests = database.retry(partial(_read_page, database, chosen, after, most))
        if not rows:
            return
        after, most = (rows[-1]["position"], rows[-1]["model_rank"]), PAGE
        for row in rows:
            yield trial_of(row, run_id, chosen.run.models, requests[row["seq"]])


def _read_page(
    database: Database, chosen: _Filter, after: tuple[int, int], most: int
) -> tuple[list[RowMapping], Mapping[int, list[str]]]:
    with database.read() as connection:
        rows = _page(connection, chosen, after, most)
        return rows, _attempts(connection, rows)


def _page(
    connection: Connection, chosen: _Filter, after: tuple[int, int], most: int
) -> list[RowMapping]:
    streamed = connection.execution_options(stream_results=True, max_row_buffer=_ROWS_AHEAD)
    page: list[RowMapping] = []
    characters = 0
    with streamed.execute(_select(chosen, after).limit(most)) as result:
        for row in result.mappings():
            page.append(row)
            characters += len(row["text"] or "") + len(row["score_body"] or "")
            if characters > PAGE_CHARACTERS:
                break
    return page


def _select(chosen: _Filter, after: tuple[int, int]) -> Select[Any]:
    place = tuple_(trials.c.position, trials.c.model_rank)
    wanted = (
        select(*_COLUMNS)
        .select_from(_JOINED)
        .where(trials.c.run_seq == chosen.run.seq, place > after)
        .order_by(trials.c.position, trials.c.model_rank)
    )
    if chosen.model_rank is not None:
        wanted = wanted.where(trials.c.model_rank == chosen.model_rank)
    if chosen.case_id is not None:
        wanted = wanted.where(trials.c.case_id == chosen.case_id)
    return wanted


_JOINED = trials.outerjoin(completions, completions.c.trial_seq == trials.c.seq).outerjoin(
    scores,
    and_(scores.c.trial_seq == trials.c.seq, scores.c.version == trials.c.score_version),
)

_COLUMNS = (
    *(column for column in trials.c if column.name != "flags"),
    trials.c.flags.label("trial_flags"),
    *(column for column in completions.c if column.name not in {"trial_seq", "flags", "model"}),
    completions.c.model.label("completion_model"),
    completions.c.flags.label("completion_flags"),
    scores.c.body.label("score_body"),
)


def _attempts(connection: Connection, page: Sequence[RowMapping]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    rows = connection.execute(
        select(attempts.c.trial_seq, attempts.c.body)
        .where(attempts.c.trial_seq.in_([row["seq"] for row in page]))
        .order_by(attempts.c.trial_seq, attempts.c.number)
    )
    for seq, body in rows:
        found[seq].append(body)
    return found

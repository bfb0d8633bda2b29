"""Queries to judges and their replies: rows in, rows out, and their sums."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, case, func, select

from benchmaker.record import JudgeTotals, Judgment
from benchmaker.record.judgment import EMBEDDING
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import judgments, runs
from benchmaker.store.runs.trial_rows import Row

PAGE = 200
"""Number of judgments read at once."""

OK, CACHED, UNUSABLE, FAILED = "ok", "cached", "unusable", "failed"
"""The status values of a judgment."""

PAID = (OK, UNUSABLE)
"""The statuses of replies paid for by the run itself."""

_IMPORTED = '%"imported_from":"%'


class NewJudgment(NamedTuple):
    """A judgment as a row without its number; ``size`` is its approximate size in bytes.

    ``embeddings`` are those that the reply holds, as rows.
    """

    row: Row
    size: int
    embeddings: tuple[Row, ...] = ()


def judgment_row(
    judgment: Judgment, run_seq: int | None, vectors: Mapping[str, bytes] = MappingProxyType({})
) -> NewJudgment:
    """Return the judgment as a row, with the embeddings of its reply by key."""
    usage = judgment.completion.usage if judgment.completion else None
    body = encode(judgment)
    row = (
        run_seq,
        judgment.key,
        escape(judgment.judge),
        judgment.purpose,
        escape(judgment.case_id),
        escape(judgment.model),
        judgment.repeat,
        judgment.order,
        _status(judgment),
        judgment.cost_usd,
        judgment.completion.latency_s if judgment.completion else None,
        usage.input_tokens if usage else None,
        usage.output_tokens if usage else None,
        judgment.created_at,
        body,
    )
    found = tuple(
        (key, judgment.created_at, escape(judgment.judge), one) for key, one in vectors.items()
    )
    return NewJudgment(row, 500 + len(body) + sum(map(len, vectors.values())), found)


class JudgmentStore(Room):
    """Judgments, and their sums by judge."""

    @retry_reads
    def judgment(self, key: str, *, run_id: str | None = None) -> Judgment | None:
        """Return the latest reply under the key in this run; None: outside any run, or not found.

        Failures are excluded, so that they are retried.
        """
        wanted = _select_replies(key).order_by(judgments.c.seq.desc()).limit(1)
        wanted = wanted.where(
            judgments.c.run_seq.is_(None) if run_id is None else runs.c.id == run_id
        )
        with self.database.read() as connection:
            body: str | None = connection.scalar(wanted)
        return None if body is None else decode(body, Judgment)

    @retry_reads
    def other_judgments(
        self, key: str, *, run_id: str | None = None, number: int | None = None
    ) -> list[Judgment]:
        """Return the replies under the key outside this run, oldest first.

        Imported replies are excluded, since they did not come from a judge here.

        Args:
            database: the database.
            key: the key of the question.
            run_id: the run whose own replies are excluded.
            number: only those of runs of this number within their series.
        """
        wanted = _select_replies(key).order_by(judgments.c.seq)
        wanted = wanted.where(
            runs.c.id.is_not(None),
            runs.c.id != (run_id or ""),
            runs.c.body.not_like(_IMPORTED),
        )
        if number is not None:
            wanted = wanted.where(runs.c.number == number)
        with self.database.read() as connection:
            return [decode(body, Judgment) for body in connection.scalars(wanted)]

    @retry_reads
    def judgments(
        self, run_id: str | None, *, model: str | None = None, case_id: str | None = None
    ) -> list[Judgment]:
        """Return the judgments of a run; None for those outside any run."""
        wanted = select(judgments.c.body).order_by(judgments.c.seq)
        if run_id is None:
            wanted = wanted.where(judgments.c.run_seq.is_(None))
        else:
            wanted = wanted.join(runs, runs.c.seq == judgments.c.run_seq)
            wanted = wanted.where(runs.c.id == run_id)
        if model is not None:
            wanted = wanted.where(judgments.c.model == escape(model))
        if case_id is not None:
            wanted = wanted.where(judgments.c.case_id == escape(case_id))
        with self.database.read() as connection:
            return [decode(body, Judgment) for body in connection.scalars(wanted)]

    def each_judgment(self, run_id: str) -> Iterator[Judgment]:
        """Yield the judgments of a run, read page by page."""
        wanted = (
            select(judgments.c.seq, judgments.c.body)
            .join(runs, runs.c.seq == judgments.c.run_seq)
            .where(runs.c.id == run_id)
            .order_by(judgments.c.seq)
            .limit(PAGE)
        )
        after = -1
        while True:
            page = self.database.rows(wanted.where(judgments.c.seq > after))
            if not page:
                return
            after = page[-1].seq
            for row in page:
                yield decode(row.body, Judgment)

    @retry_reads
    def judge_totals(self, run_ids: Sequence[str]) -> tuple[JudgeTotals, ...]:
        """Return each judge's usage in these runs, with its cost."""
        table = judgments.c
        wanted = (
            select(
                table.judge,
                _count(table.status.in_((OK, CACHED))),
                _count(table.status == CACHED),
                _count(table.status == UNUSABLE),
                _count(table.status == FAILED),
                func.sum(table.cost_usd),
                _count(and_(table.status == OK, table.cost_usd.is_not(None))),
                _count(table.cost_usd.is_(None)),
                func.avg(case((table.status.in_(PAID), table.latency_s))),
                func.sum(table.input_tokens),
                func.sum(table.output_tokens),
                _count(and_(table.status != FAILED, table.output_tokens.is_(None))),
            )
            .join(runs, runs.c.seq == table.run_seq)
            .where(runs.c.id.in_(run_ids), table.purpose != EMBEDDING)
            .group_by(table.judge)
            .order_by(table.judge)
        )
        with self.database.read() as connection:
            return tuple(_totals(row) for row in connection.execute(wanted))

    @retry_reads
    def stored_replies(self, judge: str) -> JudgeTotals | None:
        """Return the known usage of a judge in all runs and calibrations; None without any."""
        table = judgments.c
        wanted = select(
            func.count(),
            func.sum(table.cost_usd),
            _count(table.cost_usd.is_(None)),
            func.avg(table.latency_s),
            func.sum(table.input_tokens),
            func.sum(table.output_tokens),
        ).where(
            table.judge == escape(judge), table.status.in_(PAID), table.output_tokens.is_not(None)
        )
        with self.database.read() as connection:
            replies, cost, unknown, latency, tokens_in, tokens_out = connection.execute(
                wanted
            ).one()
        if not replies:
            return None
        return JudgeTotals(
            judge=judge,
            judgments=replies,
            cached=0,
            failed=0,
            cost_usd=float(cost or 0.0),
            costs_unknown=unknown,
            latency_s=None if latency is None else float(latency),
            input_tokens=_int_or_none(tokens_in),
            output_tokens=_int_or_none(tokens_out),
        )

    @retry_reads
    def judge_versions(self, run_ids: Sequence[str]) -> dict[str, str]:
        """Return the provider's name of each judge in its last reply, if reported."""
        table = judgments.c
        last = (
            select(func.max(table.seq))
            .join(runs, runs.c.seq == table.run_seq)
            .where(runs.c.id.in_(run_ids), table.status != FAILED)
            .group_by(table.judge)
        )
        with self.database.read() as connection:
            bodies = list(connection.scalars(select(table.body).where(table.seq.in_(last))))
        replied = [decode(body, Judgment) for body in bodies]
        return {
            it.judge: it.completion.model for it in replied if it.completion and it.completion.model
        }


def _select_replies(key: str) -> Select[Any]:
    """Select the replies under the key, each with its run."""
    return (
        select(judgments.c.body)
        .outerjoin(runs, runs.c.seq == judgments.c.run_seq)
        .where(judgments.c.key == key, judgments.c.status != FAILED)
    )


def _totals(row: Sequence[Any]) -> JudgeTotals:
    """Convert one judge's row, with its columns in query order."""
    judge, usable, cached, unusable, failed, cost, priced, *rest = row
    unknown, latency, tokens_in, tokens_out, silent = rest
    return JudgeTotals(
        judge=unescape(judge),
        judgments=usable,
        cached=cached,
        unusable=unusable,
        priced=priced,
        failed=failed,
        cost_usd=float(cost or 0.0),
        costs_unknown=unknown,
        latency_s=None if latency is None else float(latency),
        input_tokens=_int_or_none(tokens_in),
        output_tokens=_int_or_none(tokens_out),
        tokens_unknown=silent,
    )


def _int_or_none(tokens: Any) -> int | None:  # noqa: ANN401  each database has its own kind of sum
    """Return a sum of tokens; None if there was nothing to sum."""
    return None if tokens is None else int(tokens)


def _count(condition: Any) -> Any:  # noqa: ANN401  an expression of SQL
    return func.sum(case((condition, 1), else_=0))


def _status(judgment: Judgment) -> str:
    if judgment.completion is None:
        return FAILED
    if judgment.is_unusable:
        return UNUSABLE
    return CACHED if judgment.is_cached else OK

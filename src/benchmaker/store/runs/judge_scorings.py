"""Judgments for the scores that count, and for earlier scores."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, func, select

from benchmaker.record import JudgeTotals, Score
from benchmaker.record.judgment import EMBEDDING
from benchmaker.store.database.database import Database, Room
from benchmaker.store.database.escaping import unescape
from benchmaker.store.database.json_values import decode
from benchmaker.store.database.tables import judgments, runs, scores, trials
from benchmaker.store.runs.judgments import (
    CACHED,
    FAILED,
    OK,
    PAID,
    UNUSABLE,
    JudgmentStore,
)
from benchmaker.store.runs.runs import RunNumber, run_number

_PAGE = 500
_WHO = frozenset({"models", "weights_from"})
"""Parameters that select the judges, not their method."""


class JudgeScorings(NamedTuple):
    """Usage of judges: for the scores that count, and for each earlier scoring."""

    counting: tuple[JudgeTotals, ...]
    earlier: tuple[JudgeTotals, ...] = ()


class JudgeScoringStore(Room):
    """Judgments by scoring."""

    def judge_scorings(self, run_ids: Sequence[str]) -> JudgeScorings:
        """Return the usage of each judge over all of these runs, by scoring.

        A judgment belongs to the newest scoring that uses its reply; one whose reply no score
        uses belongs to the first scoring of the answer that ended after it. ``parameters`` of an
        earlier scoring are those that differ from the counting scoring of the same kind.

        Raises:
            StoreError: an unknown run.
        """
        if not _are_scored_again(self.database, run_ids):
            return JudgeScorings(JudgmentStore(self.database).judge_totals(run_ids))
        sums: dict[tuple[_Scoring | None, str], _Sums] = {}
        known = _KnownScorings()
        with self.database.read() as connection:
            for run_id in run_ids:
                run = run_number(connection, self.database, run_id)
                scored = _read_scored_replies(connection, run, known)
                for row in _judgments(connection, run):
                    place = scored.earlier_of(row, run), unescape(row["judge"])
                    sums.setdefault(place, _Sums()).add(row)
        return JudgeScorings(
            tuple(_current_totals(sums)),
            tuple(
                sums[scoring, judge].totals(judge, known.differences(scoring))
                for scoring in known.order
                for judge in sorted(name for other, name in sums if other == scoring)
            ),
        )


class _Scoring(NamedTuple):
    """A scorer with its version and parameters, these as canonical JSON."""

    scorer: str
    version: str
    parameters: str


@dataclass(slots=True)
class _KnownScorings:
    """All scorings in the order of their first scores, and the counting ones, latest last."""

    order: dict[_Scoring, None] = field(default_factory=dict)
    counting: dict[str, _Scoring] = field(default_factory=dict)

    def note(self, score: Score, *, counts: bool) -> _Scoring:
        """Return the scoring of a score."""
        parameters = json.dumps(score.parameters, sort_keys=True, default=str)
        scoring = _Scoring(score.scorer, score.scorer_version, parameters)
        self.order.setdefault(scoring)
        if counts:
            self.counting[scoring.scorer] = scoring
        return scoring

    def differences(self, earlier: _Scoring) -> dict[str, Any]:
        """Return the earlier parameters that differ from the counting ones; None if missing."""
        now = self.counting.get(earlier.scorer)
        if now is None:
            return {}
        before, after = json.loads(earlier.parameters), json.loads(now.parameters)
        names = sorted((before.keys() | after.keys()) - _WHO)
        return {it: before.get(it) for it in names if before.get(it) != after.get(it)}


@dataclass(slots=True)
class _ScoredReplies:
    """The replies used by the scores of a run, by key, and the time of each scoring."""

    counting: set[str] = field(default_factory=set)
    earlier: dict[str, _Scoring] = field(default_factory=dict)
    versions: dict[tuple[str, int], list[tuple[int, _Scoring]]] = field(default_factory=dict)

    def earlier_of(self, row: RowMapping, run: RunNumber) -> _Scoring | None:
        """Return a judgment's earlier scoring; None if it belongs to the counting one.

        Scores with the same settings, one after a failure of the other, are one scoring.
        """
        if row["key"] in self.counting:
            return None
        if row["key"] in self.earlier:
            return self.earlier[row["key"]]
        rank = run.ranks.get(unescape(row["model"]), -1)
        versions = self.versions.get((row["case_id"], rank), [])
        after = next((scoring for seq, scoring in versions if seq > row["seq"]), None)
        return None if after is None or after == versions[-1][1] else after


def _are_scored_again(database: Database, run_ids: Sequence[str]) -> bool:
    wanted = (
        select(func.max(trials.c.score_version))
        .join(runs, runs.c.seq == trials.c.run_seq)
        .where(runs.c.id.in_(run_ids))
    )
    with database.read() as connection:
        return (connection.scalar(wanted) or 0) > 1


def _read_scored_replies(
    connection: Connection, run: RunNumber, known: _KnownScorings
) -> _ScoredReplies:
    wanted = (
        select(trials.c.case_id, trials.c.model_rank, trials.c.score_version)
        .add_columns(scores.c.seq, scores.c.version, scores.c.body)
        .join(scores, scores.c.trial_seq == trials.c.seq)
        .where(trials.c.run_seq == run.seq)
        .order_by(scores.c.seq)
    )
    found = _ScoredReplies()
    streamed = connection.execution_options(yield_per=_PAGE)
    for case_id, rank, newest, seq, version, body in streamed.execute(wanted):
        score = decode(body, Score)
        scoring = known.note(score, counts=version == newest)
        found.versions.setdefault((case_id, rank), []).append((seq, scoring))
        if version == newest:
            found.counting.update(_keys(score.detail))
        else:
            found.earlier.update(dict.fromkeys(_keys(score.detail), scoring))
    return found


def _keys(detail: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of all replies that a score uses."""
    yield from detail.get("beforehand", ())
    for one in (*detail.get("singles", ()), detail.get("counterfactual", {})):
        yield from one.get("keys", ())
    checks = detail.get("checks")
    for check in checks if isinstance(checks, list) else ():
        yield from _keys(check.get("detail", {}))


def _judgments(connection: Connection, run: RunNumber) -> Iterator[RowMapping]:
    """Yield the judgments of a run without their texts."""
    table = judgments.c
    wanted = select(
        table.seq, table.key, table.judge, table.case_id, table.model, table.status,
        table.cost_usd, table.latency_s, table.input_tokens, table.output_tokens,
    ).where(table.run_seq == run.seq, table.purpose != EMBEDDING).order_by(table.seq)  # fmt: skip
    streamed = connection.execution_options(yield_per=_PAGE)
    yield from streamed.execute(wanted).mappings()


def _current_totals(sums: "Mapping[tuple[_Scoring | None, str], _Sums]") -> Iterator[JudgeTotals]:
    for judge in sorted(name for scoring, name in sums if scoring is None):
        yield sums[None, judge].totals(judge)


@dataclass(slots=True)
class _Sums:
    """The sums over some judgments of one judge, as in :func:`judge_totals`."""

    statuses: dict[str, int] = field(default_factory=dict)
    costs: list[float] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    tokens_in: list[int] = field(default_factory=list)
    tokens_out: list[int] = field(default_factory=list)
    number: int = 0
    priced: int = 0
    silent: int = 0

    def add(self, row: RowMapping) -> None:
        """Count one judgment."""
        status, cost = row["status"], row["cost_usd"]
        self.number += 1
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.priced += status == OK and cost is not None
        self.silent += status != FAILED and row["output_tokens"] is None
        _append_known(self.costs, cost)
        _append_known(self.latencies, row["latency_s"] if status in PAID else None)
        _append_known(self.tokens_in, row["input_tokens"])
        _append_known(self.tokens_out, row["output_tokens"])

    def totals(self, judge: str, parameters: Mapping[str, Any] | None = None) -> JudgeTotals:
        """Return the figures of the judge."""
        cached = self.statuses.get(CACHED, 0)
        return JudgeTotals(
            judge=judge,
            judgments=self.statuses.get(OK, 0) + cached,
            cached=cached,
            unusable=self.statuses.get(UNUSABLE, 0),
            failed=self.statuses.get(FAILED, 0),
            priced=self.priced,
            cost_usd=sum(self.costs),
            costs_unknown=self.number - len(self.costs),
            latency_s=sum(self.latencies) / len(self.latencies) if self.latencies else None,
            input_tokens=sum(self.tokens_in) if self.tokens_in else None,
            output_tokens=sum(self.tokens_out) if self.tokens_out else None,
            tokens_unknown=self.silent,
            parameters=dict(parameters or {}),
        )


def _append_known(values: list[Any], value: float | None) -> None:
    if value is not None:
        values.append(value)

"""One batch of trials and scores, written in one transaction.

A trial key with an existing row is not duplicated. If that row is an infrastructure failure,
cancelled or unfinished, the later trial replaces it: earlier attempts are kept, later ones are
appended. Any other row is unchanged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update

from benchmaker.errors import Conflict, Corrupt
from benchmaker.record import INFRASTRUCTURE, NO_END, Outcome, TrialKey
from benchmaker.record.attempt import RECORDED
from benchmaker.store.database.driver import execute
from benchmaker.store.database.inserts import insert_rows
from benchmaker.store.database.schema import ROWS
from benchmaker.store.database.tables import (
    attempts,
    cached_answers,
    completions,
    embeddings,
    imported_rows,
    judgments,
    scores,
    trials,
)
from benchmaker.store.runs.judgments import NewJudgment
from benchmaker.store.runs.trial_rows import Row, TrialRows, attempt_row

REPLACEABLE = INFRASTRUCTURE | NO_END
"""Outcomes that a later trial of the same key may replace."""

ENGINE = "local"
"""The actor of scores written with their trial."""

_TRIAL_COLUMNS = tuple(column.name for column in trials.c)
_RUN, _MODEL, _CASE = 0, 1, 3


_KEYS = 500
"""Keys per statement."""


class WriteStatus(Enum):
    """The result of writing a trial or score that is durable now."""

    NEW = "new"
    REPLACED = "replaced"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class NewScore:
    """A further version of a trial's score, as rows; ``changes`` are columns of the trial."""

    key: TrialKey
    run_seq: int
    model_rank: int
    case_id: str
    row: Row
    actor: str
    changes: dict[str, Any]


class NewCached(NamedTuple):
    """An answer for the cache, as rows."""

    key: str
    body: str


Item = TrialRows | NewScore | NewCached | NewJudgment


class _FoundTrial(NamedTuple):
    seq: int
    version: int


class NewRows(NamedTuple):
    """The rows of new trials with those that other tools recorded of them, in parallel lists."""

    trials: Sequence[Row]
    completions: Sequence[Row | None]
    attempts: Sequence[tuple[Row, ...]]
    scores: Sequence[Row | None]
    records: Sequence[Row]


def write_new_trials(connection: Connection, rows: NewRows, *, now: str) -> int:
    """Write trials with the rows that other tools recorded of them; return the number of new ones.

    A trial whose key has a row already is left out with its record.
    """
    size = len(rows.trials)
    scored = size - rows.scores.count(None)
    first = reserve_numbers(connection, size + scored)
    keys: Sequence[int] = range(first, first + size)
    numbered = [(key, *row) for key, row in zip(keys, rows.trials, strict=True)]
    if insert_rows(connection, trials, numbered) < size:
        written = _select_written(connection, keys)
        rows = NewRows._make(_only(part, keys, written) for part in rows)
        keys = tuple(key for key in keys if key in written)
    _insert_new_parts(connection, keys, rows, count(first + size), now)
    return len(keys)


def _only(rows: Sequence[Any], keys: Sequence[int], written: set[int]) -> list[Any]:
    return [row for row, key in zip(rows, keys, strict=True) if key in written]


def _insert_new_parts(
    connection: Connection, keys: Sequence[int], rows: NewRows, numbers: Iterator[int], now: str
) -> None:
    """Insert the rows that refer to the trials of these numbers."""
    answered = [(key, *row) for key, row in zip(keys, rows.completions, strict=True) if row]
    attempted = [
        (key, *row) for key, its in zip(keys, rows.attempts, strict=True) if its for row in its
    ]
    scored = [
        (next(numbers), key, 1, now, ENGINE, *row)
        for key, row in zip(keys, rows.scores, strict=True)
        if row
    ]
    _insert_all(connection, completions, answered)
    _insert_all(connection, attempts, attempted)
    _insert_all(connection, scores, scored)
    extra = [(key, *row) for key, row in zip(keys, rows.records, strict=True)]
    _insert_all(connection, imported_rows, extra)


def write_batch(connection: Connection, batch: Sequence[Item], *, now: str) -> list[WriteStatus]:
    """Write everything; return the result of each, in the order given.

    Raises:
        Conflict: a score's trial does not exist.
    """
    trial_rows = [item for item in batch if isinstance(item, TrialRows)]
    new_scores = [item for item in batch if isinstance(item, NewScore)]
    judged = [item for item in batch if isinstance(item, NewJudgment)]
    needed = len(trial_rows) + sum(1 for rows in trial_rows if rows.score) + len(new_scores)
    needed += len(judged)
    numbers = count(reserve_numbers(connection, needed))
    results = iter(_write_trials(connection, trial_rows, numbers, now=now))
    _append_scores(connection, new_scores, numbers, now=now)
    rows = [(seq, *new.row) for new, seq in zip(judged, numbers, strict=False)]
    _insert_all(connection, judgments, rows)
    _replace_embeddings(connection, [it for new in judged for it in new.embeddings])
    cached = [(new.key, now, new.body) for new in batch if isinstance(new, NewCached)]
    insert_rows(connection, cached_answers, cached)
    return [next(results) if isinstance(item, TrialRows) else WriteStatus.NEW for item in batch]


def _replace_embeddings(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write embeddings; a new one replaces that of the same text."""
    for at in range(0, len(rows), _KEYS):
        keys = [key for key, *_ in rows[at : at + _KEYS]]
        connection.execute(delete(embeddings).where(embeddings.c.key.in_(keys)))
    insert_rows(connection, embeddings, rows)


def reserve_numbers(connection: Connection, needed: int) -> int:
    """Reserve row numbers; return the first.

    A reservation waits for the end of the previous reserving transaction. Hence numbers become
    visible in order, and a reader that has seen one has missed none below it.
    """
    execute(connection, "UPDATE counters SET value = value + ? WHERE name = ?", (needed, ROWS))
    row = execute(connection, "SELECT value FROM counters WHERE name = ?", (ROWS,)).fetchone()
    last: int = row[0] if row else 0
    return last - needed + 1


def _write_trials(
    connection: Connection, batch: Sequence[TrialRows], numbers: Iterable[int], *, now: str
) -> list[WriteStatus]:
    # The batch comes first in zip: the other way round, its end would cost one number too many.
    numbered = [(seq, rows) for rows, seq in zip(batch, numbers, strict=False)]
    new = insert_rows(connection, trials, [(seq, *rows.trial) for seq, rows in numbered])
    fresh = numbered if new == len(numbered) else _select_inserted(connection, numbered)
    _insert_parts(connection, fresh, numbers, now=now)
    if fresh is numbered:
        return [WriteStatus.NEW] * len(numbered)
    written = {seq for seq, _ in fresh}
    return [
        WriteStatus.NEW if seq in written else _replace(connection, seq, rows, numbers, now=now)
        for seq, rows in numbered
    ]


def _select_inserted(
    connection: Connection, numbered: Sequence[tuple[int, TrialRows]]
) -> list[tuple[int, TrialRows]]:
    """Return the trials whose key was free, with their numbers."""
    written = _select_written(connection, [seq for seq, _ in numbered])
    return [(seq, rows) for seq, rows in numbered if seq in written]


def _select_written(connection: Connection, keys: Sequence[int]) -> set[int]:
    """Return those of these consecutive numbers that trials have."""
    within = trials.c.seq.between(keys[0], keys[-1])
    return set(connection.scalars(select(trials.c.seq).where(within)))


def _insert_parts(
    connection: Connection,
    numbered: Iterable[tuple[int, TrialRows]],
    numbers: Iterable[int],
    *,
    now: str,
    version: int = 1,
) -> None:
    """Insert the rows that refer to trials."""
    answered, attempted, scored = [], [], []
    following = iter(numbers)
    for seq, rows in numbered:
        if rows.completion is not None:
            answered.append((seq, *rows.completion))
        for attempt in rows.attempts:
            attempted.append((seq, *attempt))  # noqa: PERF401  one pass over the trials
        if rows.score is not None:
            scored.append((next(following), seq, version, now, ENGINE, *rows.score))
    _insert_all(connection, completions, answered)
    _insert_all(connection, attempts, attempted)
    _insert_all(connection, scores, scored)


def _insert_all(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows with new numbers, so that none can exist."""
    check_all_new(table, len(rows), insert_rows(connection, table, rows))


def check_all_new(table: Table, size: int, added: int) -> None:
    """Raise Corrupt if not all rows of that many were added, though their numbers were new."""
    if added != size:
        raise Corrupt(
            f"row numbers in {table.name} are already in use.",
            hint="Check the store with: benchmaker doctor",
        )


def _replace(
    connection: Connection, seq: int, rows: TrialRows, numbers: Iterable[int], *, now: str
) -> WriteStatus:
    """Replace a trial that failed because of infrastructure; keep any other."""
    taken = connection.execute(
        select(trials.c.seq, trials.c.outcome).where(
            trials.c.run_seq == rows.trial[_RUN],
            trials.c.case_id == rows.trial[_CASE],
            trials.c.model_rank == rows.trial[_MODEL],
        )
    ).one()
    if Outcome(taken.outcome) not in REPLACEABLE:
        return WriteStatus.KEPT
    version = 1 + _highest_number(connection, scores.c.version, taken.seq)
    elsewhere = (attempts.c.trial_seq == taken.seq, attempts.c.status == RECORDED)
    connection.execute(delete(attempts).where(*elsewhere))
    tried = _highest_number(connection, attempts.c.number, taken.seq)
    values = dict(zip(_TRIAL_COLUMNS, (seq, *rows.trial), strict=True))
    values["score_version"] = version if rows.score else 0
    connection.execute(delete(completions).where(completions.c.trial_seq == taken.seq))
    connection.execute(update(trials).where(trials.c.seq == taken.seq).values(**values))
    later = tuple(attempt_row(row, at) for at, row in enumerate(rows.attempts, tried + 1))
    parts = TrialRows(rows.trial, rows.completion, later, rows.score, rows.size)
    _insert_parts(connection, [(seq, parts)], numbers, now=now, version=version)
    return WriteStatus.REPLACED


def _highest_number(connection: Connection, column: Any, trial_seq: int) -> int:  # noqa: ANN401  any column
    wanted = select(func.max(column)).where(column.table.c.trial_seq == trial_seq)
    return connection.scalar(wanted) or 0


def _append_scores(
    connection: Connection, batch: Sequence[NewScore], numbers: Iterable[int], *, now: str
) -> None:
    if not batch:
        return
    found = _find(connection, batch)
    rows, changes = [], defaultdict(list)
    for new, number in zip(batch, numbers, strict=False):
        place = (new.run_seq, new.case_id, new.model_rank)
        if place not in found:
            raise Conflict(
                f"run {new.key.run_id} has no trial of case {new.key.case_id!r} by "
                f"{new.key.model!r} to score: it was deleted or never stored."
            )
        trial = found[place] = _FoundTrial(found[place].seq, found[place].version + 1)
        rows.append((number, trial.seq, trial.version, now, new.actor, *new.row))
        values = {"trial": trial.seq, "score_version": trial.version, **new.changes}
        changes[tuple(values)].append(values)
    _insert_all(connection, scores, rows)
    for names, values_of_all in changes.items():
        columns: dict[str, Any] = {name: bindparam(name) for name in names if name != "trial"}
        statement = update(trials).where(trials.c.seq == bindparam("trial")).values(**columns)
        connection.execute(statement, values_of_all)


def _find(
    connection: Connection, batch: Sequence[NewScore]
) -> dict[tuple[int, str, int], _FoundTrial]:
    """Return the number and highest score version of each trial, by run, case and model."""
    newest = (
        select(func.max(scores.c.version))
        .where(scores.c.trial_seq == trials.c.seq)
        .scalar_subquery()
    )
    by_run = defaultdict(set)
    for new in batch:
        by_run[new.run_seq].add(new.case_id)
    found = {}
    for run_seq, case_ids in by_run.items():
        rows = connection.execute(
            select(trials.c.case_id, trials.c.model_rank, trials.c.seq, newest).where(
                trials.c.run_seq == run_seq, trials.c.case_id.in_(case_ids)
            )
        )
        for case_id, rank, seq, version in rows:
            found[run_seq, case_id, rank] = _FoundTrial(seq, version or 0)
    return found

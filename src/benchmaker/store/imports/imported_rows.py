"""Rows of other tools' results: scores in the tool's unit, and fields kept verbatim."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from benchmaker.record import ImportedHeader, ImportedRecord, Run
from benchmaker.store.database.database import Room, retry_reads
from benchmaker.store.database.escaping import escape, unescape
from benchmaker.store.database.inserts import insert_rows
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import (
    imported_evaluations,
    imported_rows,
    run_models,
    runs,
    trials,
)
from benchmaker.store.imports.new_trials import NewTrial, new_trial_rows, record_row
from benchmaker.store.imports.trial_blocks import TrialBlock
from benchmaker.store.runs.batch import write_new_trials
from benchmaker.store.runs.runs import RunNumber, load_run, run_number

_KEYS = 500
"""Keys per query."""


class ImportedScores(NamedTuple):
    """The scores that a tool gave one trial, in its own unit; ``model`` is the setup."""

    run_id: str
    number: int
    model: str
    case_id: str
    outcome: str
    scores: Mapping[str, float | None]
    rest: dict[str, Any]


class ImportedRows(Room):
    """The records of other tools of trials; deleted with them."""

    @property
    def is_empty(self) -> bool:
        """True if nothing was ever imported, or all of it was deleted."""
        with self.database.read() as connection:
            return connection.scalar(select(imported_rows.c.trial_seq).limit(1)) is None

    def number_of(self, run_id: str) -> RunNumber:
        """Return the number of a run and the ranks of its models; StoreError if unknown."""
        with self.database.read() as connection:
            return run_number(connection, self.database, run_id)

    def write(self, run: RunNumber, rows: Sequence[NewTrial]) -> int:
        """Write trials with their records in one transaction; return the number of new ones.

        A trial that the run has already is left out.

        Raises:
            StoreError: a value can't be stored.
        """
        if not rows:
            return 0
        new = new_trial_rows(rows, run.seq)
        with self.database.write_unsynced() as connection:
            return write_new_trials(connection, new, now=self.database.now_utc())

    def write_blocks(self, run: RunNumber, blocks: Iterable[TrialBlock]) -> int:
        """Write trials that the run does not have in one transaction; return their number.

        The keys of rows are in no order: the more rows in a transaction, the fewer pages of their
        index are written.

        Raises:
            Corrupt: the run has one of them.
        """
        with self.database.write_unsynced() as connection:
            now = self.database.now_utc()
            return sum(block.write(connection, run.seq, now=now) for block in blocks)

    def attach(self, run_id: str, rows: Sequence[tuple[str, str, ImportedRecord]]) -> None:
        """Store records with the trials of a run, by setup and case; a stored record is kept."""
        with self.database.write() as connection:
            run = run_number(connection, self.database, run_id)
            for at in range(0, len(rows), _KEYS):
                part = {(model, case_id): it for model, case_id, it in rows[at : at + _KEYS]}
                wanted = (
                    select(trials.c.seq, run_models.c.model, trials.c.case_id)
                    .select_from(_TRIALS)
                    .where(
                        trials.c.run_seq == run.seq,
                        trials.c.case_id.in_({escape(case_id) for _, case_id in part}),
                    )
                )
                found = connection.execute(wanted).all()
                records = [
                    (seq, *record_row(part[model, unescape(case_id)]))
                    for seq, model, case_id in found
                    if (model, unescape(case_id)) in part
                ]
                insert_rows(connection, imported_rows, records)

    def copy(self, source_id: str, target_id: str) -> None:
        """Give the trials of a run the records that another run has of their cases and setups."""
        old, old_models = trials.alias(), run_models.alias()
        with self.database.write() as connection:
            source = run_number(connection, self.database, source_id)
            target = run_number(connection, self.database, target_id)
            known = select(imported_rows.c.trial_seq)
            wanted = (
                select(
                    trials.c.seq,
                    imported_rows.c.row_key,
                    imported_rows.c.scores,
                    imported_rows.c.rest,
                )
                .select_from(
                    _TRIALS.join(
                        old,
                        (old.c.case_id == trials.c.case_id) & (old.c.run_seq == source.seq),
                    )
                    .join(
                        old_models,
                        (old_models.c.run_seq == old.c.run_seq)
                        & (old_models.c.rank == old.c.model_rank)
                        & (old_models.c.model == run_models.c.model),
                    )
                    .join(imported_rows, imported_rows.c.trial_seq == old.c.seq)
                )
                .where(trials.c.run_seq == target.seq, trials.c.seq.not_in(known))
            )
            names = ["trial_seq", "row_key", "scores", "rest"]
            connection.execute(insert(imported_rows).from_select(names, wanted))

    def put_header(self, run_id: str, header: ImportedHeader) -> None:
        """Store what the file says of the whole evaluation, with one of its runs."""
        with self.database.write() as connection:
            number = run_number(connection, self.database, run_id).seq
            own = imported_evaluations.c.run_seq == number
            connection.execute(delete(imported_evaluations).where(own))
            row = {"run_seq": number, "body": encode(header)}
            connection.execute(insert(imported_evaluations).values(**row))

    @retry_reads
    def header(self, run_id: str) -> ImportedHeader:
        """Return what the file said of the whole evaluation; an empty one if nothing is stored."""
        wanted = (
            select(imported_evaluations.c.body)
            .join(runs, runs.c.seq == imported_evaluations.c.run_seq)
            .where(runs.c.id == run_id)
        )
        with self.database.read() as connection:
            body = connection.scalar(wanted)
        return ImportedHeader() if body is None else decode(body, ImportedHeader)

    @retry_reads
    def find_keys(self, keys: Sequence[int]) -> dict[int, set[str]]:
        """Return the runs that hold a row of each of these keys; absent keys are in none."""
        found: dict[int, set[str]] = {}
        with self.database.read() as connection:
            for at in range(0, len(keys), _KEYS):
                for key, run_id in _runs_by_key(connection, keys[at : at + _KEYS]):
                    found.setdefault(key, set()).add(run_id)
        return found

    def each_score(
        self, run_ids: Sequence[str], *, with_rest: bool = False
    ) -> Iterator[ImportedScores]:
        """Yield the tool's scores of all trials of these runs, run by run, in the order of cases.

        ``with_rest`` adds the fields kept verbatim, which may be large.
        """
        columns = (imported_rows.c.rest,) if with_rest else ()
        wanted = (
            select(
                runs.c.number,
                run_models.c.model,
                trials.c.case_id,
                trials.c.outcome,
                imported_rows.c.scores,
                *columns,
            )
            .select_from(_JOINED)
            .order_by(trials.c.position, trials.c.model_rank)
            .execution_options(yield_per=1_000)
        )
        with self.database.read() as connection:
            for run_id in run_ids:
                found = connection.execute(wanted.where(runs.c.id == run_id))
                for number, model, case_id, outcome, scores, *rest in found:
                    kept = decode(rest[0], dict[str, Any]) if rest else {}
                    own = scores_of_text(scores)
                    yield ImportedScores(
                        run_id, number, model, unescape(case_id), outcome, own, kept
                    )

    def score_texts(self, run_ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the setup of each trial and its scores as stored, ordered as :meth:`each_score`.

        A third of the time of that for a run with many rows.
        """
        wanted = (
            select(trials.c.model_rank, imported_rows.c.scores)
            .join(imported_rows, imported_rows.c.trial_seq == trials.c.seq)
            .order_by(trials.c.position, trials.c.model_rank)
            .execution_options(yield_per=1_000)
        )
        with self.database.read() as connection:
            for run_id in run_ids:
                run = run_number(connection, self.database, run_id)
                found = connection.execute(wanted.where(trials.c.run_seq == run.seq))
                for some in found.partitions():
                    yield from [(run.models[rank], text) for rank, text in some]

    def add_scores(self, run_id: str, records: Sequence[ImportedRecord]) -> int:
        """Add scores and fields that stored rows of the run lack; return the number of changes.

        A score or a field that a row has already is kept.
        """
        changed = 0
        with self.database.write() as connection:
            run = run_number(connection, self.database, run_id)
            for at in range(0, len(records), _KEYS):
                part = {record.key: record for record in records[at : at + _KEYS]}
                wanted = (
                    select(imported_rows, trials.c.run_seq)
                    .join(trials, trials.c.seq == imported_rows.c.trial_seq)
                    .where(imported_rows.c.row_key.in_(part))
                )
                for row in connection.execute(wanted).all():
                    if row.run_seq == run.seq:
                        changed += _add_to(connection, row, part[row.row_key])
        return changed

    @retry_reads
    def places(self, run_ids: Sequence[str]) -> dict[tuple[str, str], set[int]]:
        """Return the numbers of the runs that hold each case and model."""
        wanted = (
            select(trials.c.case_id, run_models.c.model, runs.c.number)
            .select_from(_JOINED)
            .where(runs.c.id.in_(run_ids))
        )
        found: dict[tuple[str, str], set[int]] = {}
        with self.database.read() as connection:
            for case_id, model, number in connection.execute(wanted):
                found.setdefault((unescape(case_id), model), set()).add(number)
        return found

    def move(self, run_id: str, positions: Mapping[str, int]) -> None:
        """Give the trials of a run the positions of their cases in another version of its suite."""
        with self.database.write() as connection:
            run = run_number(connection, self.database, run_id)
            change = (
                update(trials)
                .where(trials.c.run_seq == run.seq, trials.c.case_id == bindparam("case"))
                .values(position=bindparam("place"))
            )
            rows = [{"case": escape(name), "place": at} for name, at in positions.items()]
            if rows:
                connection.execute(change, rows)

    @retry_reads
    def evaluations(self, tool: str, name: str) -> tuple[Run, ...]:
        """Return the imported runs of an evaluation by the tool's own id, oldest first."""
        found = self._runs_with("evaluation", name)
        return tuple(run for run in found if run.provider.get("tool") == tool)

    @retry_reads
    def runs_of(self, tool: str) -> tuple[Run, ...]:
        """Return the runs imported from results of a tool, oldest first."""
        return self._runs_with("tool", tool)

    def _runs_with(self, field: str, value: str) -> tuple[Run, ...]:
        """The runs whose provider has a value in a field, oldest first."""
        mark = escape(f'"{field}":{encode(value)}')
        wanted = select(runs.c.id).where(runs.c.body.contains(mark, autoescape=True))
        with self.database.read() as connection:
            ids = connection.scalars(wanted.order_by(runs.c.seq)).all()
            found = [load_run(connection, self.database, run_id) for run_id in ids]
        return tuple(run for run in found if run.provider.get(field) == value)

    @retry_reads
    def find(self, run_id: str, model: str, case_id: str) -> ImportedRecord | None:
        """Return the record of one trial; None if it was not imported."""
        wanted = _RECORDS.where(
            runs.c.id == run_id,
            run_models.c.model == model,
            trials.c.case_id == escape(case_id),
        )
        with self.database.read() as connection:
            row = connection.execute(wanted).first()
        return None if row is None else _record_of(row)

    def each_record(self, run_ids: Sequence[str]) -> Iterator[ImportedRecord]:
        """Yield the records of all trials of these runs, run by run, in the order of cases."""
        wanted = _RECORDS.order_by(trials.c.position, trials.c.model_rank)
        with self.database.read() as connection:
            for run_id in run_ids:
                found = connection.execution_options(yield_per=1_000).execute(
                    wanted.where(runs.c.id == run_id)
                )
                yield from map(_record_of, found)


@lru_cache(maxsize=1_000)
def scores_of_text(text: str) -> Mapping[str, float | None]:
    """Return the scores of a stored text; most rows have one of a few texts."""
    return MappingProxyType(decode(text, dict[str, float | None]))


_JOINED = (
    imported_rows.join(trials, trials.c.seq == imported_rows.c.trial_seq)
    .join(runs, runs.c.seq == trials.c.run_seq)
    .join(
        run_models,
        (run_models.c.run_seq == trials.c.run_seq) & (run_models.c.rank == trials.c.model_rank),
    )
)


_TRIALS = trials.join(
    run_models,
    (run_models.c.run_seq == trials.c.run_seq) & (run_models.c.rank == trials.c.model_rank),
)

_RECORDS = select(imported_rows).select_from(_JOINED)


def _record_of(row: Row[Any]) -> ImportedRecord:
    return ImportedRecord(
        key=row.row_key,
        scores=decode(row.scores, dict[str, float | None]),
        rest=decode(row.rest, dict[str, Any]),
    )


def _add_to(connection: Connection, row: Row[Any], record: ImportedRecord) -> int:
    """Write the scores and fields of a record into a row that lacks some; return 1 if it did."""
    scores = decode(row.scores, dict[str, float | None])
    if record.scores.keys() <= scores.keys():
        return 0
    rest = decode(row.rest, dict[str, Any])
    values = {
        "scores": encode({**record.scores, **scores}),
        "rest": encode({**record.rest, **rest}),
    }
    own = imported_rows.c.trial_seq == row.trial_seq
    connection.execute(update(imported_rows).where(own).values(**values))
    return 1


def _runs_by_key(connection: Connection, keys: Sequence[int]) -> list[tuple[int, str]]:
    wanted = (
        select(imported_rows.c.row_key, runs.c.id)
        .join(trials, trials.c.seq == imported_rows.c.trial_seq)
        .join(runs, runs.c.seq == trials.c.run_seq)
        .where(imported_rows.c.row_key.in_(keys))
    )
    return [(key, run_id) for key, run_id in connection.execute(wanted)]

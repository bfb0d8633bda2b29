"""Votes on pairs of pages: rows in, rows out; never deleted."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace
from sqlalchemy import Connection, func, select, update

from benchmaker.errors import Conflict, StoreError
from benchmaker.record.timestamps import iso_timestamp
from benchmaker.record.vote import Vote
from benchmaker.spec import Case
from benchmaker.store.database.code_tables import votes
from benchmaker.store.database.database import Database
from benchmaker.store.database.inserts import insert_new
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import runs, suite_cases, suites
from benchmaker.store.runs.runs import run_number
from benchmaker.store.suites.suites import case_of_body


class Votes:
    """Votes on pairs of pages: added, withdrawn and read; never deleted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, vote: Vote, *, changes: bool = False) -> Vote:
        """Store a vote; return it with its time.

        A person has one vote on a pair of a prompt. With ``changes`` an existing one is withdrawn
        in the same transaction.

        Raises:
            Conflict: a vote exists, without ``changes``; or the id is taken.
            StoreError: unknown run.
        """
        with self._database.write() as connection:
            run_seq = run_number(connection, self._database, vote.run_id).seq
            now = self._database.now_utc()
            made = replace(vote, at=vote.at or now)
            current = _current_vote(connection, run_seq, made)
            if current is not None and not changes:
                raise Conflict(
                    "you have already voted on this pair.", hint="Undo or change your vote instead."
                )
            if current is not None:
                _undo(connection, current, now)
            if not insert_new(connection, votes, {"run_seq": run_seq, **_row(made)}):
                raise Conflict(
                    f"vote {made.id!r} already exists, or this pair has just received a vote.",
                    hint="Reload the page.",
                )
        return made

    def undo(self, vote_id: str, *, actor: str) -> Vote:
        """Withdraw a vote; no effect if it is withdrawn already.

        Raises:
            StoreError: unknown vote of this person.
        """
        wanted = select(votes.c.body).where(votes.c.id == vote_id, votes.c.actor == actor)
        with self._database.write() as connection:
            body = connection.scalar(wanted)
            if body is None:
                raise StoreError(
                    f"there is no vote {vote_id!r}.", where=str(self._database.address)
                )
            vote = decode(body, Vote)
            return vote if not vote.counts else _undo(connection, vote, self._database.now_utc())

    def read(
        self,
        run_ids: Sequence[str],
        *,
        case_id: str | None = None,
        actor: str | None = None,
        with_undone: bool = False,
    ) -> tuple[Vote, ...]:
        """Return the votes on the pages of these runs, in chronological order."""
        wanted = (
            select(votes.c.body)
            .join(runs, runs.c.seq == votes.c.run_seq)
            .where(runs.c.id.in_(run_ids))
            .order_by(votes.c.seq)
        )
        if case_id is not None:
            wanted = wanted.where(votes.c.case_id == case_id)
        if actor is not None:
            wanted = wanted.where(votes.c.actor == actor)
        if not with_undone:
            wanted = wanted.where(votes.c.undone_at.is_(None))
        with self._database.read() as connection:
            return tuple(decode(body, Vote) for body in connection.scalars(wanted))

    def number_since(self, actor: str, moment: datetime) -> int:
        """Return the number of a person's votes after a moment, withdrawn ones included."""
        wanted = select(func.count()).where(
            votes.c.actor == actor, votes.c.at > iso_timestamp(moment)
        )
        with self._database.read() as connection:
            return int(connection.scalar(wanted) or 0)

    def prompts(self, run_ids: Sequence[str]) -> dict[tuple[str, str], str]:
        """Return, by run and case, a text that is the same for the same prompt.

        Cases with the same messages have the same prompt, whatever their id, suite and system
        prompt. A case that has only variables is the same in runs of the same suite version.
        Only cases with votes are included.
        """
        wanted = (
            select(runs.c.id, votes.c.case_id, suites.c.hash, suite_cases.c.body)
            .distinct()
            .join(runs, runs.c.seq == votes.c.run_seq)
            .join(suites, suites.c.seq == runs.c.suite_seq)
            .join(
                suite_cases,
                (suite_cases.c.suite_seq == suites.c.seq)
                & (suite_cases.c.case_id == votes.c.case_id),
            )
            .where(runs.c.id.in_(run_ids))
        )
        with self._database.read() as connection:
            return {
                (run, case): prompt_identity(case_of_body(body), suite)
                for run, case, suite, body in connection.execute(wanted)
            }


def prompt_identity(case: Case, suite_hash: str) -> str:
    """Return a hash of the messages of a case; without messages, of its id and suite version."""
    turns = [turn.model_dump(mode="json") for turn in case.conversation()]
    has_text = case.prompt is not None or case.messages
    return hashlib.sha256(encode(turns if has_text else [suite_hash, case.id]).encode()).hexdigest()


def _current_vote(connection: Connection, run_seq: int, vote: Vote) -> Vote | None:
    """Return the person's current vote on this pair."""
    wanted = select(votes.c.body).where(
        votes.c.run_seq == run_seq,
        votes.c.case_id == vote.case_id,
        votes.c.model_a == vote.model_a,
        votes.c.model_b == vote.model_b,
        votes.c.actor == vote.actor,
        votes.c.undone_at.is_(None),
    )
    body = connection.scalar(wanted)
    return None if body is None else decode(body, Vote)


def _undo(connection: Connection, vote: Vote, now: str) -> Vote:
    undone = replace(vote, undone_at=now)
    changed = update(votes).where(votes.c.id == vote.id)
    connection.execute(changed.values(undone_at=now, body=encode(undone)))
    return undone


def _row(vote: Vote) -> dict[str, str | None]:
    return {
        "id": vote.id,
        "case_id": vote.case_id,
        "model_a": vote.model_a,
        "model_b": vote.model_b,
        "left": vote.left,
        "outcome": vote.outcome.value,
        "actor": vote.actor,
        "at": vote.at,
        "undone_at": vote.undone_at,
        "body": encode(vote),
    }

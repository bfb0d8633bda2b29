"""Trials of another tool that are alike, written in columns: the short way of ``new_trials``."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from sqlalchemy import Connection

from benchmaker.record import FinishReason, Score
from benchmaker.store.database.escaping import escape, escape_all
from benchmaker.store.database.inserts import insert_columns
from benchmaker.store.database.json_values import encode_all
from benchmaker.store.database.tables import completions, imported_rows, scores, trials
from benchmaker.store.runs.batch import ENGINE, check_all_new, reserve_numbers

_Columns = dict[str, Iterable[Any]]


class TrialBlock(NamedTuple):
    """Answers of one setup to cases that follow each other, each with a score of the same scorer.

    ``rank`` is that of the setup, ``position`` that of the first case. ``keys``, ``tool_scores``
    and ``rests`` are the records of the tool, the latter two as JSON texts. No other field of a
    trial has a value.
    """

    rank: int
    position: int
    case_ids: Sequence[str]
    outcomes: Sequence[str]
    finished_at: str
    texts: Sequence[str]
    scores: Sequence[Score]
    keys: Sequence[int]
    tool_scores: Sequence[str]
    rests: Sequence[str]

    def write(self, connection: Connection, run_seq: int, *, now: str) -> int:
        """Write the trials, which the run does not have; return their number.

        Raises:
            Corrupt: the run has one of them.
        """
        size = len(self.keys)
        first = reserve_numbers(connection, 2 * size)
        trial_seqs, score_seqs = range(first, first + size), range(first + size, first + 2 * size)
        for table, columns in (
            (trials, self._trials(trial_seqs, run_seq)),
            (completions, self._completions(trial_seqs)),
            (scores, self._scores(score_seqs, trial_seqs, now)),
            (imported_rows, self._records(trial_seqs)),
        ):
            check_all_new(table, size, insert_columns(connection, table, columns))
        return size

    def _trials(self, seqs: range, run_seq: int) -> _Columns:
        return {
            "seq": seqs,
            "run_seq": repeat(run_seq),
            "model_rank": repeat(self.rank),
            "position": range(self.position, self.position + len(seqs)),
            "case_id": escape_all(self.case_ids),
            "outcome": self.outcomes,
            "score_version": repeat(1),
            "weight": repeat(1.0),
            "messages_hash": repeat(""),
            "finished_at": repeat(self.finished_at),
        }

    def _completions(self, seqs: range) -> _Columns:
        return {
            "trial_seq": seqs,
            "finish": repeat(FinishReason.STOP.value),
            "text": escape_all(self.texts),
        }

    def _scores(self, seqs: range, trial_seqs: range, now: str) -> _Columns:
        known = self.scores[0]
        return {
            "seq": seqs,
            "trial_seq": trial_seqs,
            "version": repeat(1),
            "created_at": repeat(now),
            "actor": repeat(ENGINE),
            "score": [one.score for one in self.scores],
            "scorer": repeat(escape(known.scorer)),
            "scorer_version": repeat(escape(known.scorer_version)),
            "profile": repeat(escape(known.profile)),
            "body": encode_all(self.scores),
        }

    def _records(self, seqs: range) -> _Columns:
        return {
            "trial_seq": seqs,
            "row_key": self.keys,
            "scores": self.tool_scores,
            "rest": self.rests,
        }

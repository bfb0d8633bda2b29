"""Conversion between trials and the rows of their four tables.

Rows are tuples in the order of the table's columns, without the leading ``seq`` or
``trial_seq``, which is known only once the row is written.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import RowMapping

from benchmaker.errors import StoreError
from benchmaker.record import (
    Attempt,
    Completion,
    FinishReason,
    Outcome,
    Score,
    TokenLogprob,
    Transcript,
    Trial,
    UnfinishedConversation,
    Usage,
)
from benchmaker.store.database.escaping import escape, escape_or_none, unescape, unescape_or_none
from benchmaker.store.database.json_values import decode, encode
from benchmaker.store.database.tables import trials
from benchmaker.store.runs.runs import RunNumber

Row = tuple[Any, ...]

_NO_USAGE = (None,) * 7
_LARGEST = 2**63 - 1
_escape_name = lru_cache(maxsize=1_000)(escape)
"""Escapes names of scorers, models and versions: most rows have one of a few."""

_ROW_BYTES = 500
"""Approximate memory of a row without its texts, in bytes."""


class TrialRows(NamedTuple):
    """The rows of one trial; ``size`` is their approximate size in bytes."""

    trial: Row
    completion: Row | None
    attempts: tuple[Row, ...]
    score: Row | None
    size: int


def trial_rows(trial: Trial, run: RunNumber) -> TrialRows:
    """Return the trial as rows.

    Raises:
        StoreError: a value can't be stored: the message names the trial and the value.
    """
    try:
        completion = completion_row(trial.completion)
        row = _trial_row(trial, run)
        further = sum([len(it) for it in completion[-2:] if it]) if completion else 0
        further += len(row[-1] or "")
        return TrialRows(
            trial=row,
            completion=completion,
            attempts=attempt_rows(trial.new_attempts),
            score=score_row(trial.score) if trial.score else None,
            size=_ROW_BYTES + len(trial.text) + further,
        )
    except (TypeError, ValueError, KeyError) as exc:
        raise _unstorable_error(trial, run, exc) from exc


def score_row(score: Score) -> Row:
    """Return ``score`` to ``flags``, then ``body``: the common columns of every version's row."""
    if score.score is not None and score.score != score.score:
        raise ValueError("the score is not a number")
    return (
        score.score,
        _escape_name(score.scorer),
        _escape_name(score.scorer_version),
        _escape_name(score.profile),
        encode(score.flags) if score.flags else None,
        encode(score),
    )


def attempt_row(row: Row, number: int) -> Row:
    """Return the attempt's row with another number."""
    attempt = msgspec.structs.replace(decode(row[-1], Attempt), number=number)
    return _attempt_row(attempt)


def trial_of(row: RowMapping, run_id: str, models: Sequence[str], attempts: Iterable[str]) -> Trial:
    """Return the trial of a row that joins trial, completion and latest score."""
    fields: dict[str, Any] = {
        field: read(cell) if read else cell
        for field, column, read in _READ
        if (cell := row[column]) is not None
    }
    fields["run_id"] = run_id
    fields["model"] = models[row["model_rank"]]
    fields["attempts"] = tuple([decode(body, Attempt) for body in attempts])
    if row["finish"] is not None:
        fields["completion"] = _completion_of(row)
    if (score := row["score_body"]) is not None:
        fields["score"] = decode(score, Score)
    return Trial(**fields)


def _trial_row(trial: Trial, run: RunNumber) -> Row:
    own = zip(_WRITE, _values_of(trial), strict=True)
    return (run.seq, run.ranks[trial.model], *[write(value) for write, value in own])


def completion_row(completion: Completion | None) -> Row | None:
    """Return the row of a completion without the number of its trial; ValueError for NaN."""
    if completion is None:
        return None
    model, usage, flags = completion.model, completion.usage, completion.flags
    return (
        completion.finish._value_,
        None if model is None else _escape_name(model),
        _check_real(completion.latency_s),
        _check_real(completion.cost_usd),
        *(_NO_USAGE if usage is None else _usage_row(usage)),
        encode(flags) if flags else None,
        escape(completion.text),
        _check_real(completion.first_byte_s),
        encode(completion.logprobs) if completion.logprobs else None,
        encode(completion.transcript) if completion.transcript else None,
    )


def _usage_row(usage: Usage) -> Row:
    tokens = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    )
    for number in tokens:
        if number is not None:
            _check_integer(number)
    return (*tokens, encode(usage.flags) if usage.flags else "[]")


def attempt_rows(attempts: tuple[Attempt, ...]) -> tuple[Row, ...]:
    """Return the rows of requests; ValueError if two have the same number."""
    if not attempts:
        return ()
    if len(attempts) > 1 and len({attempt.number for attempt in attempts}) != len(attempts):
        raise ValueError("two attempts have the same number")
    return tuple(map(_attempt_row, attempts))


def _attempt_row(attempt: Attempt) -> Row:
    return (
        _check_integer(attempt.number),
        escape(attempt.status),
        escape(attempt.started_at),
        _check_real(attempt.cost_usd),
        encode(attempt),
    )


def _completion_of(row: RowMapping) -> Completion:
    return Completion(
        text=unescape(row["text"]),
        finish=FinishReason(row["finish"]),
        usage=_usage_of(row),
        latency_s=row["latency_s"],
        first_byte_s=row["first_byte_s"],
        cost_usd=row["cost_usd"],
        model=unescape_or_none(row["completion_model"]),
        flags=_tuple(row["completion_flags"]),
        logprobs=decode(row["logprobs"], tuple[TokenLogprob, ...]) if row["logprobs"] else (),
        transcript=decode(row["transcript"], Transcript) if row["transcript"] else None,
    )


def _usage_of(row: RowMapping) -> Usage | None:
    if row["usage_flags"] is None:
        return None
    return Usage(
        input_tokens=row["input_tokens"],
        cache_read_tokens=row["cache_read_tokens"],
        cache_write_5m_tokens=row["cache_write_5m_tokens"],
        cache_write_1h_tokens=row["cache_write_1h_tokens"],
        output_tokens=row["output_tokens"],
        reasoning_tokens=row["reasoning_tokens"],
        flags=_tuple(row["usage_flags"]),
    )


def _check_integer(value: int) -> int:
    """Return the number; ValueError if it is too large for a database."""
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f"{value} exceeds 63 bits")
    return value


def _check_real(value: float | None) -> float | None:
    """Return the number; ValueError for NaN, which SQLite would silently store as NULL."""
    if value is not None and value != value:  # noqa: PLR0124  NaN alone differs from itself
        raise ValueError("NaN is not a number; use None for a missing value")
    return value


def _list_or_none(values: tuple[str, ...]) -> str | None:
    return encode(values) if values else None


def _tuple(text: str | None) -> tuple[str, ...]:
    return () if text is None or text == "[]" else decode(text, tuple[str, ...])


def _unstorable_error(trial: Trial, run: RunNumber, exc: Exception) -> StoreError:
    if trial.model not in run.ranks:
        return StoreError(
            f"model {trial.model!r} is not one of the run's models.",
            where=f"run {trial.run_id}",
            hint=f"It has: {', '.join(run.models) or 'none'}.",
        )
    return StoreError(
        f"the trial can't be stored: {exc}.",
        where=f"run {trial.run_id}, model {trial.model}, case {trial.case_id}",
        hint="The detail of a score must be plain data: text, numbers, lists and maps.",
    )


def _encode_conversation(conversation: UnfinishedConversation | None) -> str | None:
    return None if conversation is None else encode(conversation)


def _decode_conversation(text: str) -> UnfinishedConversation:
    return decode(text, UnfinishedConversation)


class _Own(NamedTuple):
    """A field of a trial with its own column, and the conversion in both directions.

    ``source`` is the field that is written to the column: with its score a trial gets version 1.
    """

    field: str
    source: str
    column: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any] | None


def _first_version(score: Score | None) -> int:
    return 0 if score is None else 1


def _own_fields() -> Iterator[_Own]:
    """Yield those fields, in the order of the columns."""
    fields = {one.name: one.type for one in msgspec.structs.fields(Trial)}
    for column in tuple(column.name for column in trials.c)[_NOT_OWN:]:
        field = "group" if column == "case_group" else column
        label = "trial_flags" if column == "flags" else column
        source = "score" if field == "score_version" else field
        yield _Own(field, source, label, *_WAYS[fields[source]])


_NOT_OWN: Final = 3
"""The first columns: the number of the trial, of its run and of its model."""

_WAYS: Final[dict[Any, tuple[Callable[[Any], Any], Callable[[Any], Any] | None]]] = {
    int: (_check_integer, None),
    float: (_check_real, None),
    str: (escape, unescape),
    str | None: (escape_or_none, unescape),
    tuple[str, ...]: (_list_or_none, _tuple),
    Outcome: (attrgetter("value"), Outcome),
    Score | None: (_first_version, None),
    UnfinishedConversation | None: (_encode_conversation, _decode_conversation),
}
"""By the type of a field, the functions that write its column and read it; None: unchanged.

NULL is not read: such a field has its default.
"""

_OWN: Final = tuple(_own_fields())
_READ: Final = tuple((one.field, one.column, one.read) for one in _OWN)
_WRITE: Final = tuple(one.write for one in _OWN)
_values_of: Final = attrgetter(*(one.source for one in _OWN))

"""The requests of one trial, as a table."""

from collections.abc import Iterator, Sequence
from typing import Final

from benchmaker.cli.output.table import format_table
from benchmaker.record import Attempt, Trial, Usage, failure_words
from benchmaker.report.tables import numbers

_HEADS: Final = ("  attempt", "status", "first byte", "latency", "tokens", "cost")
_RIGHT: Final = (0, 2, 3, 4, 5)

_UNKNOWN = "unknown"


def attempt_table(attempts: Sequence[Attempt]) -> list[str]:
    """Return a line for each request with headings; unknown values are words."""
    return format_table(_HEADS, [_row(one) for one in attempts], right=_RIGHT) if attempts else []


def errors(trial: Trial) -> Iterator[tuple[int, str]]:
    """The errors of requests by number, but for the one that the trial ended with."""
    ended_with = failure_words(trial.error_type, trial.error)
    for one in trial.attempts:
        error = failure_words(one.error_type, one.error)
        if error and error != ended_with:
            yield one.number, error


def _row(attempt: Attempt) -> list[str]:
    return [
        f"{attempt.number}",
        attempt.status,
        _seconds(attempt.first_byte_s),
        _seconds(attempt.last_byte_s),
        _tokens(attempt.reported_usage),
        _UNKNOWN if attempt.cost_usd is None else numbers.money(attempt.cost_usd),
    ]


def _seconds(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else numbers.duration(seconds)


def _tokens(usage: Usage | None) -> str:
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return _UNKNOWN
    cached = (usage.cache_read_tokens, usage.cache_write_5m_tokens, usage.cache_write_1h_tokens)
    given = usage.input_tokens + sum(count or 0 for count in cached)
    return f"{numbers.tokens(given)} in, {numbers.tokens(usage.output_tokens)} out"

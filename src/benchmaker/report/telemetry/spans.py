"""Trials as spans: their times, models, and outcomes.

A trial is one trace; its requests are spans inside, named by OpenTelemetry's conventions for
generative AI. Ids are derived from the run, the model and the case, so that a resent span is the
same span. They contain no prompts, answers or error messages.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

from benchmaker.record import INFRASTRUCTURE, Run, Trial, Usage, otel
from benchmaker.record.attempt import RECORDED, Attempt

TRIAL: Final = "benchmaker.trial"
RUN_ID: Final = "benchmaker.run.id"
RUN_NUMBER: Final = "benchmaker.run.number"
SUITE: Final = "benchmaker.suite.hash"
CASE_ID: Final = "benchmaker.case.id"
MODEL: Final = "benchmaker.model"
OUTCOME: Final = "benchmaker.outcome"
SCORE: Final = "benchmaker.score"
ATTEMPT: Final = "benchmaker.attempt.number"
STATUS: Final = "benchmaker.attempt.status"
FIRST_BYTE_S: Final = "benchmaker.attempt.first_byte_s"
ERROR_TYPE: Final = "error.type"
"""The convention's own name, of OpenTelemetry in general."""

Value = str | int | float | bool

_FINE: Final = frozenset({"ok", "empty"})
_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span; times are nanoseconds since 1970. ``parent_id`` is 0 at the root of a trace."""

    name: str
    trace_id: int
    span_id: int
    parent_id: int = 0
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value]
    is_request: bool = False
    is_failed: bool = False


def spans_of(run: Run, trial: Trial) -> tuple[Span, ...]:
    """The trial's span, then those of its requests in their order."""
    requests = tuple(_requests(run, trial))
    start, end = _bounds(trial, requests)
    given: dict[str, Value | None] = {
        RUN_ID: run.id,
        RUN_NUMBER: run.number,
        SUITE: run.suite_hash,
        CASE_ID: trial.case_id,
        MODEL: trial.model,
        OUTCOME: trial.outcome.value,
        SCORE: trial.score.score if trial.score else None,
        otel.COST_USD: trial.cost_usd,
        otel.COUNTS["llm_calls"]: len(requests),
        ERROR_TYPE: trial.error_type,
    }
    root = Span(
        name=TRIAL,
        trace_id=_trace_id(trial),
        span_id=_span_id(trial, 0),
        start_ns=start,
        end_ns=end,
        attributes=_drop_none(given),
        is_failed=trial.outcome in INFRASTRUCTURE,
    )
    return (root, *requests)


def _requests(run: Run, trial: Trial) -> Iterator[Span]:
    provider, model = _provider_and_model(run, trial.model)
    answered = trial.completion.model if trial.completion else None
    for attempt in (it for it in trial.attempts if it.status != RECORDED):
        is_fine = attempt.status in _FINE
        begun = _ns(attempt.started_at)
        given: dict[str, Value | None] = {
            otel.OPERATION: otel.CHAT,
            otel.PROVIDER: provider,
            otel.REQUEST_MODEL: model,
            otel.RESPONSE_MODEL: answered if is_fine else None,
            otel.COST_USD: attempt.cost_usd,
            **_tokens(attempt.usage),
            RUN_ID: run.id,
            CASE_ID: trial.case_id,
            ATTEMPT: attempt.number,
            STATUS: attempt.status,
            FIRST_BYTE_S: attempt.first_byte_s,
            ERROR_TYPE: None if is_fine else attempt.error_type or attempt.status,
        }
        yield Span(
            name=f"{otel.CHAT} {model}",
            trace_id=_trace_id(trial),
            span_id=_span_id(trial, attempt.number),
            parent_id=_span_id(trial, 0),
            start_ns=begun,
            end_ns=begun + _length(attempt),
            attributes=_drop_none(given),
            is_request=True,
            is_failed=not is_fine,
        )


def _provider_and_model(run: Run, model: str) -> tuple[str | None, str]:
    """The endpoint and the model's own name, of ``endpoint/model`` or ``https://host/v1#model``."""
    if "://" in model:
        return None, model.rpartition("#")[2]
    endpoint, slash, name = model.partition("/")
    is_live = run.provider.get("kind") == "live"
    return (endpoint, name) if slash and is_live else (None, model)


def _tokens(usage: Usage | None) -> dict[str, Value | None]:
    """By the convention's names, where input holds what came from the cache or went into it."""
    if usage is None:
        return {}
    writes = _sum(usage.cache_write_5m_tokens, usage.cache_write_1h_tokens)
    inputs = _sum(usage.input_tokens, usage.cache_read_tokens, writes)
    return {
        otel.INPUT_TOKENS: None if usage.input_tokens is None else inputs,
        otel.OUTPUT_TOKENS: usage.output_tokens,
        otel.CACHE_READ: usage.cache_read_tokens,
        otel.CACHE_WRITE: writes,
        otel.CACHE_WRITE_1H: usage.cache_write_1h_tokens,
        otel.REASONING: usage.reasoning_tokens,
    }


def _sum(*parts: int | None) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _drop_none(given: Mapping[str, Value | None]) -> dict[str, Value]:
    return {name: value for name, value in given.items() if value is not None}


def _bounds(trial: Trial, requests: tuple[Span, ...]) -> tuple[int, int]:
    if requests:
        return requests[0].start_ns, max(span.end_ns for span in requests)
    end = _ns(trial.finished_at)
    latency = trial.completion.latency_s if trial.completion else None
    return end - round((latency or 0.0) * _NS), end


def _length(attempt: Attempt) -> int:
    return round((attempt.last_byte_s or attempt.first_byte_s or 0.0) * _NS)


def _ns(moment: str) -> int:
    """Nanoseconds since 1970 of a time in ISO 8601; 0 where none is given."""
    return round(datetime.fromisoformat(moment).timestamp() * _NS) if moment else 0


def _trace_id(trial: Trial) -> int:
    return _number(trial, "trace", 16)


def _span_id(trial: Trial, number: int) -> int:
    return _number(trial, str(number), 8)


def _number(trial: Trial, what: str, size: int) -> int:
    """Return a number above 0 of ``size`` bytes."""
    name = repr((trial.run_id, trial.model, trial.case_id, what))
    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:size]) or 1

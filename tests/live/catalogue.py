"""What a run makes of each fault: the catalogue as a table.

Two retries and so three requests at most, an answer without a stream counted among them where a
stream failed. Where two outcomes are named, the protocols or the ways of asking differ.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from benchmaker.record import INFRASTRUCTURE, Outcome
from tests.live.server.app import FAULTS
from tests.live.server.question import Protocol
from tests.live.server.reply import Counts, Reply
from tests.live.server.reply_faults import text_of
from tests.live.server.stream_faults import MULTILINGUAL

RETRIES = 2
MOST = 1 + RETRIES
BOTH: tuple[Protocol, ...] = ("openai", "anthropic")

SCORED = Outcome.SCORED
PROVIDER_ERROR = Outcome.PROVIDER_ERROR
BAD_RESPONSE = Outcome.BAD_RESPONSE
TIMEOUT = Outcome.TIMEOUT
EMPTY = Outcome.EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What becomes of every trial of a run whose model shows one fault.

    ``times`` is how often the fault comes for each case; None is always. ``outcomes`` and
    ``errors`` (the error's type; empty: there is none) may hold several. ``least`` and ``most``
    bound the requests of a trial. ``flags`` stand on the completion, its usage or the trial.
    ``usage`` says whether tokens are known. A fault that ``stops`` its model leaves cases unasked.
    ``is_tight`` asks for limits of tenths of a second; ``concurrency`` is None for the default.
    """

    fault: str
    times: int | None = None
    outcomes: frozenset[Outcome] = frozenset({SCORED})
    errors: frozenset[str] = frozenset()
    least: int = 1
    most: int = 1
    flags: frozenset[str] = frozenset()
    usage: bool | None = None
    stops: bool = False
    is_tight: bool = False
    is_gone: bool = False
    concurrency: int | None = None
    protocols: tuple[Protocol, ...] = BOTH
    streams: tuple[bool, ...] = (False, True)

    @property
    def model(self) -> str:
        """The model's name at the server."""
        return f"fault:{self.fault}" + (f":{self.times}" if self.times else "")

    @property
    def exit_codes(self) -> frozenset[int]:
        """0 where every trial is final by the model's own doing, 4 where some were left out."""
        if self.stops:
            return frozenset({4})
        return frozenset(4 if outcome in INFRASTRUCTURE else 0 for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class Scene:
    """A fault asked for in one way."""

    expected: Expected
    protocol: Protocol
    stream: bool

    def __str__(self) -> str:
        return f"{self.expected.fault}-{self.protocol}-{'stream' if self.stream else 'whole'}"

    def text(self, answer: str) -> str:
        """The text that the record must hold, given the right answer."""
        fault = self.expected.fault
        if self.stream and fault == "sse_split_utf8":
            return MULTILINGUAL.format(answer=answer)
        if self.stream and fault == "sse_dup_chunks":
            pieces = Reply(answer, Counts(1, 1), "", "").pieces
            return "".join(piece + piece for piece in pieces)
        return text_of(fault, answer)


def right(*faults: str, **more: Any) -> tuple[Expected, ...]:
    """The answer is scored in the end."""
    return _each(faults, Expected(fault="", usage=True), more)


def failed(
    *faults: str,
    errors: str,
    outcomes: frozenset[Outcome] = frozenset({PROVIDER_ERROR}),
    least: int = MOST,
    most: int = MOST,
    **more: Any,
) -> tuple[Expected, ...]:
    """Nothing to score: what kind of failure, after how many requests."""
    model = Expected(
        fault="", outcomes=outcomes, errors=frozenset(errors.split()), least=least, most=most
    )
    return _each(faults, model, more)


def _each(faults: tuple[str, ...], pattern: Expected, more: dict[str, Any]) -> tuple[Expected, ...]:
    return tuple(replace(pattern, **{**_ways(fault), **more, "fault": fault}) for fault in faults)


def _ways(fault: str) -> dict[str, Any]:
    """In which protocols and ways the fault makes sense."""
    known = FAULTS[fault]
    streams = (True,) if known.needs_stream else (False, True)
    return {"protocols": known.protocols, "streams": streams}


def _outcomes(*outcomes: Outcome) -> frozenset[Outcome]:
    return frozenset(outcomes)


def _flags(*names: str) -> frozenset[str]:
    return frozenset(names)


OPENAI: tuple[Protocol, ...] = ("openai",)
ANTHROPIC: tuple[Protocol, ...] = ("anthropic",)
LOST = _outcomes(PROVIDER_ERROR, BAD_RESPONSE)
LOST_TYPES = "ProviderError BadResponse"
FALLBACK: dict[str, Any] = {"least": 2, "most": MOST, "flags": frozenset({"stream_fallback"})}
"""What a stream failed to give came without one."""

LIMITS = (
    *right("http_429_after", "http_429_ms", "http_429_date", times=1, least=2, most=2),
    *right("http_503_after", times=1, least=2, most=2),
    *right("http_429", "http_429_bad", "http_500", times=2, least=3, most=3),
    *failed("http_429", "http_429_bad", "http_429_ms", errors="RateLimited"),
    *failed("http_429_huge", errors="RateLimited", least=1, most=1, stops=True),
    *failed("http_429_quota", "http_402", errors="QuotaExhausted", least=1, most=1, stops=True),
)
STATUSES = (
    *failed(
        "http_500", "http_502_html", "http_503", "http_504", "http_529", "http_408",
        errors="ProviderError Timeout", outcomes=_outcomes(PROVIDER_ERROR),
    ),
    *failed(
        "http_400", "http_404", "http_422", "http_413", "http_400_echo",
        errors="ProviderError", least=1, most=1
    ),
    *failed(
        "http_400_context", errors="ContextOverflow",
        outcomes=_outcomes(Outcome.CONTEXT_OVERFLOW), least=1, most=1,
    ),
    *failed(
        "http_400_filter", errors="Refused",
        outcomes=_outcomes(Outcome.REFUSED, Outcome.FILTERED), least=1, most=1,
    ),
    *failed(
        "http_401", "http_403", "http_401_echo", errors="AuthError", least=1, most=1, stops=True
    ),
    *failed("http_500_echo", errors="ProviderError"),
    *failed(
        "http_302_loop", "http_307_metadata", "http_redirect_other",
        errors=LOST_TYPES, outcomes=LOST, least=1, most=1,
    ),
    *failed("http_200_error", errors=LOST_TYPES, outcomes=LOST),
    *failed(
        "http_200_html", "http_200_empty", "http_204",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE),
    ),
)  # fmt: skip
CONNECTIONS = (
    *failed(
        "reset_at_once", "close_no_reply", "garbage_http", "reset_after_headers",
        errors=LOST_TYPES, outcomes=LOST,
    ),
    *failed(
        "truncated_body", "bad_chunking", "bad_chunking_late", "gzip_truncated",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE),
    ),
    *right("reset_at_once", "close_no_reply", "truncated_body", times=1, least=2, most=2),
    *failed(
        "hang", "hang_after_headers", "drip",
        errors="Timeout", outcomes=_outcomes(TIMEOUT), least=1, is_tight=True, is_gone=True,
    ),
    *right("hang", times=1, least=2, most=2, is_tight=True),
    *right("slow_body", "slow_ok", "sse_slow", "bytewise", "split_headers"),
    *right("stale_keepalive", most=2, concurrency=1),
)  # fmt: skip
BODIES = (
    *failed(
        "gzip_bomb", "huge_body",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE), least=1,
    ),
    *failed(
        "sse_huge_line", "sse_endless",
        errors="BadResponse", outcomes=_outcomes(SCORED, BAD_RESPONSE), least=1,
    ),
    *failed(
        "malformed_json", "json_trailing", "json_dupkeys", "json_deep", "invalid_utf8",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE),
    ),
    *right("json_bom", "extra_fields", "json_nan"),
)  # fmt: skip
ENDS = (
    *failed(
        "empty_completion", "null_content", "whitespace", errors="", outcomes=_outcomes(EMPTY)
    ),
    *right("empty_completion", times=1, least=2, most=2),
    *failed(
        "missing_choices", "empty_choices", "choice_no_message",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE),
        protocols=OPENAI, streams=(False,),
    ),
    *failed(
        "missing_choices", "empty_choices", "choice_no_message",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE, EMPTY),
        protocols=OPENAI, streams=(True,),
    ),
    *failed(
        "missing_choices", "choice_no_message",
        errors="BadResponse", outcomes=_outcomes(BAD_RESPONSE, EMPTY), protocols=ANTHROPIC,
    ),
    *failed("empty_choices", errors="", outcomes=_outcomes(EMPTY), protocols=ANTHROPIC),
    *failed("finish_filter", errors="", outcomes=_outcomes(Outcome.FILTERED), least=1, most=1),
    *failed(
        "refusal", errors="Refused", outcomes=_outcomes(Outcome.REFUSED), least=1, most=1
    ),
    *failed(
        "sse_filter_mid", errors="Refused",
        outcomes=_outcomes(Outcome.FILTERED, Outcome.REFUSED), least=1, most=1,
    ),
    *failed("finish_length", errors="", outcomes=_outcomes(Outcome.TRUNCATED), least=1, most=1),
    *failed("reasoning_only", errors="", outcomes=_outcomes(Outcome.TRUNCATED), least=1),
    *right("finish_unknown", flags=_flags("unknown_finish")),
    *failed("tool_call", errors="", outcomes=_outcomes(EMPTY), least=1, flags=_flags("tool_call")),
)  # fmt: skip
SAYINGS = (
    *right("content_parts", "two_choices", "same_id"),
    *right("wrong_model", flags=_flags("other_model")),
    *right("nul", "lone_surrogate", "bidi", "crlf", "ansi", "xss", "csv_formula", "inject_judge"),
    *right("missing_usage", usage=False),
    *right("zero_usage", usage=False, flags=_flags("usage_zero")),
    *right("negative_usage", usage=False, flags=_flags("usage_negative")),
    *right("huge_usage", usage=False, flags=_flags("usage_absurd")),
    *right("float_usage", "string_usage", usage=False, flags=_flags("usage_not_a_number")),
    *right("wrong_usage", usage=False, flags=_flags("usage_inconsistent")),
)
STREAMS = (
    *right("sse_truncated", "sse_reset", "sse_no_finish", "sse_early_done", **FALLBACK),
    *right("sse_bad_chunk", "sse_error_event", **FALLBACK),
    *right("sse_hang", is_tight=True, **FALLBACK),
    *right("sse_error_rate", times=1, least=2, most=MOST),
    *right("sse_no_done", flags=_flags("no_done")),
    *right("sse_dup_chunks", "sse_usage_twice", "sse_usage_growing"),
    *right("sse_usage_none", usage=False),
    *right("sse_split_utf8", "sse_crlf", "sse_comments", "sse_multiline", "sse_empty_choices"),
    *right("sse_after_done", "sse_json_instead"),
)
TABLE: tuple[Expected, ...] = (
    *LIMITS,
    *STATUSES,
    *CONNECTIONS,
    *BODIES,
    *ENDS,
    *SAYINGS,
    *STREAMS,
)


def scenes() -> Iterator[Scene]:
    """Every fault in every way in which it can be asked for."""
    for expected in TABLE:
        for protocol in expected.protocols:
            for stream in expected.streams:
                yield Scene(expected, protocol, stream)

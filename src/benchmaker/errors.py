"""The one tree of errors.

::

    BenchmakerError                 everything we raise on purpose; has .where and .hint
    ├─ SpecError                    the user's file or arguments; has .findings, all of them at once
    ├─ PrerequisiteError            something is not installed or set; the hint is the command
    ├─ TrialError                   recorded on the trial as data, never aborts a run
    │  ├─ ProviderError
    │  │  ├─ RateLimited
    │  │  ├─ QuotaExhausted
    │  │  ├─ Timeout
    │  │  ├─ Refused
    │  │  ├─ ContextOverflow
    │  │  ├─ BadResponse
    │  │  └─ AuthError
    │  ├─ ExtractionError
    │  ├─ RenderError
    │  ├─ SandboxError
    │  └─ ScorerError
    │     ├─ JudgeUnparsable
    │     ├─ JudgeRefused
    │     └─ ScorerTimeout
    ├─ TranscriptError              a log that can't be read: file, line, field
    ├─ StoreError
    │  ├─ Unreachable               the database's server is away, or the connection broke
    │  ├─ Conflict                  somebody else holds it, or it changed meanwhile
    │  ├─ SchemaTooNew              written by a newer Benchmaker
    │  └─ Corrupt                   the file is damaged or not a store
    ├─ AnalysisError
    │  ├─ NotEnoughData             has .needed and .got
    │  ├─ NotComparable
    │  ├─ NotConverged
    │  └─ DisconnectedBattles
    └─ PluginError                  names the distribution that broke

A message says what was found; ``where`` says where; ``hint`` says what to do.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, Protocol

_ENDS: Final = (".", "!", "?", ":", ";", ",", "…")
"""Signs after which a hint may follow."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault in a file written by a person.

    ``line`` and ``column`` count from 1; they are 0 for the file as a whole.
    """

    file: str
    line: int
    column: int
    message: str
    hint: str = ""

    @property
    def place(self) -> str:
        """The place as text."""
        return place_text(self.file, self.line, self.column)

    def __str__(self) -> str:
        return with_hint(f"{self.place}: {self.message}", self.hint)


_ROW_FILES: Final = (".parquet", ".xlsx")
"""Endings of files that have rows and columns, but no lines."""

DATASET: Final = "dataset "
"""The beginning of the name of a place in a Hugging Face dataset."""


def place_text(file: str, line: int, column: int) -> str:
    """Return a place in a file as text; 0 stands for the file or the line as a whole.

    >>> place_text("a.jsonl", 3, 7), place_text("a.parquet", 3, 2), place_text("a.xlsx", 3, 0)
    ('a.jsonl:3:7', 'a.parquet:row 3, column 2', 'a.xlsx:row 3')
    """
    if not line:
        return file
    if file.startswith(DATASET) or file.lower().endswith(_ROW_FILES):
        return f"{file}:row {line}" + (f", column {column}" if column else "")
    return f"{file}:{line}:{column}"


class BenchmakerError(Exception):
    """The root: everything raised on purpose.

    Args:
        message: the fault.
        where: the place, as text: a file and line, a run, a trial, a case.
        hint: the remedy.
    """

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        what = f"{self.where}: {self.message}" if self.where else self.message
        return with_hint(what, self.hint)


def with_hint(what: str, hint: str) -> str:
    """Return the fault and the remedy, as separate sentences.

    >>> with_hint("no such model", "List them.")
    'no such model. List them.'
    """
    if not hint:
        return what
    found = what.rstrip()
    return f"{found}{'' if found.endswith(_ENDS) else '.'} {hint}"


class SpecError(BenchmakerError, ValueError):
    """An invalid file or argument of the user; ``findings`` lists all faults together."""

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        hint: str = "",
        findings: Sequence[Finding] = (),
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.findings = tuple(findings)

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "SpecError":
        """One error out of all findings, in the order of the file; equal ones are counted."""
        ordered = sorted(findings)
        return cls("\n".join(_count_equal(ordered)), findings=ordered)


_SHOWN_EQUAL = 3
"""So many equal findings of a file are listed one by one; of more, the first with their number."""


def _count_equal(findings: Sequence[Finding]) -> Iterator[str]:
    """A line for each; one for all equal ones where there are many."""
    equal = Counter((it.file, it.message, it.hint) for it in findings)
    for finding in findings:
        number = equal[finding.file, finding.message, finding.hint]
        if 0 < number <= _SHOWN_EQUAL:
            yield str(finding)
        elif number:
            equal[finding.file, finding.message, finding.hint] = 0
            yield f"{finding} {number - 1:,} more places have the same error."


class PrerequisiteError(BenchmakerError):
    """Something is not installed or not set; the hint gives the exact command."""


class TrialError(BenchmakerError):
    """A trial went wrong; recorded on it as data."""


class TokenCounts(Protocol):
    """Tokens of a request, such as :class:`~benchmaker.record.usage.Usage`; None is unknown."""

    @property
    def input_tokens(self) -> int | None:
        """Tokens that were read, without those of a cache."""

    @property
    def output_tokens(self) -> int | None:
        """Tokens that were written."""


class ProviderError(TrialError):
    """The provider did not give a usable answer.

    Args:
        message: the fault.
        where: the place, as text.
        hint: the remedy.
        status: the HTTP status, if there is one.
        retry_after_s: the wait requested by the provider, in seconds.
        is_retryable: whether the same request may succeed later; each kind has its own default.
        partial_text: the part of the answer received before an interruption; never scored.
        is_sent: whether the request may have reached the provider; otherwise it costs nothing.
        flags: further notes on the attempt.
        cost_usd: the cost of the failed request, if known.
        usage: the tokens of the failed request, if known.
        latency_s: its duration in seconds, if recorded.
    """

    retries: ClassVar[bool] = False
    """The default of ``is_retryable``."""

    scope: ClassVar[Literal["request", "model"]] = "request"
    """The scope of the error: one request, or every further request to the same model."""

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        hint: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        is_retryable: bool | None = None,
        partial_text: str = "",
        is_sent: bool = True,
        flags: Sequence[str] = (),
        cost_usd: float | None = None,
        usage: TokenCounts | None = None,
        latency_s: float | None = None,
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.cost_usd = cost_usd
        self.usage = usage
        self.latency_s = latency_s
        self.status = status
        self.retry_after_s = retry_after_s
        self.is_retryable = self.retries if is_retryable is None else is_retryable
        self.partial_text = partial_text
        self.is_sent = is_sent
        self.flags = tuple(flags)


class RateLimited(ProviderError):
    """The provider requests a wait."""

    retries = True


class QuotaExhausted(ProviderError):
    """The account's quota is used up; waiting does not help."""

    scope = "model"


class Timeout(ProviderError):
    """A limit of time passed."""

    retries = True


class Refused(ProviderError):
    """The provider refused to answer this request."""


class ContextOverflow(ProviderError):
    """The request is longer than the model's context."""


class BadResponse(ProviderError):
    """The reply does not conform to the protocol."""

    retries = True


class AuthError(ProviderError):
    """The key is missing, wrong or not allowed."""

    scope = "model"


class ExtractionError(TrialError):
    """No usable text could be extracted from the answer."""


class RenderError(TrialError):
    """A page could not be rendered."""


class SandboxError(TrialError):
    """The sandbox could not be set up or broke."""


class ScorerError(TrialError):
    """A scorer failed; the answer itself is kept."""


class JudgeUnparsable(ScorerError):
    """No verdict could be read from the judge's reply."""


class JudgeRefused(ScorerError):
    """The judge would not judge."""


class ScorerTimeout(ScorerError):
    """A scorer did not finish in its time."""


class TranscriptError(BenchmakerError):
    """A log that coding tools left behind can't be read."""

    def __init__(self, message: str, *, file: str, line: int = 0, field: str = "") -> None:
        place = ":".join(str(part) for part in (file, line or "", field) if part)
        super().__init__(message, where=place)
        self.file = file
        self.line = line
        self.field = field


class StoreError(BenchmakerError):
    """A failed operation of the store; its content is unharmed."""


class Unreachable(StoreError):
    """The server of the database is away, or the connection to it broke; it may come back."""


class InvalidValue(StoreError):
    """The database does not take a value of a row; it takes other rows."""


class Conflict(StoreError):
    """Another process holds it, or it changed meanwhile."""


class SchemaTooNew(StoreError):
    """A newer Benchmaker wrote this store."""


class SchemaTooOld(StoreError):
    """An older Benchmaker wrote this store, and it may not be upgraded now."""


class Corrupt(StoreError):
    """The file is damaged or is not a store."""


class AnalysisError(BenchmakerError):
    """The data do not support the requested result."""


class NotEnoughData(AnalysisError):
    """Too few values for this statistic."""

    def __init__(self, message: str, *, needed: int, got: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.needed = needed
        self.got = got


class NotComparable(AnalysisError):
    """The two sides do not measure the same thing."""


class NotConverged(AnalysisError):
    """An iteration did not reach its tolerance."""


class DisconnectedBattles(AnalysisError):
    """Some models never met, so that there is no common scale."""


class PluginError(BenchmakerError):
    """A plug-in could not be loaded; the message names its distribution."""

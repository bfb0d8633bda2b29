"""The text that a check with filters reads, computed in a timed worker."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from benchmaker.errors import SandboxError, ScorerError, ScorerTimeout, SpecError
from benchmaker.record import Trial
from benchmaker.scoring.checks.filter_work import NotFiltered, apply_filters
from benchmaker.scoring.checks.values import BeyondLimit, require_length
from benchmaker.scoring.pattern import PATTERN_BYTES, Pattern
from benchmaker.spec.suites.check_spec import patterns_of

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

TIMEOUT_S = 1.0
"""The time limit of all filters of a check on one answer."""


async def filter_trial(trial: Trial, filters: Sequence[Any]) -> Trial:
    """Return the trial with the text of its answer after the filters.

    Raises:
        BeyondLimit: the answer is too long, or a filter can't read it.
        ScorerError: the filters exceed their time.
        SpecError: a pattern is invalid.
    """
    if trial.completion is None:
        return trial
    require_length(trial.text)
    text = await _apply(trial.text, list(filters))
    return replace(trial, completion=replace(trial.completion, text=text))


def require_patterns(filters: Sequence[Any]) -> None:
    """Reject filters with a pattern that is too long or does not compile.

    Raises:
        SpecError: it names the pattern and its fault.
    """
    for source in (it for one in filters for it in patterns_of(one)):
        if fault := _fault_of(source):
            raise SpecError(f"filters: {fault}")


@lru_cache(maxsize=1024)
def _fault_of(source: str) -> str:
    """The fault of a pattern; empty if there is none."""
    if len(source) > PATTERN_BYTES:
        return f"a pattern is longer than {PATTERN_BYTES:,} characters."
    try:
        Pattern(source).check()
    except (SpecError, ScorerTimeout, SandboxError) as exc:
        return exc.message
    return ""


async def _apply(text: str, filters: list[Any]) -> str:
    if not any(True for one in filters for _ in patterns_of(one)):
        try:
            return apply_filters(filters, text)
        except NotFiltered as exc:
            raise BeyondLimit(f"{exc}.") from exc
    try:
        kind, found = await _worker().acall([filters, text], timeout_s=TIMEOUT_S)
    except (ScorerTimeout, SandboxError) as exc:
        raise ScorerError(f"the filters could not be applied: {exc.message}") from exc
    if kind == "bad":
        raise SpecError(f"invalid pattern in filters: {found}.")
    if kind == "none":
        raise BeyondLimit(f"{found}.")
    return str(found)


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for checks with filters alone

    return TimedWorker("benchmaker.scoring.checks.filter_work:handle_request", is_pure=True)

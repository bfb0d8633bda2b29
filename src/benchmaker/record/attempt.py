"""One request of a trial."""

from typing import Final

import msgspec

from benchmaker.record.usage import Usage

ANSWERED: Final = "ok"
"""The status of a request that the model answered."""

RECORDED: Final = "recorded"
"""The status of a failed request that was made elsewhere, or for another run."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One request: time, duration, cost and error.

    ``number`` counts from 1 within the trial. ``started_at`` is UTC, ISO 8601. ``first_byte_s`` and
    ``last_byte_s`` are seconds from the send, on a monotonic clock. ``status`` is ``ok``,
    ``empty``, the HTTP status of a refusal, ``failed``, or ``recorded``. A refusal costs
    nothing and uses no tokens; if the model has no known price, its cost is unknown nevertheless.
    The cost of a late or broken answer is unknown. The cost of a recorded failure is taken from the
    recording and was not paid here. ``error`` holds the message, secrets removed. ``partial_text``
    is the received part of an interrupted answer; it is never scored.
    """

    number: int
    status: str
    started_at: str
    first_byte_s: float | None = None
    last_byte_s: float | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    error_type: str | None = None
    error: str | None = None
    partial_text: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def reported_usage(self) -> Usage | None:
        """The tokens that the reply states; None for a refused request, which counts as 0."""
        usage = self.usage
        is_empty = usage is not None and not (usage.input_tokens or usage.output_tokens)
        return None if self.error_type is not None and is_empty else usage

    @property
    def tokens(self) -> Usage:
        """The tokens used: 0 if the request was refused, unknown if its answer was lost."""
        is_refused = self.error_type is not None and self.cost_usd == 0
        if self.usage is None and is_refused and self.status != RECORDED:
            return Usage(input_tokens=0, output_tokens=0)
        return self.usage or Usage()

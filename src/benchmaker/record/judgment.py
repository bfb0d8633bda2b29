"""One question put to a judge, and what came back."""

from typing import Any

import msgspec

from benchmaker.record.attempt import Attempt
from benchmaker.record.completion import Completion

CACHE_HIT = "cache_hit"
"""The flag of a judgment that was asked for in another run; it costs nothing here."""

AWAITING_JUDGE = "awaiting_judge"
"""The flag of a trial whose answer is durable and has not been judged yet."""


JUDGE_AGAIN = "judge_again"
"""The flag of a trial that is to be judged once more, by replies that nobody has read yet."""

JUDGE_FAILED = "judge_failed"
"""The flag of a score that is none because no judgment of the answer could be had."""

BASELINE_ITSELF = "baseline"
"""The flag of an answer that other answers are compared with: no judge is asked about it."""

NO_JUDGMENT = "no_judgment"
"""The flag of a reply that holds no judgment: it can't be read, or the judge refused to judge."""

WITHOUT_JUDGE = "without_judge"
"""The flag of a score that is the share of page checks passed, since nobody judged the page."""


class Judgment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judge's reply as it came, or the failure of all requests for one.

    ``key`` is SHA-256 over everything that was sent, the nonce as a placeholder, with judge,
    repeat and order. ``model`` and ``case_id`` say whose answer to what is judged; ``run_id`` is
    None outside any run. ``purpose`` is ``judge``, or what the judge was asked for beside:
    ``reference``, ``false_reference``, ``checklist``, ``calibration``. ``nonce`` is the one that
    this reply had to bring back, and empty where none was asked for. ``is_structured`` says that
    the provider promised JSON by a schema. ``created_at`` is UTC, ISO 8601.
    """

    key: str
    judge: str
    purpose: str = "judge"
    run_id: str | None = None
    case_id: str = ""
    model: str = ""
    repeat: int = 1
    order: str = ""
    nonce: str = ""
    is_structured: bool = False
    completion: Completion | None = None
    attempts: tuple[Attempt, ...] = ()
    error_type: str | None = None
    error: str | None = None
    flags: tuple[str, ...] = ()
    created_at: str = ""

    @property
    def is_cached(self) -> bool:
        """Whether another run had paid for it."""
        return CACHE_HIT in self.flags

    @property
    def is_unusable(self) -> bool:
        """Whether the judge replied and no judgment can be read from it."""
        return NO_JUDGMENT in self.flags

    @property
    def cost_usd(self) -> float | None:
        """What all its requests cost; None when that is not known of one of them.

        Without requests of ours (from the cache, from a file) it is what its completion says.
        """
        if not self.attempts:
            return self.completion.cost_usd if self.completion else None
        known = [attempt.cost_usd for attempt in self.attempts if attempt.cost_usd is not None]
        return sum(known) if len(known) == len(self.attempts) else None


class JudgeTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge was asked in some runs.

    ``judgments`` are its replies of every purpose that could be used, ``cached`` those among them
    that another run had paid for, ``priced`` those paid for here whose cost is known. ``unusable``
    are replies that hold no judgment, ``failed`` the questions without a reply. ``cost_usd`` is
    the known cost of all questions, in vain or not; ``costs_unknown`` counts those of unknown cost.
    Tokens are those of the replies that report theirs, None where none does; ``tokens_unknown``
    counts the rest. ``parameters`` tell an earlier scoring by the judge from the one that counts:
    what was otherwise then, None for what was not given.
    """

    judge: str
    judgments: int
    cached: int
    failed: int
    cost_usd: float
    costs_unknown: int
    latency_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    tokens_unknown: int = 0
    unusable: int = 0
    priced: int = 0
    parameters: dict[str, Any] = {}

    @property
    def usd_per_1000(self) -> float | None:
        """Dollars for 1,000 judgments, over those of known cost; None where there are none.

        What was paid in vain, for unusable replies and failed requests, is part of the price.
        """
        return 1000 * self.cost_usd / self.priced if self.priced else None

"""One question to a judge, and the reply."""

from typing import Any, Final

import msgspec

from benchmaker.record.attempt import Attempt
from benchmaker.record.completion import Completion

CACHE_HIT = "cache_hit"
"""The flag of a judgment requested in another run; it costs nothing here."""

AWAITING_JUDGE = "awaiting_judge"
"""The flag of a trial whose answer is durable and has not been judged yet."""


JUDGE_AGAIN = "judge_again"
"""The flag of a trial to be judged again, from replies not read yet."""

JUDGE_FAILED = "judge_failed"
"""The flag of a missing score because no judgment of the answer was available."""

BASELINE_ITSELF = "baseline"
"""The flag of an answer that others are compared with; it is not judged."""

EMBEDDING: Final = "embedding"
"""The purpose of a request for embeddings, which is stored with those to judges."""

EMBEDDING_FAILED = "embedding_failed"
"""The flag of a missing score because an embedding was not available."""

NO_JUDGMENT = "no_judgment"
"""The flag of a reply without a judgment: unreadable, or the judge refused."""

NO_CODE = "no_code"
"""The flag of an answer without code, of which there is no page."""

WITHOUT_JUDGE = "without_judge"
"""The flag of a score that is the share of page checks passed, for a page without judgment."""

WITHOUT_MEASURE = "without_measure"
"""The flag of a missing score because there is neither a judge nor a check of the case."""


class Judgment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judge's raw reply, or the failure of all requests for one.

    ``key`` is the SHA-256 of everything sent, the nonce as a placeholder, with judge, repeat and
    order. ``model`` and ``case_id`` identify the judged answer; ``run_id`` is None outside any run.
    ``purpose`` is ``judge``, or another request to the judge: ``reference``, ``false_reference``,
    ``checklist``, ``calibration``. A request for embeddings (``embedding``) has the model as its
    ``judge``, and a completion without the embeddings. ``nonce`` is the nonce that this reply had
    to repeat, empty if none was required. ``is_structured`` is true if the provider guarantees JSON
    by a schema. ``created_at`` is UTC, ISO 8601.
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
        """True if another run paid for it."""
        return CACHE_HIT in self.flags

    @property
    def is_unusable(self) -> bool:
        """True if the judge replied but the reply contains no judgment."""
        return NO_JUDGMENT in self.flags

    @property
    def cost_usd(self) -> float | None:
        """The cost of all its requests; None if the cost of one is unknown.

        Without requests of its own (from the cache, from a file) it is the cost in its completion.
        """
        if not self.attempts:
            return self.completion.cost_usd if self.completion else None
        known = [attempt.cost_usd for attempt in self.attempts if attempt.cost_usd is not None]
        return sum(known) if len(known) == len(self.attempts) else None


class EmbeddingTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The requests of some runs for embeddings by one model.

    ``failed`` counts the requests without a usable reply, ``costs_unknown`` those of unknown cost;
    ``cost_usd`` is the known cost. Tokens are summed over the replies that report them, None if
    none does.
    """

    model: str
    requests: int
    failed: int
    cost_usd: float
    costs_unknown: int
    input_tokens: int | None


class JudgeTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's usage in some runs.

    ``judgments`` counts its usable replies of every purpose, ``cached`` those paid for by another
    run, ``priced`` those paid for here with known cost. ``unusable`` counts replies without a
    judgment, ``failed`` questions without a reply. ``cost_usd`` is the known cost of all questions,
    failed ones included; ``costs_unknown`` counts those of unknown cost. Tokens are summed over the
    replies that report them, None if none does; ``tokens_unknown`` counts the rest. ``parameters``
    distinguish an earlier scoring by the judge from the current one: the parameters that differed,
    None for absent ones.
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
        """Dollars per 1,000 judgments, over those of known cost; None if there are none.

        The cost of unusable replies and failed requests is included.
        """
        return 1000 * self.cost_usd / self.priced if self.priced else None

"""The scored figures of one submission, and the conditions for scoring them."""

import math
from typing import Final, Literal, TypeAlias

import msgspec

from benchmaker.record.submissions.one_sided import WORDS as ONE_SIDED
from benchmaker.record.submissions.scored_figures import FIGURES, SCORED_FIGURES, Figure
from benchmaker.record.submissions.submission import EvidenceLevel, Provenance, Status
from benchmaker.record.submissions.zeros import FLAGS as ZERO_FLAGS
from benchmaker.record.submissions.zeros import WORDS as ZERO_WORDS

TokensView: TypeAlias = Literal["total", "fresh", "cost_weighted"]
"""The tokens that count: all, those not read from a cache, or all weighted by price."""

TOKENS: dict[TokensView, str] = {
    "total": "total_tokens",
    "fresh": "fresh_tokens",
    "cost_weighted": "cost_weighted",
}
"""The field behind each view of tokens."""

FIGURE_FIELDS: Final = (*TOKENS.values(), *(name for name in FIGURES if name != "tokens"))
"""The fields behind the figures that are scored, all views of tokens among them."""

MOST: Final = 1e12
"""Maximum plausible value of any figure; robust treats larger ones as missing."""

REGISTERED, NO_RESULT = "attempt_registered", "attempt_without_result"
FIGURES_REFUSED: Final = "figures_refused"
"""The flag of a session whose log has an impossible figure, which was left out."""

FREE: Final = "model_free"
"""The flag of a row whose model is free by the price list, so that its cost of 0 is true."""

METERED_OTHERWISE: Final = "metered_otherwise"
"""The flag of a trial whose log has other tokens than the gateway, whose figures count."""

METERED_IN_PART: Final = "metered_in_part"
"""The flag of a trial with replies that reported no tokens to the gateway."""

METERING: Final = frozenset({METERED_OTHERWISE, METERED_IN_PART})

REPLAYED: Final = "replayed"
"""The flag of a trial whose model's replies were replayed: no evidence beside the recorded one."""

HARMLESS: Final = frozenset(
    {REGISTERED, NO_RESULT, FREE, REPLAYED, *METERING, *ONE_SIDED, *ZERO_FLAGS}
)
"""Flags that cast no doubt on a row: of registered attempts, free models, metering, replays, and
missing figures."""

KINDS_UNKNOWN: Final = (
    "total_tokens does not separate fresh tokens; add usage.input_uncached and usage.output"
)
"""The reason that a row with a total of tokens has no fresh ones."""

EVIDENCE_LEVELS = tuple(EvidenceLevel)
"""The strongest first: the order behind the codes."""

STATUSES = tuple(Status)
PROVENANCES = tuple(Provenance)


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """One submission's figures; unknown ones are None, never 0.

    ``system`` is the ranked unit: ``tool`` × ``model`` × ``effort``. ``finished_us`` counts
    microseconds since 1970, UTC. ``seconds`` is active time if known, otherwise wall time; ``cost``
    is in dollars, reported if known, otherwise computed; ``iterations`` are human prompts.
    ``correctness`` is the share of criteria passed, from 0 to 1, None without grading;
    ``required_passed`` is true if every required criterion passed, ``success`` is the overall
    verdict. ``provenance`` is the weakest of those of tokens, time and cost.
    """

    submission_id: str
    task_id: str
    system: str
    category: str | None = None
    difficulty: str | None = None
    tool: str = ""
    model: str | None = None
    effort: str | None = None
    submitter: str = "local"
    attempt: int = 1
    attempts: int = 1
    finished_us: int | None = None
    total_tokens: float | None = None
    fresh_tokens: float | None = None
    cost_weighted: float | None = None
    tool_calls: float | None = None
    iterations: float | None = None
    seconds: float | None = None
    cost: float | None = None
    correctness: float | None = None
    required_passed: bool | None = None
    success: bool | None = None
    evidence_level: EvidenceLevel = EvidenceLevel.IMPORTED
    isolation: str | None = None
    outcome: Status = Status.UNKNOWN
    provenance: Provenance | None = None
    quarantined: bool = False
    flags: tuple[str, ...] = ()

    def figure(self, name: Figure, *, tokens: TokensView) -> float | None:
        """Return one of ``FIGURES``; ``tokens`` selects the token count."""
        value: float | None = getattr(self, TOKENS[tokens] if name == "tokens" else name)
        return value

    def valid_figure(self, name: Figure, *, tokens: TokensView) -> float | None:
        """Return the figure as used by robust: None if it is missing or implausible.

        0 seconds, tokens, tool calls or dollars count as missing, since a model did the work, and
        so does a value below the figure's minimum or the minimum for the row's tokens. A cost of 0
        counts if the model is free by the price list.
        """
        value = self.figure(name, tokens=tokens)
        if (
            value is None
            or max(SCORED_FIGURES[name].least, self._implied_minimum(name)) <= value <= MOST
        ):
            return value
        return value if name == "cost" and value == 0 and FREE in self.flags else None

    def absence(self, name: Figure, *, tokens: TokensView) -> str:
        """Return the reason why :meth:`valid_figure` returns None; empty if it returns a figure."""
        if self.valid_figure(name, tokens=tokens) is not None:
            return ""
        value = self.figure(name, tokens=tokens)
        if value is None:
            return ": ".join(filter(None, ("missing", self._explain_absence(name))))
        if SCORED_FIGURES[name].least <= value <= MOST:
            return f"missing: {value:g} for {self._tokens_in_words(name)} is impossible"
        return f"missing: {value:g} for work done by a model is impossible"

    def _explain_absence(self, name: Figure) -> str:
        """Return the known reason why the row has no such figure."""
        if name in {"tokens", "cost"} and self.one_sided:
            return self.one_sided
        if any(ZERO_FLAGS.get(flag) == name for flag in self.flags):
            return ZERO_WORDS
        return KINDS_UNKNOWN if name == "tokens" and self.total_tokens is not None else ""

    def _implied_minimum(self, name: Figure) -> float:
        """The least that the row's tokens take of a figure; 0 where they say nothing.

        With a total alone, all may have been read from a cache.
        """
        row = SCORED_FIGURES[name]
        return max(
            _times(self.fresh_tokens, row.least_per_fresh_token),
            _times(self.total_tokens, row.least_per_token),
        )

    def _tokens_in_words(self, name: Figure) -> str:
        """The tokens that take more of a figure than the row has."""
        least = SCORED_FIGURES[name].least_per_fresh_token
        if _times(self.fresh_tokens, least) < self._implied_minimum(name):
            return f"{self.total_tokens:,.0f} tokens"
        return f"{self.fresh_tokens:,.0f} fresh tokens"

    @property
    def one_sided(self) -> str:
        """The only reported side of the tokens, in words; empty if both or neither is reported."""
        return next((ONE_SIDED[flag] for flag in self.flags if flag in ONE_SIDED), "")

    @property
    def faults(self) -> tuple[str, ...]:
        """The implausible values, in words; such a row is refused before scoring."""
        found = [
            f"{name} is {value}"
            for name in NUMBERS
            if (value := getattr(self, name)) is not None and not 0 <= value < math.inf
        ]
        if self.iterations is not None and 0 <= self.iterations < 1:
            found.append(f"iterations is {self.iterations}, must be at least 1")
        if self.correctness is not None and 1 < self.correctness < math.inf:
            found.append(f"correctness is {self.correctness}, must be at most 1")
        if FIGURES_REFUSED in self.flags:
            found.append("its log has a figure that is negative or not finite")
        return tuple(found)

    @property
    def gate(self) -> bool:
        """True if efficiency, speed and cost count, since nothing indicates a failure.

        Neither ``required_passed`` nor ``success`` is False.
        """
        return self.required_passed is not False and self.success is not False

    @property
    def order(self) -> tuple[int, str]:
        """The earliest first, then by id; an unknown moment comes last."""
        return (UNKNOWN_US if self.finished_us is None else self.finished_us, self.submission_id)


NUMBERS: Final = tuple(
    name for name, hint in Metrics.__annotations__.items() if hint == float | None
)
"""The fields that hold a number or None."""

UNKNOWN_US = 2**63 - 1
"""The time of a row whose end is unknown: after all others."""


def _times(tokens: float | None, least: float) -> float:
    """Return the minimum for this number of tokens; 0 if the number is unknown or implausible."""
    return 0.0 if tokens is None or tokens > MOST else tokens * least

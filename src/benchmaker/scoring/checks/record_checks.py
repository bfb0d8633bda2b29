"""Checks of an answer's record: its latency, cost and tokens."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial, Usage
from benchmaker.scoring.thresholds import is_at_most
from benchmaker.spec import Case

_Bound = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@scorer
@dataclass(frozen=True, slots=True)
class Latency:
    """Full marks if the answer took at most ``max`` seconds.

    The latency is that of the reply that counts, without waiting for earlier attempts; in a case
    with tools, the sum over all replies. An answer of unknown latency has no score.

    Example:
        ``scorer: {id: latency, max: 2.5}``

        >>> from benchmaker.record import Completion
        >>> from benchmaker.testing import a_case, a_trial
        >>> trial = a_trial(completion=Completion(text="42", latency_s=3.0))
        >>> Latency(2.5).score(a_case(), trial).score
        0.0
    """

    max: _Bound

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0, or no score if the latency is unknown."""
        return _compare("latency", trial.latency_s, self.max, " s")

    def explain(self, score: Score) -> list[str]:
        """The latency and its limit."""
        return _lines(score)


@scorer
@dataclass(frozen=True, slots=True)
class Cost:
    """Full marks if the answer cost at most ``max`` dollars.

    The cost is that of the reply that counts, else of all its requests; in a case with tools, of
    all replies. An answer of unknown cost has no score.

    Example:
        ``scorer: {id: cost, max: 0.002}``

        >>> from benchmaker.record import Completion
        >>> from benchmaker.testing import a_case, a_trial
        >>> trial = a_trial(completion=Completion(text="42", cost_usd=0.001))
        >>> Cost(0.002).score(a_case(), trial).score
        1.0
    """

    max: _Bound

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0, or no score if the cost is unknown."""
        cost = trial.completion.cost_usd if trial.completion else None
        return _compare("cost", trial.cost_usd if cost is None else cost, self.max, " USD")

    def explain(self, score: Score) -> list[str]:
        """The cost and its limit."""
        return _lines(score)


@scorer
@dataclass(frozen=True, slots=True)
class Tokens:
    """Full marks if the answer used at most ``max`` tokens.

    ``of`` says which: ``output`` (the default, reasoning included), ``input`` (cached ones
    included) or ``total``. The tokens are those of the reply that counts; in a case with tools, of
    all replies. An answer of unknown tokens has no score.

    Example:
        ``scorer: {id: tokens, max: 200, of: output}``

        >>> from benchmaker.record import Completion, Usage
        >>> from benchmaker.testing import a_case, a_trial
        >>> usage = Usage(input_tokens=90, output_tokens=20)
        >>> trial = a_trial(completion=Completion(text="42", usage=usage))
        >>> Tokens(100, of="total").score(a_case(), trial).notes
        'total tokens 110, at most 100'
    """

    max: _Bound
    of: Literal["output", "input", "total"] = "output"

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0, or no score if the tokens are unknown."""
        usage = trial.completion.usage if trial.completion else None
        count = None if usage is None else self._count(usage)
        return _compare(f"{self.of} tokens", count, self.max, "")

    def explain(self, score: Score) -> list[str]:
        """The tokens and their limit."""
        return _lines(score)

    def _count(self, usage: Usage) -> int | None:
        match self.of:
            case "output":
                return usage.output_tokens
            case "input":
                return _input_tokens(usage)
            case "total":
                given = _input_tokens(usage)
                both = (given, usage.output_tokens)
                return None if None in both else sum(filter(None, both))


def _input_tokens(usage: Usage) -> int | None:
    """All input tokens; unreported caching counts as none."""
    if usage.input_tokens is None:
        return None
    cached = (usage.cache_read_tokens, usage.cache_write_5m_tokens, usage.cache_write_1h_tokens)
    return usage.input_tokens + sum(filter(None, cached))


def _compare(name: str, value: float | None, limit: float, unit: str) -> Score:
    if value is None:
        return Score.unscored(f"the {name} {'are' if name.endswith('s') else 'is'} unknown")
    notes = f"{name} {value:.12g}{unit}, at most {limit:.12g}"
    detail = {"value": value, "max": limit}
    return Score.of(float(is_at_most(value, limit)), confidence=1.0, notes=notes, detail=detail)


def _lines(score: Score) -> list[str]:
    return [score.notes if score.score is None else f"{score.notes}: {score.score:g}"]

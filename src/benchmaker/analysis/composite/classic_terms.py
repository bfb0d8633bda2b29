"""The published formulas of the agentic composite: numbers in, number out.

Source: the Agentic Arena's evaluation metrics. Each is literal, oddities included; for the robust
ones see :mod:`benchmaker.analysis.composite.composite`.
"""

from collections.abc import Mapping
from types import MappingProxyType

FULL = 100.0
NO_FIGURE = 50.0
"""The stand-in for a time or cost that is missing or zero."""

SPEED_EXPONENT = 0.7

EXTREME, FEW_TOKENS = 95, 10
"""The bounds of the published validation rules."""

EFFICIENCY_SHARES: Mapping[str, float] = MappingProxyType(
    {"tokens": 0.5, "tool_calls": 0.3, "iterations": 0.2}
)

DIFFICULTY_FACTORS: Mapping[str, float] = MappingProxyType(
    {"beginner": 1.0, "intermediate": 1.1, "advanced": 1.2}
)


def token_score(tokens: float, low: float, high: float) -> float:
    """100 at ``low`` tokens and below, 0 at ``high`` and above, linear between."""
    if tokens <= low:
        return FULL
    if tokens >= high:
        return 0.0
    return min(FULL, (high - tokens) / (high - low) * 100.0)


def falling_score(figure: float, low: float, high: float) -> float:
    """The same of tool calls and of cost."""
    if figure <= low:
        return FULL
    if figure >= high:
        return 0.0
    return (high - figure) / (high - low) * 100.0


def iteration_score(iterations: float, median: float) -> float:
    """100 for one; 15 less for each more up to the median, at least 50; 10 less for each beyond."""
    if iterations == 1:
        return FULL
    if iterations <= median:
        return max(50.0, 100.0 - (iterations - 1) * 15.0)
    return max(0.0, 50.0 - (iterations - median) * 10.0)


def efficiency_score(tokens: float, tool_calls: float, iterations: float) -> float:
    """Three scores in one, by the shares of ``EFFICIENCY_SHARES``."""
    return tokens * 0.5 + tool_calls * 0.3 + iterations * 0.2


def speed_score(seconds: float, low: float, high: float) -> float:
    """100 at ``low`` seconds and below, 0 at ``high`` and above, between them ratio ** 0.7."""
    if seconds <= low:
        return FULL
    if seconds >= high:
        return 0.0
    ratio = (high - seconds) / (high - low)
    score: float = ratio**SPEED_EXPONENT * 100.0
    return min(FULL, score)


def overall_score(parts: tuple[float, float, float, float], weights: Mapping[str, float]) -> float:
    """Efficiency, speed, cost and correctness by their weights, unrounded."""
    efficiency, speed, cost, correctness = parts
    return (
        efficiency * weights["efficiency"]
        + speed * weights["speed"]
        + cost * weights["cost"]
        + correctness * weights["correctness"]
    )


def difficulty_adjusted(score: float, difficulty: str | None) -> float:
    """The score times the factor of its difficulty, 1 for an unknown one, at most 100."""
    return min(FULL, score * DIFFICULTY_FACTORS.get(difficulty or "", 1.0))


FEW_TOKENS_SHARE, FAST_S = 0.1, 5
"""Suspicious by the published outlier rules: a share of the median tokens, and seconds."""

SUSPICIOUS = 2
"""Number of signs that make a published outlier."""


def suspicious_signs(
    tokens: float, seconds: float, tool_calls: float, *, median_tokens: float
) -> list[str]:
    """The published signs of a result too good to be true; a time that is NaN is no sign."""
    signs = {
        "extremely_efficient_tokens": tokens < median_tokens * FEW_TOKENS_SHARE,
        "extremely_fast": seconds < FAST_S,
        "minimal_tool_usage": tool_calls == 1,
    }
    return [name for name, is_seen in signs.items() if is_seen]


def published_warnings(
    total_tokens: float | None, efficiency: float, speed: float
) -> tuple[str, ...]:
    """Return the findings of the published validation rules."""
    found = []
    if efficiency > EXTREME and speed > EXTREME:
        found.append("Suspicious: Both efficiency and speed scores are extremely high")
    if (total_tokens or 0) < FEW_TOKENS:
        found.append("Suspiciously low token count")
    return tuple(found)

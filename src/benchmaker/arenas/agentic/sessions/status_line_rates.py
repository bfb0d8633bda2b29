"""Rates of Claude's models as plain numbers, for the index of a status line."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path

from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.providers.prices.costs import Prices
from benchmaker.providers.prices.rates import RateCard

PROVIDER = "anthropic"
_MILLION = 1_000_000

Step = tuple[int, list[float | None], float]
"""The input tokens above which it holds; dollars per token of each kind; dollars per request."""


def rates_of(
    wanted: Iterable[tuple[str, str]], home: Path
) -> dict[tuple[str, str], list[Step] | None]:
    """Return rates by model and day (``2026-03-01``, empty for today); None without a price."""
    now = datetime.now(UTC)
    pricer = Pricer(Prices(home), now=now.timestamp())
    found: dict[tuple[str, str], list[Step] | None] = {}
    for model, day in wanted:
        when = datetime.combine(date.fromisoformat(day), time(12), UTC) if day else now
        card = pricer.card(model or None, PROVIDER, when.timestamp())
        found[model, day] = None if card is None else list(_steps(card))
    return found


def _steps(card: RateCard) -> Iterator[Step]:
    for start in (-1, *card.step_starts):
        per_million = card.rates_at(max(start + 1, 0))
        per_token = [None if usd is None else usd / _MILLION for usd in per_million]
        yield start, per_token, card.request_usd

"""Remaining rate limits in a reply's header."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from benchmaker.providers.network.retry_after import duration_s


class EndpointKey(NamedTuple):
    """The scope of rate limits: a host, and one of its keys.

    ``key`` is the name of the variable that holds the key, never the key; empty if none is sent.
    """

    endpoint: str
    host: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.endpoint} ({self.key})" if self.key else self.endpoint


@dataclass(frozen=True, slots=True)
class Allowance:
    """One limit: the amount per window, the rest, and the time of reset."""

    limit: float | None = None
    left: float | None = None
    reset_s: float | None = None


@dataclass(frozen=True, slots=True)
class RateHints:
    """The limits on requests and on tokens; None where the reply does not speak of them.

    Of several limits on tokens (input, output, all) it is the one with the smallest share left.
    """

    requests: Allowance | None = None
    tokens: Allowance | None = None


OnHints = Callable[[EndpointKey, RateHints], None]
"""A callback for each reply with rate limits, called before its body is read."""

_REQUESTS = (
    ("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    (
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "x-ratelimit-limit-req-minute",
        "x-ratelimit-remaining-req-minute",
        "x-ratelimit-reset-req-minute",
    ),
    ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"),
)
_TOKENS = (
    ("x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    *(
        tuple(f"anthropic-ratelimit-{kind}-{what}" for what in ("limit", "remaining", "reset"))
        for kind in ("tokens", "input-tokens", "output-tokens")
    ),
    (
        "x-ratelimit-limit-tokens-minute",
        "x-ratelimit-remaining-tokens-minute",
        "x-ratelimit-reset-tokens-minute",
    ),
)


def rate_hints(headers: Mapping[str, str], now: datetime | None = None) -> RateHints | None:
    """Return the hints in a reply's header; None without any.

    >>> rate_hints({"x-ratelimit-remaining-requests": "59"}).requests.left
    59.0
    """
    if "ratelimit-" not in " ".join(headers).lower():
        return None
    requests = _tightest_allowance(_REQUESTS, headers, now)
    tokens = _tightest_allowance(_TOKENS, headers, now)
    return RateHints(requests, tokens) if requests or tokens else None


def _tightest_allowance(
    names: Iterable[tuple[str, ...]], headers: Mapping[str, str], now: datetime | None
) -> Allowance | None:
    found = [
        Allowance(
            _count(headers.get(limit)),
            _count(headers.get(left)),
            duration_s(headers.get(reset), now),
        )
        for limit, left, reset in names
        if left in headers or limit in headers
    ]
    return min(found, key=_share, default=None)


def _share(allowance: Allowance) -> float:
    if allowance.left is None:
        return 1.0
    return allowance.left / allowance.limit if allowance.limit else 0.0


def _count(text: str | None) -> float | None:
    """A count, of which some servers list several; the first one is the narrowest."""
    if text is None:
        return None
    first = text.split(",", 1)[0].split(";", 1)[0].strip()
    return float(first) if first.isascii() and first.isdigit() and len(first) < 19 else None  # noqa: PLR2004  beyond 64 bits it is no count

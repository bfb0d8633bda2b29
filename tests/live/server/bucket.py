"""A rate limit: tokens that come back at a steady pace."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Bucket:
    """Holds at most ``burst`` tokens and gains ``rate`` a second; times are the caller's."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    at_s: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = self.burst

    def take(self, now_s: float) -> float:
        """Take a token; returns 0, or the seconds to wait for one where there is none."""
        self.tokens = min(self.burst, self.tokens + (now_s - self.at_s) * self.rate)
        self.at_s = now_s
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate

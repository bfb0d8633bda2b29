"""A provider with rate limits, for simulations: a token bucket or a window for each key."""

import asyncio
from dataclasses import dataclass, field
from random import Random

from benchmaker.errors import RateLimited
from benchmaker.providers.protocols.rate_hints import EndpointKey
from benchmaker.record import Completion


@dataclass
class Bucket:
    """Tokens that come back steadily."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    at: float = 0.0

    def __post_init__(self):
        self.tokens = self.burst

    def wait(self, now):
        """Nothing to wait for where a token was taken, else the seconds until there is one."""
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens >= 1 - 1e-9:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


@dataclass
class Window:
    """So many in every window, all at once if one likes."""

    number: int
    seconds: float
    begun: float = 0.0
    used: int = 0

    def wait(self, now):
        if now - self.begun >= self.seconds:
            self.begun, self.used = now - (now - self.begun) % self.seconds, 0
        self.used += 1
        return 0.0 if self.used <= self.number else self.begun + self.seconds - now


class LimitedProvider:
    """Answers right, within the limit of each model's key; notes who came too early.

    ``keys`` says which key a model uses; ``limits`` has the limit of each key. Refusals come after
    ``refusal_s`` and tell how long to wait, unless ``is_mute``.
    """

    def __init__(self, keys, limits, *, latency_s=0.05, refusal_s=0.001, is_mute=False, seed=1):
        self.models = tuple(keys)
        self._keys = keys
        self._limits = limits
        self._latency_s = latency_s
        self._refusal_s = refusal_s
        self._is_mute = is_mute
        self._random = Random(seed)  # noqa: S311  seeded on purpose
        self._until = {}
        self.early = []
        self.sent = []
        self.refused = 0
        self.answered_at = {}

    def endpoint_key(self, model):
        return EndpointKey("limited", "host", self._keys[model])

    async def complete(self, request):
        now = asyncio.get_running_loop().time()
        key = self._keys[request.model]
        self.sent.append((now, key))
        if now < self._until.get(key, 0.0) - 1e-9:
            self.early.append((now, key))
        wait_s = self._limits[key].wait(now)
        if wait_s:
            await self._refuse(key, wait_s)
        await asyncio.sleep(self._latency_s * self._random.uniform(0.5, 1.5))
        self.answered_at.setdefault(key, []).append(asyncio.get_running_loop().time())
        return Completion(text=request.case_id.removeprefix("c"))

    async def _refuse(self, key, wait_s):
        self.refused += 1
        await asyncio.sleep(self._refusal_s)
        if self._is_mute:
            raise RateLimited("slow down", status=429)
        now = asyncio.get_running_loop().time()
        self._until[key] = max(self._until.get(key, 0.0), now + wait_s)
        raise RateLimited("slow down", status=429, retry_after_s=wait_s)

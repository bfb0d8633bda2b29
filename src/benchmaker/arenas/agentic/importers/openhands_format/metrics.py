"""OpenHands' metrics of its requests: tokens, seconds and dollars, by response id."""

from collections.abc import Sequence

import msgspec

from benchmaker.arenas.agentic.logs.inclusive import disjoint_usage
from benchmaker.arenas.agentic.logs.lenient_json import Amount, Count
from benchmaker.record.submissions.submission import TokenUsage


class Tokens(msgspec.Struct):
    """The tokens of one request, or their sum over all."""

    model: str | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    response_id: str | None = None

    @property
    def usage(self) -> TokenUsage:
        """The tokens by kind; prompt tokens include cached ones."""
        return disjoint_usage(
            self.prompt_tokens,
            self.completion_tokens,
            cache_read=self.cache_read_tokens,
            cache_write=self.cache_write_tokens,
            reasoning=self.reasoning_tokens,
        )


class Latency(msgspec.Struct):
    """The seconds until a response."""

    latency: Amount | None = None
    response_id: str | None = None


class Cost(msgspec.Struct):
    """The dollars of one request."""

    cost: Amount | None = None


class Metrics(msgspec.Struct):
    """The metrics of one model."""

    model_name: str | None = None
    accumulated_cost: Amount | None = None
    accumulated_token_usage: Tokens | None = None
    token_usages: list[Tokens] | None = None
    response_latencies: list[Latency] | None = None
    costs: list[Cost | Amount] | None = None

    @property
    def latency_by_response(self) -> dict[str | int, float | None]:
        """Seconds by response id, paired by position if the ids are missing."""
        usages: Sequence[Tokens] = self.token_usages or ()
        latencies: Sequence[Latency] = self.response_latencies or ()
        if any(it.response_id for it in latencies) and any(it.response_id for it in usages):
            return {it.response_id: it.latency for it in latencies if it.response_id}
        ids = [it.response_id or at for at, it in enumerate(usages)]
        return {name: it.latency for name, it in zip(ids, latencies, strict=False)}

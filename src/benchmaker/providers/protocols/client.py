"""One model at one endpoint: sends requests, reads answers, reports errors."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from benchmaker.errors import ProviderError
from benchmaker.providers.base import Request
from benchmaker.providers.endpoints.keys import Key, mask
from benchmaker.providers.live_text import publish_text
from benchmaker.providers.network.transport import HttpLimits, Transport
from benchmaker.providers.protocols.classify import failure
from benchmaker.providers.protocols.dialect import Dialect
from benchmaker.providers.protocols.incoming import ReplyReader
from benchmaker.providers.protocols.partial_answer import NO_DONE, read_live_usage
from benchmaker.providers.protocols.rate_hints import EndpointKey, OnHints, rate_hints
from benchmaker.providers.protocols.tool_calls import ReplyCalls
from benchmaker.providers.protocols.wire_json import PerParameters
from benchmaker.record import Completion
from benchmaker.record.trial import CHANGED, UNSENT
from benchmaker.spec import Parameters

_REMEMBERED = 4_096
"""Ids that are kept in mind; what comes twice comes soon, from a cache or a proxy in between."""

_TELLING = 15
"""Characters; a shorter id is drawn from so few that it comes again by chance."""


class ReplyIds:
    """Notices a reply whose id came before.

    >>> ids = ReplyIds()
    >>> [ids.came_before(name) for name in ("chatcmpl-5f3a9c01", "chatcmpl-5f3a9c01", None)]
    [False, True, False]
    """

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}

    def came_before(self, reply_id: str | None) -> bool:
        """True if the reply id was seen before; it is recorded as seen."""
        if reply_id is None or len(reply_id) < _TELLING:
            return False
        if reply_id in self._seen:
            return True
        if len(self._seen) >= _REMEMBERED:
            del self._seen[next(iter(self._seen))]
        self._seen[reply_id] = None
        return False


KEY_REDACTED = "key_redacted"
RECONNECTED = "reconnected"
SAME_ID = "same_id"
"""The flag of a reply with the id of another reply of this model; they may be the same reply."""

_OK = 200


class Client:
    """Queries one model at one endpoint.

    Args:
        model: the model's name there.
        url: the full URL of requests.
        host: the host's name, for messages.
        key: its key, None if none is sent.
        dialect: its protocol.
        transport: the transport.
        limits: limits of time and size.
        limits_key: the key of its rate limits.
        on_hints: callback for rate limits.
    """

    def __init__(
        self,
        model: str,
        url: str,
        *,
        host: str,
        key: Key | None,
        dialect: Dialect,
        transport: Transport,
        limits: HttpLimits,
        limits_key: EndpointKey,
        on_hints: OnHints | None = None,
    ) -> None:
        self.model, self.url, self.host, self.key = model, url, host, key
        self.limits_key = limits_key
        self.on_hints = on_hints
        self.dialect = dialect
        self._transport, self._limits = transport, limits
        secret = key.reveal() if key else None
        head = {
            "Content-Type": "application/json",
            "User-Agent": "benchmaker",
            **dialect.headers(secret),
        }
        self._whole_head = {**head, "Accept": "application/json", "Accept-Encoding": "gzip"}
        self._stream_head = {**head, "Accept": "text/event-stream", "Accept-Encoding": "identity"}
        self._ids = ReplyIds()
        self._secrets = (secret,) if secret else ()
        self._parameter_flags = PerParameters(partial(_parameter_flags, dialect))

    def __repr__(self) -> str:
        return f"Client({self.model!r}, {self.url!r}, key={self.key!r})"

    async def complete(self, request: Request, *, stream: bool) -> Completion:
        """Return the model's answer, without its cost.

        Raises:
            ProviderError: the request failed, with the kind of failure. ``partial_text`` holds the
                text received.
        """
        incoming = ReplyReader(
            self.dialect, self._limits, host=self.host, tools=bool(request.tools)
        )
        try:
            with publish_text(request, incoming):
                await self._exchange(request, incoming, stream=stream)
        except ProviderError as exc:
            incoming.settle(exc)
        return self._completion(request, incoming)

    async def _exchange(self, request: Request, incoming: ReplyReader, *, stream: bool) -> None:
        opening = self._transport.request(
            self.url,
            headers=self._head(request, stream=stream),
            body=self.dialect.body(request, stream=stream),
            first_byte_s=None if stream else self._limits.total_s,
        )
        async with opening as reply:
            if self.on_hints is not None:
                self._tell_hints(reply.headers, self.on_hints)
            if reply.status != _OK:
                start = await reply.read_start()
                raise failure(reply.status, start, reply.headers, host=self.host)
            await incoming.receive(reply)

    def _head(self, request: Request, *, stream: bool) -> dict[str, str]:
        """The head of a request, with the headers of its parameters."""
        head = self._stream_head if stream else self._whole_head
        added = request.parameters.extra_headers
        if not added:
            return head
        names = {name.lower() for name in added}
        return {name: it for name, it in head.items() if name.lower() not in names} | added

    def _tell_hints(self, headers: Mapping[str, str], on_hints: OnHints) -> None:
        hints = rate_hints(headers)
        if hints is not None:
            on_hints(self.limits_key, hints)

    def _completion(self, request: Request, incoming: ReplyReader) -> Completion:
        draft = incoming.draft
        text = draft.text
        masked = mask(text, self._secrets)
        usage = read_live_usage(draft.usage, has_text=bool(text) and not request.texts)
        flags = draft.flags(requested=self.model)
        flags += self._parameter_flags(request.parameters)
        if not incoming.has_end:
            flags.append(NO_DONE)
        if usage is not None:
            flags += usage.flags
        if self._ids.came_before(draft.reply_id):
            flags.append(SAME_ID)
        if incoming.is_reconnected:
            flags.append(RECONNECTED)
        if masked != text:
            flags.append(KEY_REDACTED)
        return Completion(
            text=masked,
            finish=draft.reason(),
            usage=usage,
            latency_s=incoming.last_s,
            first_byte_s=incoming.first_byte_s,
            model=mask(draft.model, self._secrets) if draft.model else None,
            flags=tuple(flags),
            logprobs=tuple(draft.logprobs),
            **(self._calls(draft.calls) if draft.calls else {}),
        )

    def _calls(self, calls: ReplyCalls) -> dict[str, Any]:
        """The tool calls of an answer, without the key, and what goes back with them."""
        return {
            "tool_calls": tuple(
                replace(one, arguments=self._mask_inside(one.arguments))
                for one in calls.tool_calls()
            ),
            "continuation": self._mask_inside(calls.continuation()),
        }

    def _mask_inside(self, value: Any) -> Any:  # noqa: ANN401  any JSON
        match value:
            case str():
                return mask(value, self._secrets)
            case dict():
                return {name: self._mask_inside(inner) for name, inner in value.items()}
            case list():
                return [self._mask_inside(inner) for inner in value]
            case _:
                return value


def _parameter_flags(dialect: Dialect, parameters: Parameters) -> list[str]:
    """The flags of parameters that are not sent, or with another value."""
    unsent = [f"{UNSENT}{name}" for name in dialect.unsent_parameters(parameters)]
    changed = dialect.changed_parameters(parameters)
    return unsent + [f"{CHANGED}{name}_{value}" for name, value in changed.items()]

"""A reply while it is received, in any form, and its remains after an interruption."""

from benchmaker.errors import BadResponse, ProviderError
from benchmaker.providers.network.transport import HttpLimits, Reply
from benchmaker.providers.protocols.classify import excerpt, fault_in, reported_failure
from benchmaker.providers.protocols.dialect import Dialect, StreamReader
from benchmaker.providers.protocols.partial_answer import PartialAnswer
from benchmaker.providers.protocols.sse import SseParser

_MARK = b"\xef\xbb\xbf"


class ReplyReader:
    """Reads one reply.

    ``first_byte_s`` is the time of the first piece of a streamed answer, or of the first byte of
    another; ``last_s`` that of the latest piece. ``has_end`` is true after the protocol's end
    marker. ``is_reconnected`` is that of the reply. With ``tools``, tool calls are collected.
    """

    __slots__ = (
        "_dialect",
        "_host",
        "_limits",
        "_tools",
        "draft",
        "first_byte_s",
        "has_end",
        "is_reconnected",
        "last_s",
    )  # fmt: skip

    def __init__(
        self, dialect: Dialect, limits: HttpLimits, *, host: str, tools: bool = False
    ) -> None:
        self._tools = tools
        self._dialect, self._limits, self._host = dialect, limits, host
        self.draft = PartialAnswer()
        self.first_byte_s: float | None = None
        self.last_s = 0.0
        self.has_end = False
        self.is_reconnected = False

    @property
    def text(self) -> str:
        """The text received so far."""
        return self.draft.text

    async def receive(self, reply: Reply) -> None:
        """Read the reply to the answer's end: JSON may be sent instead of a requested stream.

        Raises:
            ProviderError: it is not an answer, or reports a failure.
        """
        self.is_reconnected = reply.is_reconnected
        first = await reply.chunk()
        self.last_s = reply.elapsed_s()
        if _is_stream(reply.headers.get("content-type", ""), first):
            reading = self._dialect.stream_reader(tools=self._tools)
            self.draft = reading.draft
            await self._take_all(reading, first, reply)
        else:
            self.first_byte_s = self.last_s
            self.draft = self._read_whole(first + await reply.read())
            self.last_s = reply.elapsed_s()
            self.has_end = True

    def settle(self, error: ProviderError) -> None:
        """Raise the error with the partial text, unless the answer is complete.

        A streamed answer is complete if its finish reason is known; then only the usage may be
        missing.
        """
        if self.draft.finish is None or error.status is not None:
            error.partial_text = self.draft.text
            raise error

    async def _take_all(self, reading: StreamReader, chunk: bytes, reply: Reply) -> None:
        parser = SseParser(line_bytes=self._limits.line_bytes)
        while chunk:
            reading.take_all(parser.feed(chunk))
            if self.first_byte_s is None and reading.draft.has_begun:
                self.first_byte_s = self.last_s
            if reading.is_done:
                break
            chunk = await reply.chunk()
            self.last_s = reply.elapsed_s()
        else:
            reading.take_all(parser.finish())
        self.has_end = reading.is_done
        if reading.draft.finish is None:
            raise BadResponse(f"unexpected end of the stream of {self._host}.")
        if self.has_end:
            await reply.drain()

    def _read_whole(self, data: bytes) -> PartialAnswer:
        data = data.removeprefix(_MARK)
        if not data.strip():
            raise BadResponse(f"{self._host} sent an empty reply.")
        try:
            return self._dialect.read_whole(data, tools=self._tools)
        except BadResponse as exc:
            if exc.status is None and (fault := fault_in(data)) is not None:
                raise reported_failure(fault, host=self._host, otherwise=BadResponse) from exc
            text = excerpt(data[:4000].decode("utf-8", "replace"))
            exc.message = f"{exc.message} {self._host} sent: {text}"
            raise


def _is_stream(content_type: str, first: bytes) -> bool:
    """True for a stream of events, judged by the start of the body, or else by the header."""
    start = first.removeprefix(_MARK).lstrip()
    if start.startswith((b"{", b"[", b"<")):
        return False
    if content_type.startswith("text/event-stream"):
        return True
    return start.startswith((b"data:", b"event:", b": ")) or (
        not content_type and start.startswith((b"d", b"e", b":"))
    )

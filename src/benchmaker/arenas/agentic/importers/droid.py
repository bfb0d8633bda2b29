"""Droid: the sums of a session in its settings file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, Session
from benchmaker.arenas.agentic.logs.lenient_json import Count, Loose, loose_document
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage

_KEYS = {"tokenUsage", "tokenUsage.inputTokens", "tokenUsage.cacheReadTokens"}
_NAME = ".settings.json"


class _Usage(msgspec.Struct, rename="camel"):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_tokens: Count | None = None
    cache_read_tokens: Count | None = None
    thinking_tokens: Count | None = None


class _Settings(msgspec.Struct, rename="camel"):
    model: str | None = None
    provider_lock: str | None = None
    provider_lock_timestamp: Any = None  # a text, or a number in some
    reasoning_effort: str | None = None
    token_usage: _Usage | None = None


_SETTINGS = Loose(_Settings)


@importer(id="droid", version="2")
class Droid:
    """Sessions of Factory's Droid: only tokens and the model.

    Based on ccusage's open-source reader (June 2026), which adds thinking tokens to the output. The
    log next to the settings is not read.
    """

    id: ClassVar[str] = "droid"
    version: ClassVar[str] = "2"
    title: ClassVar[str] = "Droid"

    def sniff(self, head: FileHead) -> float:
        """By the sums in a session's settings."""
        return 0.9 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The one session of the file."""
        name = root.name.removesuffix(_NAME)
        yield SessionRef(importer=self.id, id=name, files=(root,))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Yield the sums, as one event that represents all requests."""
        path = ref.files[0]
        settings = loose_document(path, options, _SETTINGS) or _Settings()
        used = settings.token_usage or _Usage()
        at = seconds(settings.provider_lock_timestamp)
        model = settings.model or options.model
        yield Session(
            at=at,
            session_id=ref.id,
            harness="droid",
            provider=settings.provider_lock,
            model=model,
            effort=settings.reasoning_effort,
        )
        made = used.output_tokens
        yield LlmCall(
            at=at,
            id=f"droid:{ref.id}",
            model=model,
            usage=TokenUsage(
                input_uncached=used.input_tokens,
                cache_read=used.cache_read_tokens,
                cache_write_5m=used.cache_creation_tokens,
                output=None if made is None else made + (used.thinking_tokens or 0),
                reasoning=used.thinking_tokens,
            ),
            requests=None,
        )

"""Inputs and outputs of tools as text: content of any shape, truncated if too long."""

import msgspec

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import Loose
from benchmaker.arenas.agentic.logs.options import Options


class _Part(msgspec.Struct):
    text: str | None = None


_PARTS = Loose[str | list[_Part | str] | None](str | list[_Part | str] | None)  # type: ignore[arg-type]  # a union of types is no type to mypy


def raw_text(raw: msgspec.Raw | bytes, options: Options) -> str | None:
    """Return the raw JSON of the log; None without content."""
    if options.drop_content or not raw:
        return None
    return options.text(bytes(raw).decode("utf-8", "replace"))


def result_text(raw: msgspec.Raw, options: Options) -> str | None:
    """The text of a result: a text, or a list of parts that have one; of other shapes the JSON."""
    if options.drop_content or not raw:
        return None
    try:
        content, _ = _PARTS.decode(raw)
    except DecodingError:
        return raw_text(raw, options)
    if content is None or isinstance(content, str):
        return options.text(content)
    texts = [part if isinstance(part, str) else part.text or "" for part in content]
    return options.text("\n".join(texts))

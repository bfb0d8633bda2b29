"""What another tool recorded of a trial, besides the answer."""

from typing import Any

import msgspec


class ImportedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The tool's own scores of one trial, and the fields that were kept verbatim.

    ``key`` identifies the row: a digest of the tool's own id, or of the content of a row without
    one. ``scores`` are in the unit of the tool, under names such as ``inspect/match``; None where
    the tool gave none. ``rest`` holds the other fields as they stand in the file.
    """

    key: int
    scores: dict[str, float | None] = {}
    rest: dict[str, Any] = {}

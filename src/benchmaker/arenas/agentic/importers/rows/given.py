"""Submissions as we write them, read back from a file."""

import re
from typing import Any

import msgspec

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.record.submissions.submission import SCHEMA, EvidenceLevel, Provenance, Submission
from benchmaker.structs import resolve_type

_OUR_ID = re.compile(r"[a-z0-9_]{1,40}-[0-9a-f]{20}")
_MOST = 10**12


def submission_of(row: dict[str, Any]) -> Submission:
    """Return the submission in the row; Refused for an invalid one.

    Its figures are always self-reported: a file cannot prove its evidence. Unknown fields are kept
    in ``extra``. Kinds of tokens that add up to more than the total are invalid.
    """
    known = {name: it for name, it in row.items() if name in Submission.__struct_fields__}
    try:
        read = msgspec.convert(known, resolve_type(Submission))
    except msgspec.ValidationError as exc:
        raise DecodingError(f"no {SCHEMA}: {exc}") from exc
    _refuse_impossible(msgspec.to_builtins(read), "")
    total, added = read.total_tokens, read.usage.total
    if total and added is not None and added > total:
        raise DecodingError(f"total_tokens: {total} is less than the sum of usage, {added}")
    if not _OUR_ID.fullmatch(read.id):
        raise DecodingError(f"no {SCHEMA}: its id {read.id[:40]!r} is none of ours")
    unknown = {name: it for name, it in row.items() if name not in known}
    return msgspec.structs.replace(
        read,
        provenance=dict.fromkeys(read.provenance, Provenance.SELF_REPORTED),
        evidence_level=EvidenceLevel.SELF_REPORTED,
        extra={**read.extra, **unknown},
    )


def _refuse_impossible(value: Any, name: str) -> None:  # noqa: ANN401  any JSON
    """Refused where a figure is negative or absurd, but for those of a price."""
    if isinstance(value, dict):
        for inner, it in value.items():
            if inner != "extra":
                _refuse_impossible(it, f"{name}.{inner}".lstrip("."))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= _MOST:
            raise DecodingError(f"{name}: {value!r} can't be true")
    elif isinstance(value, list | tuple):
        for it in value:
            _refuse_impossible(it, name)

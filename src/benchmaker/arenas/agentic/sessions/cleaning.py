"""The only place where stored content of a log is cleaned of secrets, before anything is stored.

Every event and every submission passes through a :class:`Cleaner` after its importer has dropped
unneeded content, and before the reducer, the store or any output.
"""

import re
from collections import Counter
from hashlib import blake2b
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from benchmaker.arenas.agentic.logs.events import Event, Session, SessionEnd, Totals
from benchmaker.arenas.agentic.secrets.scan import clean_text
from benchmaker.record.submissions.submission import (
    Behaviour,
    EvidenceLevel,
    Provenance,
    Scope,
    Status,
    Submission,
    TimeSpent,
    TokenUsage,
)

LISTED = 10_000
"""Maximum number of a session's findings listed; all are counted."""

_IDS: Final = frozenset({"id", "call_id", "session_id", "parent_id", "agent"})
_OURS: Final = frozenset({"digest", "source_sha256"})
# Ids as providers and tools make them: no kind of secret looks like this.
_USUAL_ID: Final = re.compile(
    r"(?:msg|toolu|call|req|resp|rs|fc)_[A-Za-z0-9]{8,64}|[0-9a-f-]{1,64}"
)
_DEEPEST = 200
_SHORT: Final = 200
_REMEMBERED: Final = 20_000
_SHORT_EVENTS: Final = (Session, Totals, SessionEnd)
_encode: Final = msgspec.json.Encoder().encode
_S = TypeVar("_S", bound=msgspec.Struct)


class SecretFinding(NamedTuple):
    """A removed secret: its kind and its location, never its value."""

    kind: str
    file: int
    line: int


_TEXT: Final = re.compile(rb'"([^"]*)"')
_harmless: set[bytes] = set()


def has_no_secret(struct: msgspec.Struct) -> bool:
    """True if no text inside contains a secret; False also if a closer look is needed.

    The texts are those of its unescaped JSON. Most were seen before.
    """
    try:
        data = _encode(struct)
    except UnicodeEncodeError:
        return False
    if b"\\" in data or data.count(b"{") + data.count(b"[") > _DEEPEST:
        return False
    unknown = set(_TEXT.findall(data)) - _harmless
    if any(clean_text(text.decode()).kinds for text in unknown):
        return False
    if len(_harmless) > _REMEMBERED:
        _harmless.clear()
    _harmless.update(text for text in unknown if len(text) <= _SHORT)
    return True


class Cleaner(Protocol):
    """Cleans one session; made again for each."""

    @property
    def findings(self) -> tuple[SecretFinding, ...]:
        """The secrets removed so far."""
        ...

    def event(self, event: Event) -> Event:
        """The event without secrets; the same object where it has none."""
        ...

    def submission(self, submission: Submission) -> Submission:
        """Return the submission without secrets; ``redactions`` counts them by kind."""
        ...


class SecretCleaner:
    """Removes secrets from every text, including names, paths, ids and keys of mappings.

    An id with a secret stays unique: its placeholder is followed by a digest, so that separate
    events are not merged.
    """

    __slots__ = ("_counts", "_file", "_findings", "_line")

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._findings: list[SecretFinding] = []
        self._file = self._line = 0

    @property
    def findings(self) -> tuple[SecretFinding, ...]:
        """The listed part of the secrets removed so far."""
        return tuple(self._findings)

    def event(self, event: Event) -> Event:
        """The event without secrets; the same object where it has none."""
        self._file, self._line = event.file, event.line
        if isinstance(event, _SHORT_EVENTS) and has_no_secret(event):
            return event
        return self._struct(event, 0)

    def submission(self, submission: Submission) -> Submission:
        """Return the submission without secrets; ``redactions`` counts them by kind."""
        self._file = self._line = 0
        clean = submission if has_no_secret(submission) else self._struct(submission, 0)
        if not self._counts:
            return clean
        redactions = Counter(clean.redactions) + self._counts
        return msgspec.structs.replace(clean, redactions=dict(sorted(redactions.items())))

    def _struct(self, struct: _S, depth: int) -> _S:
        changed: dict[str, Any] = {}
        for name in struct.__struct_fields__:
            value = getattr(struct, name)
            if value.__class__ in _PLAIN or not value or name in _OURS:
                continue
            clean = self._id(value) if name in _IDS else self._value(value, depth)
            if clean is not value:
                changed[name] = clean
        return msgspec.structs.replace(struct, **changed) if changed else struct

    def _value(self, value: Any, depth: int) -> Any:  # noqa: ANN401  plain data of any shape
        """The value without secrets; the same object where it has none."""
        if depth > _DEEPEST:
            return "[too deep]"
        match value:
            case str():
                return self._text(value) if value.__class__ is str else value
            case msgspec.Struct():
                return self._struct(value, depth + 1)
            case dict():
                return self._clean_mapping(value, depth + 1)
            case list() | tuple():
                return self._sequence(value, depth + 1)
            case _:
                return value

    def _clean_mapping(self, mapping: dict[Any, Any], depth: int) -> dict[Any, Any]:
        clean: dict[Any, Any] = {}
        for key, value in mapping.items():
            name, item = self._value(key, depth), self._value(value, depth)
            if name in clean:
                item = _combine(clean[name], item)
            clean[name] = item
        is_same = all(
            a is b and mapping[a] is clean[b] for a, b in zip(mapping, clean, strict=False)
        )
        return mapping if is_same and len(clean) == len(mapping) else clean

    def _sequence(self, values: Any, depth: int) -> Any:  # noqa: ANN401  a list or a tuple
        clean = [self._value(it, depth) for it in values]
        if all(a is b for a, b in zip(values, clean, strict=True)):
            return values
        return clean if isinstance(values, list) else tuple(clean)

    def _text(self, text: str) -> str:
        clean = clean_text(text)
        if not clean.kinds:
            return text
        for kind in clean.kinds:
            self._counts[kind] += 1
            if len(self._findings) < LISTED:
                self._findings.append(SecretFinding(kind, self._file, self._line))
        return clean.text

    def _id(self, value: Any) -> Any:  # noqa: ANN401  a text where the log is in order
        if value.__class__ is str and _USUAL_ID.fullmatch(value):
            return value
        clean = self._value(value, 0)
        if clean is value or not isinstance(value, str):
            return clean
        digest = blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()
        return f"{clean}#{digest}"


_NUMBERS: Final = frozenset({int, float, bool, type(None), TokenUsage, TimeSpent, Behaviour})
_OUR_WORDS: Final = frozenset({EvidenceLevel, Provenance, Scope, Status})
_PLAIN: Final = _NUMBERS | _OUR_WORDS
"""Types of values without text that could hold a secret."""


def _combine(one: Any, other: Any) -> Any:  # noqa: ANN401  values of two keys that became one
    """Counts are added up; of anything else the first stays."""
    is_counted = one.__class__ is int and other.__class__ is int
    return one + other if is_counted else one


def cleaner() -> Cleaner:
    """The cleaner for one session."""
    return SecretCleaner()

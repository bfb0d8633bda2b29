"""The differences between two versions of a suite."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.yaml_text import block_of
from benchmaker.store import Store
from benchmaker.web.results.word_diff import Piece, word_diff
from benchmaker.web.suites.export import plain_case

SHOWN = 100
"""Maximum number of changed cases shown in full."""

_encode = msgspec.json.Encoder(order="sorted").encode


class FieldChange(NamedTuple):
    """A field of a suite or a case: before, after, and both word by word where that is possible."""

    name: str
    before: str
    after: str
    pieces: tuple[Piece, ...] | None


class ChangedCase(NamedTuple):
    """A case of both versions that is not the same, with its place in the newer one, from 0."""

    id: str
    position: int
    fields: tuple[FieldChange, ...]


@dataclass(slots=True)
class SuiteChanges:
    """The differences; ``more`` counts changed cases that are not listed in ``changed``."""

    header: tuple[FieldChange, ...] = ()
    added: list[tuple[int, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    changed: list[ChangedCase] = field(default_factory=list)
    more: int = 0
    same: int = 0
    moved: int = 0

    @property
    def number_changed(self) -> int:
        """The number of cases that differ between both versions."""
        return len(self.changed) + self.more


class _Known(NamedTuple):
    position: int
    digest: bytes


def changes(store: Store, old: Suite, new: Suite) -> SuiteChanges:
    """Return the changes from the old version to the new one; cases are matched by id."""
    before = {case.id: _Known(place, _digest(case)) for place, case in enumerate(old.cases)}
    made = SuiteChanges(header=tuple(_fields(_header(old), _header(new))))
    left = dict(before)
    for place, case in enumerate(new.cases):
        known = left.pop(case.id, None)
        if known is None:
            made.added.append((place, case.id))
        elif known.digest == _digest(case):
            made.same += 1
            made.moved += known.position != place
        elif len(made.changed) >= SHOWN:
            made.more += 1
        else:
            was = plain_case(store.case(old.content_hash, known.position))
            fields = tuple(_fields(was, plain_case(case)))
            made.changed.append(ChangedCase(case.id, place, fields))
    made.removed = list(left)
    return made


def _digest(case: Case) -> bytes:
    return hashlib.blake2b(_encode(case.model_dump()), digest_size=16).digest()


def _header(suite: Suite) -> dict[str, Any]:
    header = suite.header()
    for name in ("parameters", "policies"):
        header |= {f"{name}: {key}": value for key, value in header.pop(name).items()}
    return header


def _fields(before: dict[str, Any], after: dict[str, Any]) -> Iterator[FieldChange]:
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name), after.get(name)
        if old != new:
            shown, beside = _text(old), _text(new)
            yield FieldChange(name.replace("_", " "), shown, beside, word_diff(shown, beside))


def _text(value: Any) -> str:  # noqa: ANN401  plain data
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, (int, float)) else block_of(value).rstrip("\n")

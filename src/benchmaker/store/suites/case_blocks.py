"""Cases of a suite together, as the store keeps them and as its hash reads them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, Final, Self

import msgspec

from benchmaker.spec import Suite
from benchmaker.spec.suites.suite import encode_cases
from benchmaker.store.database.escaping import escape
from benchmaker.store.database.json_values import encode, encode_all

PAGE: Final = 500
"""Number of cases written or read at once."""


class CaseBlock(msgspec.Struct, frozen=True, array_like=True):
    """Cases that follow each other: their stored ids and bodies, and their part of the hash."""

    ids: Sequence[str]
    bodies: Sequence[str]
    content: bytes

    @classmethod
    def of(cls, cases: Sequence[dict[str, Any]]) -> Self:
        """Return cases that were read from JSON, as ``Case.model_dump`` returns them."""
        ids = [escape(case["id"]) for case in cases]
        return cls(ids, encode_all(cases), encode_cases(cases))

    def columns(self, suite_seq: int, position: int) -> dict[str, Iterable[Any]]:
        """Return the columns of their table; ``position`` is that of the first."""
        return {
            "suite_seq": repeat(suite_seq),
            "position": range(position, position + len(self.ids)),
            "case_id": self.ids,
            "body": self.bodies,
        }


def case_blocks(suite: Suite, cases: Iterable[dict[str, Any]]) -> Iterator[CaseBlock]:
    """Yield the cases of a suite, given as plain data, in blocks.

    Plain data are not kept, since hundreds fill the processor's cache.

    Raises:
        SpecError: a case holds values that no file can.
    """
    following = iter(cases)
    while rows := [_stored_case(suite, plain) for plain in islice(following, PAGE)]:
        ids, bodies, parts = zip(*rows, strict=True)
        yield CaseBlock(ids, bodies, b"".join(parts))


def _stored_case(suite: Suite, plain: dict[str, Any]) -> tuple[str, str, bytes]:
    part = suite.encode_part(plain, f"case {plain['id']!r}")
    return escape(plain["id"]), encode(plain), b"\n" + part

"""Answers in a temporary file, found by a compact index in memory."""

import json
import os
import tempfile
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import msgspec

from benchmaker.errors import PrerequisiteError
from benchmaker.providers.recordings.answer_lines import RecordedAnswer
from benchmaker.providers.recordings.failures import RecordedFailure
from benchmaker.record import Completion

_MASK = 2**64 - 1
_BLOCK = 2**14
_BLOCKS_KEPT = 256


class _StoredAnswer(msgspec.Struct, array_like=True, gc=False):
    """One answer on disk."""

    model: str
    case_id: str
    run: str | None
    completion: Completion
    failure: RecordedFailure | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_StoredAnswer).decode


class RecordedAnswerIndex:
    """Stores answers in an unnamed file, with 32 bytes of memory each.

    Add all answers, then :meth:`sort`, then :meth:`find`. A key is (model, case id, run label); a
    64-bit hash of it locates the answer, whose key is compared in full. Recent blocks of the file
    are cached, up to 4 MB: neighbours are requested together, and each system call releases the
    GIL, which delays the next answer.
    """

    def __init__(self, *, hashed: Callable[[Any], int] = hash) -> None:
        self._hashed = hashed
        self._file = tempfile.TemporaryFile(buffering=2**20)  # noqa: SIM115  closed by close()
        self._close = weakref.finalize(self, self._file.close)
        self._block = lru_cache(_BLOCKS_KEPT)(partial(_read_block, self._file.fileno()))
        self._end = 0
        self._keys = array("Q")
        self._cases = array("Q")
        self._offsets = array("Q")
        self._lengths = array("I")
        self._lines = array("I")

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, answer: RecordedAnswer, line: int) -> None:
        """Write an answer down; ``line`` is its line in the file it came from."""
        data = _encode_answer(answer)
        with self._translate_disk_full():
            self._file.write(data)
        self._keys.append(self._hash(answer[:3]))
        self._cases.append(self._hash(answer.case_id))
        self._offsets.append(self._end)
        self._lengths.append(len(data))
        self._lines.append(line)
        self._end += len(data)

    def sort(self) -> None:
        """Make the answers searchable; nothing is added afterwards."""
        with self._translate_disk_full():
            self._file.flush()
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        for name in ("_keys", "_cases", "_offsets", "_lengths", "_lines"):
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, map(column.__getitem__, order)))

    @contextmanager
    def _translate_disk_full(self) -> Iterator[None]:
        """A full disk in the words of the person who must make room."""
        try:
            yield
        except OSError as exc:
            raise PrerequisiteError(
                f"the answers can't be copied to {tempfile.gettempdir()}: {exc.strerror}.",
                hint="Free space there, or set TMPDIR to another folder.",
            ) from exc

    def duplicates(self) -> Iterator[tuple[RecordedAnswer, int, int]]:
        """Each answer whose key an earlier one has, with both lines."""
        for at, (key, following) in enumerate(pairwise(self._keys)):
            if key != following:
                continue
            first, again = self._read(at), self._read(at + 1)
            if first[:3] == again[:3]:
                yield again, self._lines[at], self._lines[at + 1]

    def find(self, model: str, case_id: str, run: str | None) -> Completion | None:
        """The answer under a key, or None.

        Raises:
            ProviderError: a failed request was recorded in the place of the answer.
        """
        answer = self._find(model, case_id, run)
        if answer is not None and answer.failure is not None:
            raise answer.failure.error(answer.completion)
        return answer.completion if answer else None

    def get(self, model: str, case_id: str, run: str | None) -> RecordedAnswer | None:
        """Return the answer or failure added under a key; None if there is none."""
        stored = self._find(model, case_id, run)
        return None if stored is None else _answer_of(stored)

    def _find(self, model: str, case_id: str, run: str | None) -> _StoredAnswer | None:
        wanted = (model, case_id, run)
        key = self._hash(wanted)
        at = bisect_left(self._keys, key)
        while at < len(self._keys) and self._keys[at] == key:
            stored = self._read_stored(at)
            if (stored.model, stored.case_id, stored.run) == wanted:
                return stored
            at += 1
        return None

    def has_any(self, case_ids: Iterable[str]) -> bool:
        """True if there is an answer to one of these cases; reads ids up to the first such case."""
        known = set(self._cases)
        return any(self._hash(case_id) in known for case_id in case_ids)

    def count_outside(self, case_ids: Iterable[str]) -> int:
        """Return the number of answers to none of these cases."""
        known = set(map(self._hash, case_ids))
        return sum(1 for key in self._cases if key not in known)

    def ids_outside(self, case_ids: Iterable[str], *, most: int) -> tuple[str, ...]:
        """Return the ids of cases with answers that are none of these, in order of the file."""
        known, found = set(map(self._hash, case_ids)), dict[str, None]()
        outside = (at for at, key in enumerate(self._cases) if key not in known)
        for at in sorted(outside, key=self._lines.__getitem__):
            found[self._read(at).case_id] = None
            if len(found) == most:
                break
        return tuple(found)

    def close(self) -> None:
        """Let go of the file."""
        self._close()

    def _hash(self, key: Any) -> int:  # noqa: ANN401  anything hashable
        return self._hashed(key) & _MASK

    def _read(self, at: int) -> RecordedAnswer:
        return _answer_of(self._read_stored(at))

    def _read_stored(self, at: int) -> _StoredAnswer:
        return _decode_any(self._bytes(self._offsets[at], self._lengths[at]))

    def _bytes(self, start: int, length: int) -> bytes:
        number, at = divmod(start, _BLOCK)
        if length > _BLOCK:
            return os.pread(self._file.fileno(), length, start)
        found = self._block(number)[at : at + length]
        further = length - len(found)
        return found + self._block(number + 1)[:further] if further else found


def _read_block(file: int, number: int) -> bytes:
    return os.pread(file, _BLOCK, number * _BLOCK)


def _answer_of(stored: _StoredAnswer) -> RecordedAnswer:
    return RecordedAnswer(
        stored.model, stored.case_id, stored.run, stored.completion, stored.failure
    )


def _encode_answer(answer: RecordedAnswer) -> bytes:
    """MessagePack; JSON of ASCII where a text holds half a surrogate pair."""
    stored = _StoredAnswer(*answer)
    try:
        return _encode(stored)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(stored)).encode()


def _decode_any(data: bytes) -> _StoredAnswer:
    if data.startswith(b"["):
        return msgspec.convert(json.loads(data), _StoredAnswer)
    return _decode(data)

"""Recorded exchanges with endpoints, and their replay without a model.

A folder holds ``exchanges.jsonl``: one reply a line, with the digest of its request. No request and
no key is in it.
"""

import base64
import json
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from benchmaker.errors import BadResponse, SpecError
from benchmaker.providers.wires.form import Fields, WireCall
from benchmaker.record.agent_trial import TrialKey
from benchmaker.structs import resolve_type

FILE: Final = "exchanges.jsonl"

_SESSION_FIELDS: Final = frozenset(
    {
        "client_metadata", "metadata", "model", "prompt_cache_key", "prompt_cache_retention",
        "safety_identifier", "stream_options", "user",
    }
)  # fmt: skip
"""Fields that name a session, a person or a model, and do not change the content."""


class RecordedExchange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reply of an endpoint to a request with this digest.

    ``body`` is text, or base64 if ``is_base64``. ``cuts`` are the offsets in bytes at which its
    pieces after the first began. ``was_cut`` is true if the reply did not reach its end.
    """

    key: TrialKey
    digest: str
    status: int
    headers: dict[str, str]
    body: str
    cuts: tuple[int, ...] = ()
    is_base64: bool = False
    was_cut: bool = False

    @classmethod
    def of(
        cls,
        key: TrialKey,
        digest: str,
        *,
        status: int,
        headers: Mapping[str, str],
        chunks: Sequence[bytes],
        was_cut: bool,
    ) -> "RecordedExchange":
        """Return the exchange with a reply that came in these pieces."""
        data = b"".join(chunks)
        ends, size = [], 0
        for chunk in chunks[:-1]:
            size += len(chunk)
            ends.append(size)
        try:
            body, is_base64 = data.decode(), False
        except UnicodeDecodeError:
            body, is_base64 = base64.b64encode(data).decode(), True
        return cls(key, digest, status, dict(headers), body, tuple(ends), is_base64, was_cut)

    @property
    def chunks(self) -> tuple[bytes, ...]:
        """The pieces of the reply."""
        data = base64.b64decode(self.body) if self.is_base64 else self.body.encode()
        return tuple(data[a:b] for a, b in pairwise((0, *self.cuts, len(data))))


def request_digest(call: WireCall, fields: Fields, *, is_streamed: bool) -> str:
    """Return the digest of a request: wire, action, and the fields of its content."""
    digest = sha256(f"{call.wire} {call.action} {is_streamed}".encode())
    for name in sorted(fields.keys() - _SESSION_FIELDS):
        digest.update(b"\n" + json.dumps(name).encode() + b":" + bytes(fields[name]))
    return digest.hexdigest()


class Recorder:
    """Appends exchanges to the file of a folder, which is created."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        _drop_partial_line(path)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def add(self, exchange: RecordedExchange) -> None:
        """Append an exchange, as one line in one write."""
        os.write(self._file, msgspec.json.encode(exchange) + b"\n")

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


class _Attempt(NamedTuple):
    """The part of a key that a repeated trial has in common with the recorded one."""

    task: str
    system: str
    attempt: int


class RecordedReplies:
    """Recorded replies by trial and digest, each given once, in the order of recording.

    Of several recorded tries of an attempt, the last one counts.

    Raises:
        SpecError: the folder has no recording, or it can't be read.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._places: dict[_Attempt, dict[str, list[int]]] = {}
        self._next: dict[tuple[TrialKey, str], int] = defaultdict(int)
        try:
            self._index()
        except OSError as exc:
            raise SpecError(
                f"no recorded exchanges in {folder}: {exc.strerror}.",
                hint="Name a folder that an earlier series was recorded to.",
            ) from exc

    def find(self, key: TrialKey, digest: str) -> RecordedExchange | None:
        """Return the next reply to a request of a trial; None if it was not recorded."""
        places = self._places.get(_attempt_of(key), {}).get(digest, ())
        number = self._next[key, digest]
        if number >= len(places):
            return None
        self._next[key, digest] += 1
        with self._path.open("rb") as file:
            file.seek(places[number])
            return self._read(file.readline(), number)

    def _index(self) -> None:
        tries: dict[_Attempt, TrialKey] = {}
        place = 0
        with self._path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):  # a killed process may leave a part of a line
                    exchange = self._read(line, number)
                    attempt = _attempt_of(exchange.key)
                    if tries.get(attempt) != exchange.key:
                        tries[attempt] = exchange.key
                        self._places[attempt] = defaultdict(list)
                    self._places[attempt][exchange.digest].append(place)
                place += len(line)

    def _read(self, line: bytes, number: int) -> RecordedExchange:
        try:
            return msgspec.json.decode(line, type=resolve_type(RecordedExchange))
        except msgspec.MsgspecError as exc:
            raise SpecError(
                f"invalid recorded exchange: {exc}.",
                where=f"{self._path}:{number}",
                hint="Record the series again.",
            ) from exc


class ReplayedReply:
    """A recorded reply in place of one from the network."""

    is_reconnected = False

    def __init__(self, exchange: RecordedExchange) -> None:
        self.status = exchange.status
        self.headers = exchange.headers
        self._chunks = iter(exchange.chunks)
        self._was_cut = exchange.was_cut

    def elapsed_s(self) -> float:
        """No time passes."""
        return 0.0

    async def chunk(self) -> bytes:
        """Return the next piece; empty at the end; BadResponse where the reply was cut."""
        data = next(self._chunks, b"")
        if not data and self._was_cut:
            raise BadResponse("the recorded reply was cut off here.")
        return data

    async def read(self) -> bytes:
        """Return the rest."""
        pieces = []
        while data := await self.chunk():
            pieces.append(data)
        return b"".join(pieces)

    async def read_start(self) -> bytes:
        """Return the rest."""
        return await self.read()

    async def drain(self) -> bytes:
        """Return the rest."""
        return b"".join(self._chunks)


def _drop_partial_line(path: Path) -> None:
    """Cut off the part of a line that a killed process left."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
        file.truncate(whole)


def _attempt_of(key: TrialKey) -> _Attempt:
    return _Attempt(key.task, key.system, key.attempt)

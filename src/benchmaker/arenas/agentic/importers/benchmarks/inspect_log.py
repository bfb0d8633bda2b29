"""Inspect: ``.eval`` archives and ``.json`` logs, a submission for each sample."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from benchmaker.arenas.agentic.importers.base import FileHead, Options, SessionRef, Skipped
from benchmaker.arenas.agentic.importers.inspect_format.rows import (
    LOGS,
    SAMPLES,
    Eval,
    Log,
    name_of,
)
from benchmaker.arenas.agentic.importers.inspect_format.sample import SampleReader
from benchmaker.arenas.agentic.importers.outline import outline
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.archives import opened_archive
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.logs.lenient_json import loose_document
from benchmaker.arenas.agentic.logs.shared_file import FileCache
from benchmaker.plugins import importer

_ZIP = b"PK\x03\x04"
_KEYS = {"status", "eval", "eval.run_id", "eval.task_id"}
_PARTS = (b"_journal/", b"_epoch_")
_HEADER = "header.json"
_START = "_journal/start.json"


@dataclass(frozen=True, slots=True)
class _About:
    log: Log
    names: tuple[str, ...] = ()


@importer(id="inspect_log", version="4")
class InspectLog:
    """Logs of Inspect; tokens of graders are in them, as Inspect counts them."""

    id: ClassVar[str] = "inspect_log"
    version: ClassVar[str] = "4"
    title: ClassVar[str] = "Inspect log"

    def __init__(self) -> None:
        self._logs = FileCache(_read)

    def sniff(self, head: FileHead) -> float:
        """By the names in an archive, or the keys of a JSON log."""
        if head.start.startswith(_ZIP):
            return 0.95 if any(name in head.start for name in _PARTS) else 0.0
        return 0.95 if outline(head.start) >= _KEYS else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """A session for each sample; a single one that reports the error if it can't be opened."""
        about = self._logs.get(root, Options(skip=_ignore))
        count = len(about.names) or len(about.log.samples or ())
        name = name_of(about.log.eval or Eval())
        for number in range(max(count, 1)):
            yield SessionRef(
                importer=self.id,
                id=f"{name or root.stem}:{number}",
                files=(root,),
                part=f"{number:09}",
            )

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Yield the events of one sample."""
        path = ref.files[0]
        about = self._logs.get(path, options)
        try:
            raw = _sample_of(path, about, int(ref.part), options)
            if raw is None:
                return
            sample, left_out = SAMPLES.decode(raw)
            mark = call_digest("", bytes(raw))
        except DecodingError as refused:
            options.skip(Skipped(path, 0, f"sample {int(ref.part) + 1}: {refused}"))
            return
        for complaint in left_out:
            options.skip(Skipped(path, 0, f"sample {int(ref.part) + 1}: skipped {complaint}"))
        yield from SampleReader(path, about.log, sample, mark, options).events()


def _ignore(_: Skipped) -> None:
    """Errors are reported when the log is read, not when it is listed."""


def _read(path: Path, options: Options) -> _About:
    if not file_start(path).startswith(_ZIP):
        return _About(loose_document(path, options, LOGS) or Log())
    try:
        with opened_archive(path, options) as archive:
            names = [name for name in archive.names if _is_sample(name)]
            header = _HEADER if _HEADER in archive.names else _START
            log, _ = LOGS.decode(archive.read(header))
    except DecodingError as refused:
        options.skip(Skipped(path, 0, str(refused)))
        return _About(Log())
    return _About(log, tuple(sorted(names)))


def _is_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _sample_of(path: Path, about: _About, number: int, options: Options) -> bytes | None:
    if about.names:
        with opened_archive(path, options) as archive:
            return archive.read(about.names[number])
    samples = about.log.samples or ()
    return bytes(samples[number]) if number < len(samples) else None
